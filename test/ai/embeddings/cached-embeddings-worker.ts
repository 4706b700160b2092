import type { EmbeddingProvider } from '../../../src/ai/embeddings/base.ts';
import { cachedEmbeddings, EmbeddingCache } from '../../../src/ai/embeddings/cached-embeddings.ts';

interface Env {
  /** The server of vectors. */
  EMBEDDINGS: string;
}

/** Outlives the requests, as in a function. */
const cache = new EmbeddingCache({});
/** Number of received requests. */
let received = 0;

/** A provider that uses the I/O of the request that creates it. */
const providerAt = (url: string): EmbeddingProvider => {
  const embedBatch: EmbeddingProvider['embedBatch'] = async (texts, { signal } = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(texts),
      signal: signal ?? null,
    });
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
 * `GET /?text=…`: its vector, and the result of a further request to the same server. With `leave` it answers at once
 * and the call ends with the request; with `limit` it aborts after that many milliseconds.
 * `GET /?received`: the number of requests.
 */
export default {
  fetch: async (
    request: Request,
    env: Env,
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> => {
    const { searchParams } = new URL(request.url);
    if (searchParams.has('received')) return Response.json(received);
    received += 1;
    const leaves = searchParams.has('leave');
    const provider = cachedEmbeddings(providerAt(env.EMBEDDINGS), {
      cache,
      maxSharedWaitMs: 400,
      ...(!leaves && { waitUntil: (work: Promise<unknown>) => context.waitUntil(work) }),
    });
    const signal = AbortSignal.timeout(Number(searchParams.get('limit') ?? 10_000));
    const pending = provider.embed(searchParams.get('text') ?? '', { signal });
    if (leaves) {
      pending.catch(() => undefined);
      return new Response('left');
    }
    try {
      const vector = await pending;
      const after = await fetch(env.EMBEDDINGS, { method: 'POST', body: '["after"]' });
      return Response.json({
        vector,
        after: await after.json(),
        statistics: provider.statistics(),
      });
    } catch (error) {
      return Response.json({ error: String(error) }, { status: 500 });
    }
  },
};
