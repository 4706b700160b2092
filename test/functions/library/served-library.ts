import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { type SyncReport, SyncStatus } from '../../../src/contract/wire/sync.ts';
import { openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { identityFrom } from '../../../src/platform/context/identity.ts';
import { originate } from '../../../src/platform/context/request-context.ts';
import { signedClient } from '../../../src/platform/context/signed-client.ts';
import { EditionManifest } from '../../../src/platform/storage/edition-storage.ts';
import { type LocalCloud, startLocalCloud } from '../../../tools/run/local-cloud.ts';

export const DEVELOPMENT = { ENVIRONMENT: 'development' };

/** A local host of articles. */
export async function serveHost(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${address}/api/kb/articles`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, variables: { ...DEVELOPMENT, KB_URL: url, KB_ALLOWED_HOSTS: address }, stop };
}

/** The library and the sources function in workerd. */
export function startLibrary(
  vars: Record<string, string>,
  { sources = {}, state }: { sources?: Record<string, string>; state?: string } = {},
): Promise<LocalCloud> {
  return startLocalCloud({
    port: 0,
    state,
    functions: ['library', 'sources'],
    vars: { 'constellation-library': vars, 'constellation-sources': sources },
  });
}

export interface Call {
  body?: unknown;
  workspace?: string | undefined;
  capabilities?: readonly string[];
  audiences?: readonly string[];
  self?: 'gateway' | 'library';
  to?: 'library' | 'sources';
}

/** Calls the library as the gateway does, or the sources function as the library does. */
const callerOf =
  (cloudOf: () => LocalCloud) =>
  async (
    route: string,
    { body, workspace = 'default', self = 'gateway', to = 'library', ...more }: Call = {},
  ) => {
    const [method = 'GET', path = '/'] = route.split(' ');
    const target = {
      fetch: async (request: Request) => {
        const init = { method: request.method, headers: Object.fromEntries(request.headers) };
        const bytes = await request.arrayBuffer();
        const worker = await cloudOf().miniflare.getWorker(`constellation-${to}`);
        // Miniflare has a Response of its own, with the same members.
        return (await worker.fetch(
          request.url,
          bytes.byteLength > 0 ? { ...init, body: bytes } : init,
        )) as unknown as Response;
      },
    };
    const client = signedClient({
      ...(await identityFrom(DEVELOPMENT, self)),
      targets: { [to]: target },
    });
    const { capabilities = ['kb:read', 'kb:write'], audiences = [] } = more;
    const subject = self === 'gateway' ? 'user:test' : `svc:${self}`;
    const origin = {
      self,
      subject,
      authentication: 'none',
      workspace,
      capabilities,
      audiences,
      now: Date.now(),
    };
    const answer = await client.call(originate(origin), { to, method, path, body });
    if (!answer.ok) throw new Error(answer.error.message);
    const isJson = answer.body.length > 0 && answer.contentType.includes('json');
    return { ...answer, json: isJson ? answer.json() : undefined };
  };

/** Calls of a library. */
export function libraryIn(cloudOf: () => LocalCloud) {
  const call = callerOf(cloudOf);
  /** As who may read every article. */
  const status = async (workspace?: string) =>
    SyncStatus.parse((await call('GET /v1/sync', { workspace, audiences: ['*'] })).json);
  const untilIdle = async (workspace?: string): Promise<SyncReport> => {
    await expect
      .poll(async () => (await status(workspace)).state, { timeout: 60_000, interval: 20 })
      .toBe('idle');
    const { last_report } = await status(workspace);
    if (last_report === null) throw new Error('There is no report');
    return last_report;
  };
  return {
    call,
    status,
    untilIdle,
    sync: async (
      request: { full?: boolean; force?: boolean } = { full: true },
      workspace?: string,
    ) => {
      const { json, status: code } = await call('POST /v1/sync', { body: request, workspace });
      expect([code, json]).toMatchObject([202, { started: true }]);
      return untilIdle(workspace);
    },
    /** The current edition, as a reader loads it. */
    edition: async (workspace?: string) => {
      const { edition, parts } = EditionManifest.parse(
        (await call('GET /editions/current', { workspace })).json,
      );
      const bytes = await Promise.all(
        parts.map(
          async (_, part) =>
            (await call(`GET /editions/${edition}/parts/${part}`, { workspace })).body,
        ),
      );
      return openEdition(Buffer.concat(bytes));
    },
  };
}
