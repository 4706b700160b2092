/**
 * A passage as the index holds it in large mode, and how both sides make and read it.
 *
 * Who fills what: the library's sync makes each record with `passageRecord` (it gives the article, its version, the chunk, `born`, the number of
 * the audience list, the vectors and the key); nothing of a record changes afterwards. The reading function takes hits apart with
 * `readPassage`, which returns only what the key of the manifest vouches for; `isVisible` says whether an edition shows it.
 */
import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { utf8 } from '../../platform/encoding.ts';
import type { VectorFilter } from '../../platform/storage/vector-index.ts';
import type { Article, Chunk } from '../articles/article.ts';
import { tagOf } from '../edition/collect-words.ts';
import type { HybridHit, HybridMetadata, HybridRecord, SparseVector } from './hybrid-index.ts';

/** A passage with what search and answers need of its article. */
export interface Passage {
  /** Its `language` is what `languageOfArticle` says of the whole article. */
  article: Omit<Article, 'text' | 'audiences'>;
  /** Hash of the article as it was cut, 1 to 64 of `0-9a-f`. */
  version: string;
  /** Without `articleId`, which is that of the article. */
  chunk: Omit<Chunk, 'articleId'>;
  /** Number of the edition from which on it is shown, from 1. */
  born: number;
  /** Place of the article's audiences in the manifest's `audienceLists`; 0 is for everybody. */
  audienceList: number;
}

/** The key of a namespace as the manifest gives it: 32 bytes in hexadecimal. */
export type RecordKey = string;

/**
 * The record of a passage. Its id is a keyed hash over all that is shown and all that decides who may see it, so that neither the index nor
 * its operator can make one up or change one. The same passage always has the same id: a step of a sync may be repeated.
 */
export async function passageRecord(
  passage: Passage,
  {
    workspace,
    key,
    dense,
    sparse,
  }: {
    workspace: string;
    key: RecordKey;
    dense: readonly number[];
    sparse: SparseVector;
  },
): Promise<HybridRecord> {
  const data = JSON.stringify(dataOf(passage));
  const { article, audienceList, born } = passage;
  const metadata: HybridMetadata = {
    a: articleHash(article.id),
    b: born,
    aud: String(audienceList),
    int: article.intents.map((intent) => labelHash('intent', intent)),
    dev: article.devices.map((device) => labelHash('device', device)),
  };
  const id = await idOf({ workspace, key, data });
  return { id, dense, sparse, metadata, data };
}

/** The passage of a hit, as the library wrote it for this workspace; `undefined` for anything else. */
export async function readPassage(
  { id, data }: Pick<HybridHit, 'id' | 'data'>,
  { workspace, key }: { workspace: string; key: RecordKey },
): Promise<Passage | undefined> {
  if (id !== (await idOf({ workspace, key, data }))) return undefined;
  const read = readAs(PassageData, parsed(data));
  return read.ok ? passageOf(read.value) : undefined;
}

/** What decides whether an edition shows a passage. */
export interface Visibility {
  /** Number of the edition. */
  edition: number;
  /** By `articleHash`: records born before this number are dead. */
  tombstones: ReadonlyMap<string, number>;
  /** By place in `audienceLists`: whether the asker may read it. */
  readable: readonly boolean[];
}

/** Whether an edition shows a passage to an asker. */
export function isVisible(
  { article, born, audienceList }: Pick<Passage, 'article' | 'born' | 'audienceList'>,
  { edition, tombstones, readable }: Visibility,
): boolean {
  if (born > edition || readable[audienceList] !== true) return false;
  return born >= (tombstones.get(articleHash(article.id)) ?? 0);
}

/** The same for the index, which spares hits that would be dropped. Lists of audiences beyond what a filter can name are checked here only. */
export function visibleOnly({ edition, readable }: Visibility): VectorFilter {
  const lists = readable.flatMap((isReadable, list) => (isReadable ? [String(list)] : []));
  const born = { field: 'b', atMost: edition };
  return lists.length === readable.length || lists.length > MAX_LISTS_IN_FILTER
    ? [born]
    : [born, { field: 'aud', in: lists }];
}

/** Intent, device and article of a search as conditions for the index. */
export function conditionsOf({
  intent,
  device,
  articleId,
}: {
  intent?: string | undefined;
  device?: string | undefined;
  articleId?: string | undefined;
}): VectorFilter {
  return [
    ...(intent === undefined ? [] : [{ field: 'int', contains: labelHash('intent', intent) }]),
    ...(device === undefined ? [] : [{ field: 'dev', contains: labelHash('device', device) }]),
    ...(articleId === undefined ? [] : [{ field: 'a', in: [articleHash(articleId)] }]),
  ];
}

const labelHash = (kind: 'intent' | 'device', value: string): string =>
  shortHash(tagOf(kind, value));

/** Six characters each; a filter has 1,024. */
const MAX_LISTS_IN_FILTER = 120;

/** 16 hexadecimal digits that stand for an article in metadata and tombstones: ids have characters that filters cannot have. */
export function articleHash(id: string): string {
  return shortHash(`article ${id}`) + shortHash(`${id} article`);
}

/** FNV-1a with a finaliser, 31 bits; also the index of a term in a sparse vector. */
export function hash31(text: string): number {
  let hash = 0x811c_9dc5;
  for (const byte of utf8(text)) hash = Math.imul(hash ^ byte, 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) & 0x7fff_ffff;
}

const shortHash = (text: string): string => hash31(text).toString(16).padStart(8, '0');

const idOf = async ({
  workspace,
  key,
  data,
}: {
  workspace: string;
  key: RecordKey;
  data: string;
}): Promise<string> => {
  const signature = await crypto.subtle.sign(
    'HMAC',
    await keyOf(key),
    utf8(`${workspace}\n${data}`),
  );
  return Array.from(new Uint8Array(signature, 0, ID_BYTES), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
};

const ID_BYTES = 16;

/** The keys of a few workspaces are imported once. */
const keys = new Map<RecordKey, Promise<CryptoKey>>();
const MAX_KEYS = 64;

const keyOf = (key: RecordKey): Promise<CryptoKey> => {
  const known = keys.get(key);
  if (known !== undefined) return known;
  const bytes = Uint8Array.from(key.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const imported = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(key, imported);
  return imported;
};

const parsed = (data: string): unknown => {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
};

/** The `data` of a record: short names, since every answer of the index carries some forty. */
const PassageData = z.object({
  id: z.string(),
  t: z.string(),
  u: z.string(),
  d: z.string(),
  in: z.array(z.string()).optional(),
  dv: z.array(z.string()).optional(),
  au: z.string().optional(),
  l: z.string().optional(),
  tk: z.string().optional(),
  v: z.string(),
  p: z.int().min(0),
  s: z.int().min(0),
  e: z.int().min(0),
  n: z.int().min(0),
  h: z.array(z.string()).optional(),
  x: z.string(),
  b: z.int().min(1),
  aud: z.int().min(0),
});
type PassageData = z.output<typeof PassageData>;

const dataOf = ({ article, version, chunk, born, audienceList }: Passage): PassageData => ({
  id: article.id,
  t: article.title,
  u: article.url,
  d: article.lastUpdated,
  in: listOrNone(article.intents),
  dv: listOrNone(article.devices),
  au: article.author,
  l: article.language,
  tk: article.translationKey,
  v: version,
  p: chunk.position,
  s: chunk.start,
  e: chunk.end,
  n: chunk.tokenCount,
  h: listOrNone(chunk.headingPath),
  x: chunk.text,
  b: born,
  aud: audienceList,
});

const listOrNone = (list: readonly string[]): string[] | undefined =>
  list.length === 0 ? undefined : [...list];

const passageOf = (data: PassageData): Passage => ({
  article: {
    id: data.id,
    title: data.t,
    url: data.u,
    lastUpdated: data.d,
    intents: data.in ?? [],
    devices: data.dv ?? [],
    author: data.au,
    language: data.l,
    translationKey: data.tk,
  },
  version: data.v,
  chunk: {
    position: data.p,
    start: data.s,
    end: data.e,
    tokenCount: data.n,
    headingPath: data.h ?? [],
    text: data.x,
  },
  born: data.b,
  audienceList: data.aud,
});
