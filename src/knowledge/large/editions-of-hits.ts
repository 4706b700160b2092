import { WORD_VECTORS_MODEL, type WordVectors } from '../../ai/embeddings/word-vectors.ts';
import { mayRead } from '../../platform/context/capabilities.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { EditionScope, SearchToDo } from '../edition/current-edition.ts';
import { EditionUnavailable } from '../edition/edition-reader.ts';
import type { NearChunk } from '../edition/nearest-rows.ts';
import type { Edition } from '../edition/open-edition.ts';
import { type AnalysedQuery, analyseQuery } from '../search/analyse-query.ts';
import { type MeaningOf, questionText } from '../search/retrieve.ts';
import { editionOfHits } from './edition-of-hits.ts';
import { findHits, type IndexCircuit, indexCircuit } from './find-hits.ts';
import type { HybridHit, HybridIndex, HybridQuery } from './hybrid-index.ts';
import { type LargeManifest, largeManifestOf } from './large-manifest.ts';
import { lexiconOf } from './lexicon.ts';
import {
  conditionsOf,
  isVisible,
  type Passage,
  readPassage,
  type Visibility,
  visibleOnly,
} from './passage-record.ts';
import { sparseQueryOf } from './sparse-vectors.ts';

interface HitsParts {
  /** The index of a namespace; absent where none is configured. */
  indexOf: ((namespace: string, dimensions: number) => Pick<HybridIndex, 'query'>) | undefined;
  /** Vectors of questions where passages have word vectors. */
  wordVectors: () => WordVectors;
  /** Vectors of questions of other models; without it only words are searched there. */
  meaningOf?: MeaningOf | undefined;
}

/** As long as a vector of a question is waited for; then words alone are searched. */
const VECTOR_MS = 90;

/** Hits of each list that become passages, and passages of an edition. */
const HITS_OF_LIST = 20;
const MAX_PASSAGES = 60;
/** Searches of one request, each with two lists. */
const MAX_SEARCHES = 8;

/**
 * Reads editions of any size: one whose passages are in itself as it is; of one in large mode an edition of the hits of the searches that the
 * request names in its scope.
 *
 * @param read `currentEdition`.
 * @throws From its result: `EditionUnavailable` when the index does not answer, and where no searches are named: what reads a whole edition
 *   is not offered in large mode (docs/large.md).
 */
export function editionsOfHits(
  read: (scope: EditionScope) => Promise<Edition>,
  { indexOf, ...parts }: HitsParts,
): (scope: EditionScope) => Promise<Edition> {
  const circuits = lruCache<string, IndexCircuit>({ max: 512 });
  return async (scope) => {
    const edition = await read(scope);
    const manifest = largeManifestOf(edition);
    if (manifest === undefined) return edition;
    const { context, indexMs, filter = {} } = scope;
    const searches = scope.searches?.() ?? [];
    if (searches.length === 0)
      throw new EditionUnavailable('Cannot do this: it is not offered for so many passages');
    if (indexOf === undefined)
      throw new EditionUnavailable('Cannot answer: no index of passages is configured');
    const readable = manifest.audienceLists.map((names) => mayRead(context.audiences, names));
    const key = JSON.stringify([searches, filter, readable.map(Number).join('')]);
    const cache = cacheOf(edition);
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const circuit = circuits.getOr(manifest.namespace, indexCircuit);
    const found = await find(edition, searches.slice(0, MAX_SEARCHES), {
      ...parts,
      index: indexOf(manifest.namespace, manifest.space.dimensions),
      scope,
      manifest,
      readable,
      circuit,
      indexMs,
      filter,
    });
    cache.set(key, found);
    return found;
  };
}

/** A deletion makes another edition, and so an empty cache; an edition of hits takes some 300 KB. */
const cacheOf = oncePer((_: Edition) => lruCache<string, Edition>({ max: 24, ttlMs: 300_000 }));

interface Finding extends Omit<HitsParts, 'indexOf'> {
  index: Pick<HybridIndex, 'query'>;
  scope: EditionScope;
  manifest: LargeManifest;
  readable: readonly boolean[];
  circuit: IndexCircuit;
  indexMs: number | undefined;
  filter: NonNullable<EditionScope['filter']>;
}

/** One search as the index is asked for it. */
interface AskedSearch {
  text: string;
  query: AnalysedQuery;
  /** Share of the question's stems that the word vectors have; 0 without a dense query. */
  share: number;
  /** Whether its vector was late. */
  isLate: boolean;
  queries: HybridQuery[];
}

const find = async (
  edition: Edition,
  searches: readonly SearchToDo[],
  { manifest, readable, circuit, index, indexMs, filter, ...parts }: Finding,
): Promise<Edition> => {
  const lexicon = lexiconOf(edition);
  const about = { lexicon, model: manifest.space.model };
  const asked = await Promise.all(
    searches.map(async (search) =>
      askedOf(search, about, await vectorOf(search, manifest.space, parts)),
    ),
  );
  const visibility: Visibility = {
    edition: manifest.number,
    tombstones: tombstonesOf(manifest),
    readable,
  };
  const lists = await findHits(
    index,
    asked.flatMap(({ queries }) => queries),
    {
      limit: Math.min(100, Math.ceil(HITS_OF_LIST / (1 - manifest.deadShare))),
      filter: [...visibleOnly(visibility), ...conditionsOf(filter)],
      circuit,
      timeoutMs: indexMs,
    },
  ).catch((cause: unknown) => {
    throw new EditionUnavailable('Cannot answer: the index of passages does not answer. Retry', {
      cause,
    });
  });
  const passages = await visiblePassages(lists, { visibility, edition, manifest });
  const shown = lists.map((list) =>
    list.filter(({ id }) => passages.has(id)).slice(0, HITS_OF_LIST),
  );
  const chosen = chosenIds(shown);
  const hits = editionOfHits(
    [...chosen].flatMap((id) => passages.get(id) ?? []),
    { lexicon, manifest, queries: asked.map(({ query }) => query) },
  );
  return withMeanings(hits, { asked, shown, passages, manifest });
};

/** The vector of a search, `late` when its model has not answered in time. */
const vectorOf = async (
  { question, history = [] }: SearchToDo,
  space: LargeManifest['space'],
  { wordVectors, meaningOf, scope }: Pick<Finding, 'wordVectors' | 'meaningOf' | 'scope'>,
): Promise<ArrayLike<number> | 'late' | undefined> => {
  const text = questionText(question, { history });
  if (wordVectors().model === space.model) return wordVectors().vectorOfQuestion(text);
  if (meaningOf === undefined) return undefined;
  const { context, waitUntil } = scope;
  const ask = (signal: AbortSignal) =>
    meaningOf(text, { wants: 'vector', workspace: context.workspace, signal, waitUntil });
  try {
    const meaning = await withDeadline(ask, { timeoutMs: VECTOR_MS });
    const isOfSpace = meaning.model === space.model && meaning.dimensions === space.dimensions;
    return isOfSpace ? meaning.vector : undefined;
  } catch {
    return 'late';
  }
};

const askedOf = (
  { question, history = [] }: SearchToDo,
  { lexicon, model }: { lexicon: Edition; model: string },
  vector: ArrayLike<number> | 'late' | undefined,
): AskedSearch => {
  const query = analyseQuery(lexicon, question, history);
  const text = questionText(question, { history });
  const sparse = { sparse: sparseQueryOf(lexicon, query) };
  if (vector === undefined || vector === 'late')
    return { text, query, share: 0, isLate: vector === 'late', queries: [sparse] };
  const dense = Array.from(vector);
  // As in an edition in memory: a vector of words is as long as the share of them that is known.
  const share = model === WORD_VECTORS_MODEL ? Math.hypot(...dense) : 1;
  return { text, query, share, isLate: false, queries: [sparse, { dense }] };
};

const tombstonesOf = (manifest: LargeManifest): ReadonlyMap<string, number> =>
  openTombstones(manifest).tombstones;

const openTombstones = oncePer((manifest: LargeManifest) => ({
  tombstones: new Map(Object.entries(manifest.tombstones)),
}));

/** The passages of hits that this edition shows, each read and verified once. */
const visiblePassages = async (
  lists: readonly HybridHit[][],
  {
    visibility,
    edition: { workspace },
    manifest: { key },
  }: { visibility: Visibility; edition: Edition; manifest: LargeManifest },
): Promise<Map<string, Passage>> => {
  const hits = new Map(lists.flat().map((hit) => [hit.id, hit]));
  const passages = new Map<string, Passage>();
  await Promise.all(
    [...hits.values()].map(async (hit) => {
      const passage = await readPassage(hit, { workspace, key });
      if (passage !== undefined && isVisible(passage, visibility)) passages.set(hit.id, passage);
    }),
  );
  return passages;
};

/** The best of all lists, in turns. */
const chosenIds = (lists: readonly (readonly HybridHit[])[]): Set<string> => {
  const chosen = new Set<string>();
  for (let rank = 0; rank < HITS_OF_LIST; rank++)
    for (const list of lists) {
      const id = list[rank]?.id;
      if (id !== undefined && chosen.size < MAX_PASSAGES) chosen.add(id);
    }
  return chosen;
};

/** Adds the cosines that the index gave, by the text of each search. */
const withMeanings = (
  edition: Edition,
  {
    asked,
    shown,
    passages,
    manifest,
  }: {
    asked: readonly AskedSearch[];
    shown: readonly HybridHit[][];
    passages: ReadonlyMap<string, Passage>;
    manifest: LargeManifest;
  },
): Edition => {
  const chunkOf = chunksByPlace(edition);
  const rest = [...shown];
  const { model } = manifest.space;
  const meanings = new Map<string, { model: string; near: NearChunk[] } | 'late'>();
  for (const { text, share, isLate, queries } of asked) {
    const [, dense = []] = rest.splice(0, queries.length);
    const near = dense.flatMap(({ id, score }) => {
      const chunk = chunkOf(passages.get(id));
      return chunk === undefined ? [] : { chunk, similarity: score * share };
    });
    if (isLate) meanings.set(text, 'late');
    else if (queries.length > 1) meanings.set(text, { model, near });
  }
  return { ...edition, meanings: (text) => meanings.get(text) };
};

const chunksByPlace = (edition: Edition) => {
  const places = new Map<string, number>();
  for (let at = 0; at < edition.chunkCount; at++) {
    const { article, start } = edition.chunk(at);
    places.set(`${start} ${edition.article(article).id}`, at);
  }
  return (passage: Passage | undefined): number | undefined =>
    passage && places.get(`${passage.chunk.start} ${passage.article.id}`);
};
