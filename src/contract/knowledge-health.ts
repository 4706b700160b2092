import * as z from 'zod';
import { Timestamp } from './names.ts';
import { KnowledgeFile } from './navigator-response.ts';

/** What may be wrong with an article. */
export const HealthKind = z.enum([
  /** The same sentence stands in another article with another number. */
  'contradiction',
  /** Most of its sentences stand in another article too. */
  'duplicate',
  /** Another article about the same product is more than a year newer. */
  'outdated',
  /** A link to an article that there is not. */
  'dead_link',
  /** A heading with next to nothing below it. */
  'empty_section',
  /** A search for its own title finds other articles first. */
  'not_found_by_title',
]);
export type HealthKind = z.infer<typeof HealthKind>;

/** A place in an article. */
export const HealthPlace = z.object({
  article_id: KnowledgeFile,
  title: z.string().max(500),
  url: z.string().max(2048),
  /** The headings above it, joined by ` > `; empty at the top of an article, absent when the whole article is meant. */
  heading: z.string().max(2000).optional(),
  /** What it says there. */
  text: z.string().max(1000).optional(),
});
export type HealthPlace = z.infer<typeof HealthPlace>;

/** Something to look at. */
export const HealthFinding = z.object({
  kind: HealthKind,
  place: HealthPlace,
  /** The other article, where two are compared. */
  other: HealthPlace.optional(),
  /** What differs or is missing: `30 instead of 60`, the target of a link, the days on which two articles were changed. */
  detail: z.string().max(500),
});
export type HealthFinding = z.infer<typeof HealthFinding>;

/** The most findings of one reply, of each kind. */
export const MAX_FINDINGS = 50;

/** `GET /v1/knowledge/health`: what writers should look at, in the current edition. */
export const KnowledgeHealth = z.object({
  edition: z.string().min(1).max(128),
  created_at: Timestamp,
  articles: z.int().min(0),
  /** All that were found, by kind, also those that are not listed. */
  counts: z.record(HealthKind, z.int().min(0)),
  /** At most 50 of each kind. */
  findings: z.array(HealthFinding).max(MAX_FINDINGS * HealthKind.options.length),
  /** What was too large to be compared whole: `statements` beyond 60,000, `titles` beyond 2,000; absent when nothing was. */
  unchecked: z
    .array(z.enum(['statements', 'titles']))
    .min(1)
    .max(2)
    .optional(),
});
export type KnowledgeHealth = z.infer<typeof KnowledgeHealth>;
