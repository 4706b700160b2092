import type { EmbeddingProvider } from '../../../src/ai/embeddings/base.ts';
import { EmbeddingCache } from '../../../src/ai/embeddings/cache.ts';
import { cachedEmbeddings } from '../../../src/ai/embeddings/cached-embeddings.ts';

interface Env {
  /** Where vectors come from. */
  EMBEDDINGS: string;
}

/** Outlives the requests, as in a function. */
const cache = new EmbeddingCache({});
/** Number of received requests. */
let come = 0;

/** A provider with I/O of the request that makes it. */
const providerAt = (url: string): EmbeddingProvider => {
  const embedBatch: EmbeddingProvider['embedBatch'] = async (texts, { signal } = {}) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(texts), signal: signal ?? null });
    return (await response.json()) as number[][];
  };
  return {
    model: 'test-model',
    dimensions: 2,
    embed: async (text, options) => (await embedBatch([text], options))[0] ?? [],
    embedBatch,
  };
};

/**
 * `GET /?text=…`: its vector, and what a request of its own to the same place gives afterwards. With `leave` the answer goes
 * out at once, and the call is left to die with the request; with `limit` it gives up after so many milliseconds.
 * `GET /?come`: how many requests there were.
 */
export default {
  fetch: async (
    request: Request,
    env: Env,
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> => {
    const { searchParams } = new URL(request.url);
    if (searchParams.has('come')) return Response.json(come);
    come += 1;
    const leaves = searchParams.has('leave');
    const provider = cachedEmbeddings(providerAt(env.EMBEDDINGS), {
      cache,
      maxSharedWaitMs: 400,
      ...(!leaves && { waitUntil: (work: Promise<unknown>) => context.waitUntil(work) }),
    });
    const signal = AbortSignal.timeout(Number(searchParams.get('limit') ?? 10_000));
    const asked = provider.embed(searchParams.get('text') ?? '', { signal });
    if (leaves) {
      asked.catch(() => undefined);
      return new Response('left');
    }
    try {
      const vector = await asked;
      const after = await fetch(env.EMBEDDINGS, { method: 'POST', body: '["after"]' });
      return Response.json({ vector, after: await after.json(), statistics: provider.statistics() });
    } catch (error) {
      return Response.json({ error: String(error) }, { status: 500 });
    }
  },
};
