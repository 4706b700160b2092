import { meetsFilter } from './filter-match.ts';
import { parseFilter } from './filter-syntax.ts';
import type { LocalIndex } from './local-index.ts';
import { best, denseScore, fuse, inverseFrequency, type Scored, sparseScore } from './scoring.ts';
import type { NamespaceSearch } from './search-request.ts';
import type { NamespaceRecords, SparseVector, StoredVector } from './vector-records.ts';

/**
 * Everything that a query finds, best first. With both vectors the two lists are fused, with one its scores stand as they are.
 *
 * @param options.leftOut Ids that are not to be found.
 * @param options.perList How long each list is before they are fused; as long as it gets when it is not said.
 */
export const searchNamespace = (
  index: LocalIndex,
  records: NamespaceRecords,
  search: NamespaceSearch,
  { leftOut, perList }: { leftOut?: ReadonlySet<string>; perList?: number } = {},
): Scored[] => {
  const tree = search.filter.trim() === '' ? undefined : parseFilter(search.filter);
  const all = [...records.indexed().values()];
  const candidates = all.filter(
    ({ id, metadata }) => !leftOut?.has(id) && (tree === undefined || meetsFilter(metadata, tree)),
  );
  const lists: Scored[][] = [];
  if (search.vector) lists.push(rankDensely(index, candidates, search.vector));
  if (search.sparseVector) lists.push(rankSparsely(candidates, weigh(search.sparseVector, search, all)));
  const shortened = lists.map((list) => list.slice(0, perList));
  return shortened.length === 1 ? (shortened[0] ?? []) : fuse(shortened, search.fusionAlgorithm);
};

const rankDensely = (index: LocalIndex, candidates: StoredVector[], query: Float32Array): Scored[] =>
  best(
    candidates.flatMap((record) =>
      record.vector ? [{ record, score: denseScore(query, record.vector, index.similarityFunction) }] : [],
    ),
  );

const rankSparsely = (candidates: StoredVector[], query: ReadonlyMap<number, number>): Scored[] =>
  best(
    candidates.flatMap((record) => {
      const score = record.sparseVector && sparseScore(query, record.sparseVector);
      return score === undefined ? [] : [{ record, score }];
    }),
  );

/** The query's values by index; with IDF each counts the more, the fewer of all vectors have its index. */
const weigh = (
  { indices, values }: SparseVector,
  { weightingStrategy }: NamespaceSearch,
  all: StoredVector[],
): Map<number, number> => {
  const weights = new Map([...indices].map((index, at) => [index, values[at] ?? 0]));
  if (weightingStrategy !== 'IDF') return weights;
  const matching = new Map<number, number>();
  for (const { sparseVector } of all) {
    for (const index of sparseVector?.indices ?? []) {
      if (weights.has(index)) matching.set(index, (matching.get(index) ?? 0) + 1);
    }
  }
  for (const [index, value] of weights) {
    weights.set(index, Math.fround(value * inverseFrequency(all.length, matching.get(index) ?? 0)));
  }
  return weights;
};
