import { randomUUID } from 'node:crypto';
import type { Fault } from '../server/faults.ts';
import type { LocalIndex } from './local-index.ts';
import type { Operation, OperationCall } from './operation.ts';
import { embedData, readVectors, readWholeVectors } from './read-vectors.ts';
import { continueSearch, findSearch, openSearch } from './resumable-search.ts';
import type { Scored } from './scoring.ts';
import { searchNamespace } from './search-namespace.ts';
import type { NamespaceSearch, Vectors } from './search-request.ts';
import { showScored } from './show-vector.ts';
import { VectorRefusal } from './vector-error.ts';
import * as wire from './wire.ts';

type AnyQuery = wire.VectorQuery | wire.DataQuery;

const query = (call: OperationCall) => answerAll(call, wire.readWire(wire.Query, call.body));
const queryData = (call: OperationCall) => answerAll(call, wire.readWire(wire.QueryData, call.body));

/** One query, or a list of one, is answered with its scores; a longer list with a list of them. */
const answerAll = (call: OperationCall, asked: AnyQuery | AnyQuery[]) => {
  const [first, ...others] = [asked].flat().map((each) => answer(call, each));
  return others.length === 0 ? first : [first, ...others];
};

const answer = ({ index, namespace, fault }: OperationCall, asked: AnyQuery) => {
  const search = searchOf(index, asked);
  const records = index.namespaces.get(namespace);
  const found = records ? searchNamespace(index, records, search) : [];
  return shorten(found.slice(0, asked.topK), fault).map((scored) => showScored(scored, asked));
};

const searchOf = (index: LocalIndex, asked: AnyQuery): NamespaceSearch => {
  const { filter, weightingStrategy, fusionAlgorithm } = asked;
  return { filter, weightingStrategy, fusionAlgorithm, ...vectorsOf(index, asked) };
};

const vectorsOf = (index: LocalIndex, asked: AnyQuery): Vectors => {
  if ('data' in asked) return embedData(index, asked.data, { role: 'query', mode: asked.queryMode });
  const { vector, sparseVector } = asked;
  if (index.type !== 'HYBRID') return readWholeVectors(index, { vector, sparseVector });
  if (!vector && !sparseVector) throw new VectorRefusal(422, 'Either a dense or a sparse vector must be provided.');
  return readVectors(index, { vector, sparseVector });
};

const resume = (call: OperationCall, asked: AnyQuery & { maxIdle: number }) => {
  const { index, namespace, fault } = call;
  const search = searchOf(index, asked);
  const records = index.namespaces.get(namespace);
  // A namespace without any write has nothing to continue.
  if (!records) return { uuid: '', scores: [] };
  const uuid = randomUUID();
  const opened = openSearch(index, uuid, { search, records, include: asked, maxIdleMs: asked.maxIdle * 1000 });
  const scores = shorten(continueSearch(index, opened, asked.topK), fault).map((scored) => showScored(scored, asked));
  return { uuid, scores };
};

const resumableNext = ({ index, body, fault }: OperationCall) => {
  const { uuid, additionalK } = wire.readWire(wire.ResumableNext, body);
  const search = findSearch(index, uuid);
  return shorten(continueSearch(index, search, additionalK), fault).map((scored) => showScored(scored, search.include));
};

const resumableEnd = ({ index, body }: OperationCall) => {
  const { uuid } = wire.readWire(wire.ResumableEnd, body);
  findSearch(index, uuid);
  index.resumableSearches.delete(uuid);
  return 'Success';
};

const shorten = (scores: Scored[], fault: Fault | undefined): Scored[] =>
  fault?.kind === 'fewer-results' ? scores.slice(0, fault.keep ?? Math.floor(scores.length / 2)) : scores;

const reads = { methods: ['GET'], namespace: 'optional', writes: false } as const;

export const QUERY_OPERATIONS: Record<string, Operation> = {
  query: { ...reads, run: query },
  'query-data': { ...reads, run: queryData },
  'resumable-query': { ...reads, run: (call) => resume(call, wire.readWire(wire.ResumableQuery, call.body)) },
  'resumable-query-data': { ...reads, run: (call) => resume(call, wire.readWire(wire.ResumableQueryData, call.body)) },
  'resumable-query-next': { ...reads, namespace: 'none', run: resumableNext },
  'resumable-query-end': { ...reads, namespace: 'none', run: resumableEnd },
};
