import { afterAll, beforeAll } from 'vitest';
import { type LocalServer, startLocalServer } from '../../../src/dev/stand-ins/server/local-server.ts';

type Handle = Parameters<typeof startLocalServer>[0]['handle'];

/** A server that runs during the tests of a `describe`. */
export const serverForTest = (handle: Handle): (() => LocalServer) => {
  let server: LocalServer;
  beforeAll(async () => {
    server = await startLocalServer({ handle, refusal: () => ({}) });
  });
  afterAll(() => server.stop());
  return () => server;
};
