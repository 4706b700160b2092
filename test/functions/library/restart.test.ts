import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { expect, it } from 'vitest';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';
import { bundleModules } from '../../../src/dev/build/bundle-function.ts';
import { ROOT } from '../../../src/dev/functions.ts';
import { hostArticle } from '../../knowledge/library/library-for-test.ts';
import { callerOf, libraryBy, serveHost } from './served-library.ts';

const CONFIG = join(ROOT, 'functions/library/wrangler.toml');

const start = async (vars: Record<string, string>, state: string): Promise<Miniflare> => {
  const { workerOptions, main = '' } = unstable_getMiniflareWorkerOptions(unstable_readConfig({ config: CONFIG }));
  const worker = {
    ...workerOptions,
    name: 'constellation-library',
    serviceBindings: {}, // Helpdesk tools, of which there are none here.
    bindings: { ...(workerOptions.bindings ?? {}), ...vars },
    modules: await bundleModules(main),
  };
  const quiet = { log: new Log(LogLevel.NONE), handleStructuredLogs: () => {} };
  return new Miniflare(convertV4MiniflareOptions({ ...quiet, resourcePersistencePath: state, workers: [worker] }));
};

const libraryIn = (miniflare: Miniflare) =>
  libraryBy(callerOf(() => (url, init) => miniflare.dispatchFetch(url, init)));

it('a library that stops in the middle of a sync continues it after a restart', async () => {
  const state = await mkdtemp(join(tmpdir(), 'library-'));
  const { promise: asked, resolve: onSecondPage } = Promise.withResolvers<void>();
  let holds = true;
  const host = await serveHost((request, response) => {
    const isSecond = request.url?.includes('cursor=2');
    if (isSecond && holds) return onSecondPage();
    const articles = isSecond ? [hostArticle('b.md', 'Second page.')] : [hostArticle('a.md', 'First page.')];
    const page = { articles, total: 2, ...(isSecond ? {} : { next_cursor: '2' }) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
  });
  const first = await start(host.variables, state);
  let second: Miniflare | undefined;
  try {
    await libraryIn(first).call('POST /v1/sync', { body: { full: true } });
    await asked;
    const { progress } = await libraryIn(first).status();
    await first.dispose();
    holds = false;
    second = await start(host.variables, state);
    const { status } = libraryIn(second);
    await expect
      .poll(() => status(), { timeout: 15_000 })
      .toMatchObject({
        ...{ state: 'idle', articles: 2 },
        last_report: { run_id: progress?.run_id, outcome: 'published', added: 2 },
      });
  } finally {
    await second?.dispose();
    host.stop();
    await rm(state, { recursive: true, force: true });
  }
});
