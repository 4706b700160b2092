import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { ROOT } from './functions.ts';
import { startProduct } from './product.ts';

const SECONDS = 8;
const CLIENTS = 50;
const WARM_UP_SECONDS = 3;

/**
 * `/v1/ask` end to end in workerd (gateway, signed hop, navigator, receipt), on the gateway's own socket, against an
 * empty Hono function behind one service binding in the same run.
 */
export const benchHttp = async (): Promise<void> => {
  const product = await startProduct({
    kb: 'sample',
    port: 0,
    moreConfigs: ['front', 'empty'].map((name) => join(ROOT, `src/dev/bench-functions/${name}/wrangler.toml`)),
  });
  try {
    await product.sync({ full: true });
    const front = await product.miniflare.unsafeGetDirectURL('bench-front');
    const ask = { url: new URL('/v1/ask', product.url).href, key: product.key };
    const empty = { url: front.href, key: product.key };
    await load(ask, CLIENTS, WARM_UP_SECONDS);
    const floor = await load(empty, CLIENTS, SECONDS);
    const many = await load(ask, CLIENTS, SECONDS);
    const one = await load(ask, 1, SECONDS);
    const floorAgain = await load(empty, CLIENTS, SECONDS);
    const floorRate = (floor.requests.average + floorAgain.requests.average) / 2;
    console.log('POST /v1/ask in workerd: gateway, signed hop, navigator, receipt');
    console.table([
      row('empty function behind one hop, 50 clients', floor),
      row('/v1/ask, 50 clients', many),
      row('/v1/ask, 1 client', one),
      row('empty function again', floorAgain),
    ]);
    console.log(
      `/v1/ask reaches ${((100 * many.requests.average) / floorRate).toFixed(0)} % of the empty function (goal 20 %)\n`,
    );
  } finally {
    await product.stop();
  }
};

const load = async ({ url, key }: { url: string; key: string }, connections: number, duration: number) =>
  autocannon({
    url,
    connections,
    duration,
    workers: 1,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    requests: questions().map((query) => ({ body: JSON.stringify({ query }) })),
  });

const row = (what: string, { requests, latency, non2xx, errors }: autocannon.Result) => ({
  what,
  'requests/s': Math.round(requests.average),
  'p50 ms': latency.p50,
  'p99 ms': latency.p99,
  'max ms': latency.max,
  failed: non2xx + errors,
});

const questions = (): string[] => {
  const file = join(ROOT, 'src/dev/sample-questions.json');
  const labelled = JSON.parse(readFileSync(file, 'utf8')) as { question: string }[];
  return labelled.map(({ question }) => question);
};
