import { meetsFilter } from './filter-match.ts';
import { parseFilter } from './filter-syntax.ts';
import { namespaceForWriting } from './local-index.ts';
import { mergePatch } from './merge-patch.ts';
import type { Operation, OperationCall } from './operation.ts';
import { checkSizes, embedData, readVectors, readWholeVectors } from './read-vectors.ts';
import { VectorRefusal } from './vector-error.ts';
import type { NamespaceRecords } from './vector-records.ts';
import { Delete, readWire, Update, Upsert, UpsertData } from './wire.ts';

const upsert = ({ index, namespace, body }: OperationCall) => {
  const items = readWire(Upsert, body);
  for (const item of items) checkSizes(item);
  const records = items.map(({ vector, sparseVector, ...rest }) => ({
    ...rest,
    ...readWholeVectors(index, { vector, sparseVector }),
  }));
  namespaceForWriting(index, namespace).put(records);
  return 'Success';
};

const upsertData = ({ index, namespace, body }: OperationCall) => {
  const items = readWire(UpsertData, body);
  for (const item of items) checkSizes(item);
  const records = items.map((item) => ({ ...item, ...embedData(index, item.data, { role: 'document' }) }));
  namespaceForWriting(index, namespace).put(records);
  return 'Success';
};

const update = ({ index, namespace, body }: OperationCall) => {
  const { metadataUpdateMode, metadata, ...change } = readWire(Update, body);
  if (index.type === 'HYBRID' && (change.vector === undefined) !== (change.sparseVector === undefined)) {
    throw new VectorRefusal(422, 'Both dense and sparse vectors must be updated together.');
  }
  const embeds = change.data !== undefined && (index.denseModel ?? index.sparseModel) !== undefined;
  const vectors =
    embeds && change.data !== undefined
      ? embedData(index, change.data, { role: 'document' })
      : readVectors(index, change);
  const records = index.namespaces.get(namespace);
  const before = records?.written.get(change.id);
  if (!records || !before) return { updated: 0 };
  const patched = metadata && metadataUpdateMode === 'PATCH' ? mergePatch(before.metadata ?? {}, metadata) : metadata;
  const after = {
    ...before,
    ...vectors,
    ...(change.data !== undefined && { data: change.data }),
    ...(patched && { metadata: patched }),
  };
  checkSizes(after);
  records.put([after]);
  return { updated: 1 };
};

const remove = ({ index, namespace, body }: OperationCall) => {
  const selectors = readWire(Delete, Array.isArray(body) ? { ids: body } : body);
  if (Object.values(selectors).filter((value) => value !== undefined).length !== 1) {
    throw new VectorRefusal(422, 'Only and only one of the ids, prefix, or filter must be provided.');
  }
  const select = selectorOf(selectors);
  const records = index.namespaces.get(namespace);
  return { deleted: records?.remove(select(records)) ?? 0 };
};

const selectorOf = ({ ids, prefix, filter }: Delete) => {
  if (ids) return () => ids;
  const tree = filter === undefined ? undefined : parseFilter(filter);
  return ({ written }: NamespaceRecords): string[] =>
    [...written.values()]
      .filter(({ id, metadata }) => (tree ? meetsFilter(metadata, tree) : id.startsWith(prefix ?? '')))
      .map(({ id }) => id);
};

export const WRITE_OPERATIONS: Record<string, Operation> = {
  upsert: { methods: ['PUT'], namespace: 'optional', writes: true, run: upsert },
  'upsert-data': { methods: ['PUT'], namespace: 'optional', writes: true, run: upsertData },
  update: { methods: ['PUT'], namespace: 'optional', writes: true, run: update },
  delete: { methods: ['DELETE'], namespace: 'optional', writes: true, run: remove },
};
