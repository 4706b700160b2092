import { Index } from '@upstash/vector';
import { onTestFinished } from 'vitest';
import { startVectorServer, type VectorServerOptions } from '../../../src/dev/stand-ins/vector/vector-server.ts';

/** A server for one test, of two dimensions by default, and the official client of its first index. */
export const startVector = async (options: VectorServerOptions = {}) => {
  const server = await startVectorServer({ indexes: [{ dimension: 2 }], indexingDelayMs: 0, ...options });
  onTestFinished(() => server.stop());
  const clientFor = (token: string, more: object = {}) =>
    new Index({ url: server.url, token, retry: { retries: 0 }, ...more });
  return { server, index: clientFor(server.token), clientFor };
};
