import { join } from 'node:path';
import { ROOT } from '../../tools/functions.ts';
import { type Product, startProduct } from '../../tools/run/product.ts';
import type { Plan } from '../../tools/run/relays/index.ts';
import { relayIds, relayWorkers } from '../../tools/run/relays/relay-workers.ts';
import { percentilesOf, singleClient } from './single-client.ts';

const RELAYS = 8;
const ROUNDS = 1500;
const WARM_UP = 300;
const SLOW_MS = 20;

/** Measures delegation with one client in workerd: signed hops, a long chain, a fan-out. */
export async function benchDelegation(): Promise<void> {
  const relays = relayWorkers(RELAYS);
  const door = {
    name: 'bench-door',
    main: join(ROOT, 'research/bench/functions/door.ts'),
    services: relays.services,
  };
  const product = await startProduct({
    kb: 'sample',
    port: 0,
    moreWorkers: [door, ...relays.workers],
    moreServices: { 'constellation-gateway': relays.services },
    allVars: relays.vars,
  });
  try {
    await benchHop(product);
    await benchWays(product);
  } finally {
    await product.stop();
  }
}

/** The same call over one service binding, alternately with and without signatures. */
const benchHop = async (product: Product): Promise<void> => {
  const door = await product.miniflare.unsafeGetDirectURL('bench-door');
  const body = JSON.stringify({ query: 'Where is the key?', metadata: { plan: {} } });
  const ways = { unsigned: new URL('/unsigned', door), signed: new URL('/signed', door) };
  const times = await inTurns({ 'content-type': 'application/json' }, [
    { url: ways.unsigned, body: JSON.stringify({ plan: {} }) },
    { url: ways.signed, body },
  ]);
  const [unsigned, signed] = times.map(percentilesOf);
  const added = (signed?.p50 ?? 0) - (unsigned?.p50 ?? 0);
  console.log('One hop over a service binding, one client, milliseconds');
  console.table([
    { hop: 'unsigned', ...rounded(unsigned) },
    { hop: 'signed context, receipt, validation, log', ...rounded(signed) },
  ]);
  console.log(`A signed hop adds ${added.toFixed(2)} ms at p50 (goal: 1 ms)\n`);
};

/** Questions to the gateway with longer chains. */
const benchWays = async (product: Product): Promise<void> => {
  const url = new URL('/v1/ask', product.url);
  const [first = '', ...others] = relayIds(RELAYS);
  const fan = (plan: Plan, count: number): Plan => ({
    delegates: others.slice(0, count).map((to) => ({ to, plan })),
  });
  const slow: Plan = { waitMs: SLOW_MS };
  const plans: Record<string, Plan> = {
    'one hop': {},
    'two hops': fan({}, 1),
    'a chain of 8 hops': { via: others },
    'a fan-out of 4': fan({}, 4),
    [`two hops, the last takes ${SLOW_MS} ms`]: fan(slow, 1),
    [`a fan-out of 4 that take ${SLOW_MS} ms each`]: fan(slow, 4),
  };
  const bodies = Object.values(plans).map((plan) => ({
    url,
    body: JSON.stringify({ query: 'Where is the key?', librarian: first, metadata: { plan } }),
  }));
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${product.key}` };
  const times = (await inTurns(headers, bodies)).map(percentilesOf);
  console.log('POST /v1/ask through relays, one client, milliseconds');
  console.table(Object.keys(plans).map((way, index) => ({ way, ...rounded(times[index]) })));
  const [, two, chain, four, slowTwo, slowFour] = times.map(({ p50 }) => p50);
  console.log(`A chain of 8 hops: p50 ${chain?.toFixed(2)} ms (goal: 20 ms)`);
  for (const [single = 0, fanned = 0] of [
    [two, four],
    [slowTwo, slowFour],
  ]) {
    console.log(
      `A fan-out of 4: ${fanned.toFixed(2)} ms against one branch's ${single.toFixed(2)} ms (goal: ${(1.5 * single + 5).toFixed(2)} ms)`,
    );
  }
  console.log();
};

/** Sends the requests in rotation, so that other load on the machine affects all equally. */
const inTurns = async (
  headers: Record<string, string>,
  requests: readonly { url: URL; body: string }[],
): Promise<number[][]> => {
  const client = singleClient(headers);
  const times = requests.map((): number[] => []);
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    for (const [index, { url, body }] of requests.entries()) {
      const time = await client.post(url, body);
      if (round >= WARM_UP) times[index]?.push(time);
    }
  }
  client.close();
  return times;
};

const rounded = ({ p50, p99 } = { p50: 0, p99: 0 }) => ({
  p50: p50.toFixed(2),
  p99: p99.toFixed(2),
});
