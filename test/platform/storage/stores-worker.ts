import { durableObjectSql } from '../../../src/platform/storage/sql.ts';
import { sqlVectorIndex } from '../../../src/platform/storage/sql-vector-index.ts';

type SqlStorage = Parameters<typeof durableObjectSql>[0];

/** Vectors in the SQLite of a Durable Object: writes and compares `?count=` of them. */
export class Vectors {
  readonly #storage: SqlStorage;
  constructor({ storage }: { storage: SqlStorage }) {
    this.#storage = storage;
  }
  async fetch(request: Request): Promise<Response> {
    const count = Number(new URL(request.url).searchParams.get('count'));
    const index = sqlVectorIndex(durableObjectSql(this.#storage), {
      namespace: 'many',
      dimensions: 64,
    });
    const vectorAt = (seed: number) =>
      Array.from({ length: 64 }, (_, at) => Math.sin(seed * 64 + at + 1));
    const metadataOf = (at: number) => ({ type: at === 7 ? 'fact' : 'decision' });
    const records = Array.from({ length: count }, (_, at) => ({
      id: `v${at}`,
      vector: vectorAt(at),
    }));
    await index.upsert(records.map((record, at) => ({ ...record, metadata: metadataOf(at) })));
    const [closest] = await index.query(vectorAt(count - 1), { limit: 1 });
    const filter = [{ field: 'type', in: ['fact'] }];
    const facts = await index.query(vectorAt(0), { limit: 5, filter });
    await index.delete(records.slice(1).map(({ id }) => id));
    const { ids } = await index.list();
    await index.clear();
    return Response.json({
      closest: closest?.id,
      facts: facts.map(({ id }) => id),
      ids,
      left: await index.list(),
    });
  }
}

interface Env {
  VECTORS: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
}

export default {
  fetch: (request: Request, { VECTORS }: Env) => VECTORS.getByName('one').fetch(request),
};
