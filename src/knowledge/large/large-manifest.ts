/**
 * What an edition says of itself in large mode, where its passages are in a hybrid index.
 *
 * Such an edition is a file of the edition format without articles and chunks: its words and terms are the lexicon (`buildLexicon`), its
 * section `large` is this manifest. It is stored, published and fetched as every edition is. A deletion alone makes another file under
 * another id, with the same `number` and one more tombstone.
 */
import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { utf8 } from '../../platform/encoding.ts';
import { oncePer } from '../../platform/once-per.ts';
import { attachSection, unreadable } from '../edition/edition-format.ts';
import type { Edition } from '../edition/open-edition.ts';

/** Deleted or replaced articles that an edition can name; with more, the sync waits until their records are gone. */
export const MAX_TOMBSTONES = 50_000;
const MAX_AUDIENCE_LISTS = 10_000;

export const LargeManifest = z.object({
  /** E: records born later are not shown. */
  number: z.int().min(1),
  /** Name of the namespace in the index, with its generation. */
  namespace: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  /** Key of the ids of its records: 32 bytes in hexadecimal. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
  /** Model and dimensions of the dense vectors. */
  space: z.object({ model: z.string().min(1).max(200), dimensions: z.int().min(1).max(5376) }),
  /** Articles and passages that the edition shows to somebody. */
  articles: z.int().min(0),
  chunks: z.int().min(0),
  /** Occurrences of content words in all of them. */
  wordTotal: z.number().min(0),
  /** Mean number of content words of a passage, by field; at least 1. */
  meanLengths: z.object({
    title: z.number().min(1),
    label: z.number().min(1),
    heading: z.number().min(1),
    body: z.number().min(1),
  }),
  /** Share of the namespace's records that are not shown any more, or not yet: so many more hits are requested. */
  deadShare: z.number().min(0).max(0.95),
  /** By `articleHash`: its records born before this number are dead. */
  tombstones: z
    .record(z.string().regex(/^[0-9a-f]{16}$/), z.int().min(1))
    .refine((tombstones) => Object.keys(tombstones).length <= MAX_TOMBSTONES),
  /** Lists of audiences that articles name, sorted names each; the first is empty, for everybody. */
  audienceLists: z
    .array(z.array(z.string().min(1).max(200)).max(100))
    .min(1)
    .max(MAX_AUDIENCE_LISTS),
});
export type LargeManifest = z.infer<typeof LargeManifest>;

const SECTION = 'large';

/** Adds the manifest to the lexicon of an edition, which must not be used afterwards. */
export function attachLargeManifest(
  lexicon: Uint8Array,
  manifest: LargeManifest,
): Uint8Array<ArrayBuffer> {
  return attachSection(lexicon, SECTION, utf8(JSON.stringify(manifest)));
}

/** The manifest of an edition in large mode, read once; `undefined` for an edition whose passages are in itself. */
export function largeManifestOf(edition: Edition): LargeManifest | undefined {
  return manifestOf(edition).manifest;
}

const manifestOf = oncePer((edition: Edition): { manifest: LargeManifest | undefined } => {
  const bytes = edition.section(SECTION);
  if (bytes === undefined) return { manifest: undefined };
  const read = readAs(LargeManifest, JSON.parse(new TextDecoder().decode(bytes)));
  if (!read.ok) throw unreadable('its manifest of large mode has another form');
  return { manifest: read.value };
});
