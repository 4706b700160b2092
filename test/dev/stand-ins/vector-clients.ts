import { Index } from '@upstash/vector';
import { Index as CloudflareIndex } from '@upstash/vector/cloudflare';
import { onTestFinished } from 'vitest';
import { startVectorServer, type VectorServerOptions } from '../../../src/dev/stand-ins/vector/vector-server.ts';

const once = { retries: 0 };

/** A server for one test, and the SDK for each of its indexes, by both entries that the SDK has. */
export const startVector = async (options: VectorServerOptions = {}) => {
  const server = await startVectorServer({ indexingDelayMs: 0, ...options });
  onTestFinished(() => server.stop());
  const clientFor = (token: string) => new Index({ url: server.url, token, retry: once });
  const index = clientFor(server.token);
  const others = server.tokens.slice(1).map(clientFor);
  const onCloudflare = CloudflareIndex.fromEnv(
    { UPSTASH_VECTOR_REST_URL: server.url, UPSTASH_VECTOR_REST_TOKEN: server.token },
    { retry: once },
  );
  return { server, index, others, onCloudflare, clientFor };
};

/** A request as no SDK sends it. */
export const post = async (
  { url, token }: { url: string; token: string },
  path: string,
  body: unknown = {},
  { method = 'POST' } = {},
) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/${path}`, { method, headers, ...(method !== 'GET' && { body: text }) });
  return { status: response.status, body: (await response.json()) as unknown };
};

/** The three documents that the vendor's own tests of hybrid indexes score. */
export const THREE_DOCUMENTS = [
  { id: 'id0', vector: [0.1, 0.2], sparseVector: { indices: [0, 1], values: [0.1, 0.2] } },
  {
    id: 'id1',
    vector: [0.2, 0.3],
    sparseVector: { indices: [1, 2], values: [0.2, 0.3] },
    metadata: { key: 'value' },
  },
  {
    id: 'id2',
    vector: [0.3, 0.4],
    sparseVector: { indices: [2, 3], values: [0.3, 0.4] },
    metadata: { key: 'value' },
    data: 'data',
  },
];
