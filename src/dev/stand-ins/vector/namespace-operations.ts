import type { LocalIndex } from './local-index.ts';
import type { Operation, OperationCall } from './operation.ts';
import { VectorRefusal } from './vector-error.ts';
import { createNamespaceRecords, type NamespaceRecords } from './vector-records.ts';
import { RenameNamespace, readWire } from './wire.ts';

const info = ({ index }: OperationCall) => {
  const counted = [...index.namespaces].map(([name, records]) => [name, countsOf(records)] as const);
  const sum = (of: 'vectorCount' | 'pendingVectorCount') =>
    counted.reduce((total, [, counts]) => total + counts[of], 0);
  return {
    vectorCount: sum('vectorCount'),
    pendingVectorCount: sum('pendingVectorCount'),
    indexSize: sizeOf(index),
    dimension: index.dimension,
    similarityFunction: index.similarityFunction,
    indexType: index.type,
    ...(index.type !== 'SPARSE' && {
      denseIndex: {
        dimension: index.dimension,
        similarityFunction: index.similarityFunction,
        ...(index.denseModel && { embeddingModel: index.denseModel }),
      },
    }),
    ...(index.type !== 'DENSE' && { sparseIndex: index.sparseModel ? { embeddingModel: index.sparseModel } : {} }),
    namespaces: Object.fromEntries(counted),
  };
};

/** `vectorCount` is of those that queries see. */
const countsOf = (records: NamespaceRecords) => ({
  vectorCount: records.indexed().size,
  pendingVectorCount: records.pendingCount(),
});

/** Bytes, roughly: four for each number, one for each character. */
const sizeOf = (index: LocalIndex): number => {
  let bytes = 0;
  for (const { written } of index.namespaces.values()) {
    for (const { id, vector, sparseVector, metadata, data } of written.values()) {
      const texts = id.length + (data?.length ?? 0) + (metadata ? JSON.stringify(metadata).length : 0);
      bytes += 4 * (vector?.length ?? 0) + 8 * (sparseVector?.indices.length ?? 0) + texts;
    }
  }
  return bytes;
};

/** Namespaces stay, empty. */
const reset = ({ index, namespace, query }: OperationCall) => {
  const names = query.has('all') ? [...index.namespaces.keys()] : [namespace];
  for (const name of names) {
    if (index.namespaces.has(name)) index.namespaces.set(name, createNamespaceRecords(index.indexing));
  }
  return 'Success';
};

const deleteNamespace = ({ index, namespace }: OperationCall) => {
  if (!index.namespaces.delete(namespace)) throw unknownNamespace(index, namespace);
  return 'Success';
};

const renameNamespace = ({ index, body }: OperationCall) => {
  const { namespace, newNamespace } = readWire(RenameNamespace, body);
  const records = index.namespaces.get(namespace);
  if (!records || namespace === '') throw unknownNamespace(index, namespace);
  if (newNamespace === '' || index.namespaces.has(newNamespace)) {
    throw new VectorRefusal(409, `Namespace ${newNamespace} for the index ${index.name} exists already`);
  }
  index.namespaces.delete(namespace);
  index.namespaces.set(newNamespace, records);
  return { renamed: 1 };
};

const unknownNamespace = (index: LocalIndex, namespace: string) =>
  new VectorRefusal(404, `Namespace ${namespace} for the index ${index.name} does not exist`);

export const NAMESPACE_OPERATIONS: Record<string, Operation> = {
  info: { methods: ['GET'], namespace: 'none', writes: false, run: info },
  'list-namespaces': {
    methods: ['GET'],
    namespace: 'none',
    writes: false,
    run: ({ index }) => [...index.namespaces.keys()],
  },
  reset: { methods: ['DELETE'], namespace: 'optional', writes: true, run: reset },
  'delete-namespace': { methods: ['DELETE'], namespace: 'required', writes: true, run: deleteNamespace },
  'rename-namespace': { methods: [], namespace: 'none', writes: true, run: renameNamespace },
};
