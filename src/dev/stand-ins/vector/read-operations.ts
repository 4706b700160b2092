import { shortestFloat32 } from './float32.ts';
import type { Operation, OperationCall } from './operation.ts';
import { showVector } from './show-vector.ts';
import { VectorRefusal } from './vector-error.ts';
import { Fetch, MAX_VECTORS, Range, readWire } from './wire.ts';

const fetchVectors = ({ index, namespace, body }: OperationCall) => {
  const { ids, prefix, ...include } = readWire(Fetch, Array.isArray(body) ? { ids: body } : body);
  if ((ids === undefined) === (prefix === undefined)) {
    throw new VectorRefusal(422, 'Only one of ids or prefix must be provided.');
  }
  const written = index.namespaces.get(namespace)?.written;
  if (ids) {
    return ids.map((id) => {
      const record = written?.get(id);
      return record ? showVector(record, include) : null;
    });
  }
  const found = [...(written?.values() ?? [])].filter(({ id }) => id.startsWith(prefix ?? ''));
  return found.slice(0, MAX_VECTORS).map((record) => showVector(record, include));
};

/** A cursor is the place after the last vector of the page, counted over the whole namespace. */
const range = ({ index, namespace, body }: OperationCall) => {
  const { cursor, limit, prefix = '', ...include } = readWire(Range, body);
  if (!/^\d{0,15}$/.test(cursor)) throw new VectorRefusal(400, 'Invalid cursor');
  const all = [...(index.namespaces.get(namespace)?.written.values() ?? [])];
  const page: (typeof all)[number][] = [];
  let at = Number(cursor);
  for (; at < all.length && page.length < limit; at++) {
    const record = all[at];
    if (record?.id.startsWith(prefix)) page.push(record);
  }
  const isLast = !all.slice(at).some(({ id }) => id.startsWith(prefix));
  return { nextCursor: isLast ? '' : String(at), vectors: page.map((record) => showVector(record, include)) };
};

const random = ({ index, namespace }: OperationCall) => {
  const all = [...(index.namespaces.get(namespace)?.indexed().values() ?? [])];
  const record = all[Math.floor(Math.random() * all.length)];
  return record ? { id: record.id, vector: Array.from(record.vector ?? [], shortestFloat32) } : null;
};

export const READ_OPERATIONS: Record<string, Operation> = {
  fetch: { methods: ['GET'], namespace: 'optional', writes: false, run: fetchVectors },
  range: { methods: ['GET'], namespace: 'optional', writes: false, run: range },
  random: { methods: ['GET'], namespace: 'optional', writes: false, run: random },
};
