import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { createTestHarness } from 'wrangler';
import { type SyncReport, SyncStatus } from '../../../src/contract/sync.ts';
import { ROOT } from '../../../src/dev/functions.ts';
import { signedClient } from '../../../src/runtime/signed-client.ts';
import { openEdition } from '../../../src/search/open-edition.ts';
import { identityFrom } from '../../../src/signing/identity.ts';
import { originate } from '../../../src/signing/request-context.ts';
import { EditionManifest } from '../../../src/storage/edition-storage.ts';

export const DEVELOPMENT = { ENVIRONMENT: 'development' };

/** A local host of articles. */
export const serveHost = async (listener: (request: IncomingMessage, response: ServerResponse) => void) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${address}/api/kb/articles`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, variables: { ...DEVELOPMENT, KB_URL: url, KB_ALLOWED_HOSTS: address }, stop };
};

/** The library and the sources function in workerd. */
export const startLibrary = async (vars: Record<string, string>, sources: Record<string, string> = {}) => {
  const harness = createTestHarness({
    root: ROOT,
    workers: [
      { configPath: 'functions/library/wrangler.toml', vars },
      { configPath: 'functions/sources/wrangler.toml', vars: { ...DEVELOPMENT, ...sources } },
    ],
  });
  await harness.listen();
  return harness;
};

/** Sends a request to a function: `getWorker().fetch` of a harness, `dispatchFetch` of Miniflare. */
type Send = (url: string, init: { method: string; headers: Record<string, string>; body?: ArrayBuffer }) => unknown;

export interface Call {
  body?: unknown;
  workspace?: string | undefined;
  capabilities?: readonly string[];
  self?: 'gateway' | 'library';
  to?: 'library' | 'sources';
}

/** Calls the library as the gateway does, or the sources function as the library does. */
export const callerOf =
  (sendTo: (to: 'library' | 'sources') => Send) =>
  async (route: string, { body, workspace = 'default', self = 'gateway', to = 'library', ...more }: Call = {}) => {
    const [method = 'GET', path = '/'] = route.split(' ');
    const target = {
      fetch: async (request: Request) => {
        const init = { method: request.method, headers: Object.fromEntries(request.headers) };
        const bytes = await request.arrayBuffer();
        // The runtimes have a Response of their own, with the same members.
        return (await sendTo(to)(request.url, bytes.byteLength > 0 ? { ...init, body: bytes } : init)) as Response;
      },
    };
    const client = signedClient({ ...(await identityFrom(DEVELOPMENT, self)), targets: { [to]: target } });
    const { capabilities = ['kb:read', 'kb:write'] } = more;
    const subject = self === 'gateway' ? 'user:test' : `svc:${self}`;
    const origin = { self, subject, authentication: 'none', workspace, capabilities, now: Date.now() };
    const answer = await client.call(originate(origin), { to, method, path, body });
    if (!answer.ok) throw new Error(answer.error.message);
    const isJson = answer.body.length > 0 && answer.contentType.includes('json');
    return { ...answer, json: isJson ? answer.json() : undefined };
  };

/** Common calls of the library. */
export const libraryBy = (call: ReturnType<typeof callerOf>) => {
  const status = async (workspace?: string) => SyncStatus.parse((await call('GET /v1/sync', { workspace })).json);
  const untilIdle = async (workspace?: string): Promise<SyncReport> => {
    await expect.poll(async () => (await status(workspace)).state, { timeout: 20_000, interval: 20 }).toBe('idle');
    const { last_report } = await status(workspace);
    if (last_report === null) throw new Error('There is no report');
    return last_report;
  };
  return {
    ...{ call, status, untilIdle },
    sync: async (request: { full?: boolean; force?: boolean } = { full: true }, workspace?: string) => {
      const { json, status: code } = await call('POST /v1/sync', { body: request, workspace });
      expect([code, json]).toMatchObject([202, { started: true }]);
      return untilIdle(workspace);
    },
    /** The current edition, as a reader loads it. */
    edition: async (workspace?: string) => {
      const { edition, parts } = EditionManifest.parse((await call('GET /editions/current', { workspace })).json);
      const bytes = await Promise.all(
        parts.map(async (_, part) => (await call(`GET /editions/${edition}/parts/${part}`, { workspace })).body),
      );
      return openEdition(Buffer.concat(bytes));
    },
  };
};
