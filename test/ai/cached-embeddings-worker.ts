import type { EmbeddingProvider } from '../../src/ai/embeddings/base.ts';
import { EmbeddingCache } from '../../src/ai/embeddings/cache.ts';
import { cachedEmbeddings } from '../../src/ai/embeddings/cached-embeddings.ts';

interface Env {
  /** Where vectors come from. */
  EMBEDDINGS: string;
}

/** Outlives the requests, as in a function. */
const cache = new EmbeddingCache({});
/** Requests that came, and those whose clients have gone. */
const seen = { come: 0, gone: 0 };

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
 * out at once, and the call is left to die with the request. `GET /?seen`: how many there were.
 */
export default {
  fetch: async (
    request: Request,
    env: Env,
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> => {
    const { searchParams } = new URL(request.url);
    if (searchParams.has('seen')) return Response.json(seen);
    seen.come += 1;
    request.signal.addEventListener('abort', () => {
      seen.gone += 1;
    });
    const leaves = searchParams.has('leave');
    const provider = cachedEmbeddings(providerAt(env.EMBEDDINGS), {
      cache,
      patienceMs: 400,
      ...(!leaves && { waitUntil: (work: Promise<unknown>) => context.waitUntil(work) }),
    });
    const asked = provider.embed(searchParams.get('text') ?? '', { signal: request.signal });
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
