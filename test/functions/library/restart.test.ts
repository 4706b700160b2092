import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';
import { SyncStatus } from '../../../src/contract/sync.ts';
import { bundleModules } from '../../../src/dev/run/local-cloud.ts';
import { signedClient } from '../../../src/runtime/signed-client.ts';
import { identityFrom } from '../../../src/signing/identity.ts';
import { originate } from '../../../src/signing/request-context.ts';
import { hostArticle } from '../../knowledge/library/library-for-test.ts';

const CONFIG = fileURLToPath(new URL('../../../functions/library/wrangler.toml', import.meta.url));

let state: string;
let host: Server;
let held: (() => void) | undefined;
/** Pages after the first are not answered while this is set. */
let holds = true;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'library-'));
  host = createServer((request, response) => {
    const isSecond = request.url?.includes('cursor=2');
    if (isSecond && holds) return void held?.();
    const articles = isSecond ? [hostArticle('b.md', 'Second page.')] : [hostArticle('a.md', 'First page.')];
    const page = { articles, total: 2, ...(isSecond ? {} : { next_cursor: '2' }) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  host.closeAllConnections();
  host.close();
  await rm(state, { recursive: true, force: true });
});

const start = async (): Promise<Miniflare> => {
  const address = `127.0.0.1:${(host.address() as AddressInfo).port}`;
  const { workerOptions, main = '' } = unstable_getMiniflareWorkerOptions(unstable_readConfig({ config: CONFIG }));
  const vars = { ENVIRONMENT: 'development', KB_URL: `http://${address}/api/kb/articles`, KB_ALLOWED_HOSTS: address };
  const worker = {
    ...workerOptions,
    name: 'constellation-library',
    serviceBindings: {}, // Helpdesk tools, of which there are none here.
    bindings: { ...(workerOptions.bindings ?? {}), ...vars },
    modules: await bundleModules(main),
  };
  const log = new Log(LogLevel.NONE);
  const handleStructuredLogs = () => {};
  return new Miniflare(
    convertV4MiniflareOptions({ log, handleStructuredLogs, resourcePersistencePath: state, workers: [worker] }),
  );
};

const call = async (miniflare: Miniflare, method: string, body?: object): Promise<unknown> => {
  const identity = await identityFrom({ ENVIRONMENT: 'development' }, 'gateway');
  const library = {
    fetch: async (request: Request) => {
      const init = { method: request.method, headers: Object.fromEntries(request.headers) };
      const text = await request.text();
      return (await miniflare.dispatchFetch(
        request.url,
        text === '' ? init : { ...init, body: text },
      )) as unknown as Response;
    },
  };
  const capabilities = ['kb:read', 'kb:write'];
  const origin = { self: 'gateway', subject: 'user:test', authentication: 'key', workspace: 'default', capabilities };
  const client = signedClient({ ...identity, targets: { library } });
  const answer = await client.call(originate({ ...origin, now: Date.now() }), {
    to: 'library',
    method,
    path: '/v1/sync',
    body,
  });
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.json();
};

describe('a library that stops in the middle of a sync', () => {
  it('goes on where it was when it starts again, without being asked to', async () => {
    const asked = new Promise<void>((resolve) => {
      held = resolve;
    });
    const first = await start();
    await call(first, 'POST', { full: true });
    await asked;
    const before = SyncStatus.parse(await call(first, 'GET'));
    await first.dispose();
    holds = false;

    const second = await start();
    try {
      const ended = await expect.poll(async () => SyncStatus.parse(await call(second, 'GET')), { timeout: 15_000 });
      await ended.toMatchObject({
        ...{ state: 'idle', articles: 2 },
        last_report: { run_id: before.progress?.run_id, outcome: 'published', added: 2 },
      });
    } finally {
      await second.dispose();
    }
  }, 60_000);
});
