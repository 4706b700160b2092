import { fileURLToPath } from 'node:url';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Librarian } from '../../../src/contract/core/librarian.ts';
import { serveLibrarian } from '../../../src/librarians/serve/serve-librarian.ts';
import { bundle } from '../../../tools/build/bundle-function.ts';
import { identityOf } from '../../platform/context/callers.ts';
import { oneWorker } from '../../platform/storage/worker-for-test.ts';
import { fails, says } from './network.ts';

let miniflare: Miniflare;
let behaves: Librarian;
let requests = 0;

beforeAll(async () => {
  const options = { ...(await identityOf('navigator')), log: () => undefined };
  const info = { id: 'navigator', name: 'Navigator' };
  const navigator = serveLibrarian((...call) => behaves(...call), info, options);
  const NAVIGATOR = async (request: Request) => {
    requests += 1;
    const { url, method, headers } = request;
    return navigator.fetch(
      new Request(url, { method, headers: [...headers], body: await request.text() }),
    );
  };
  const caller = await bundle(fileURLToPath(new URL('caller-in-workerd.ts', import.meta.url)));
  miniflare = oneWorker(caller, { serviceBindings: { NAVIGATOR } });
});
afterAll(() => miniflare?.dispose());

const ask = async (signal?: AbortSignal) => {
  const response = await miniflare.dispatchFetch(
    'http://localhost/',
    signal === undefined ? {} : { signal },
  );
  return (await response.json()) as { code: string; attempts: number };
};
const untilAnswered = () =>
  expect.poll(async () => (await ask()).code, { interval: 5, timeout: 60_000 }).toBe('answer');

/** A probe that has reached the navigator and waits there: the circuit is open. */
const startProbe = async (signal?: AbortSignal) => {
  behaves = fails('INTERNAL_ERROR');
  await expect.poll(async () => (await ask()).attempts, { interval: 1, timeout: 60_000 }).toBe(0);
  const released = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  behaves = async () => {
    arrived.resolve();
    await released.promise;
    return { answer: 'x' };
  };
  let probe = ask(signal);
  while ((await Promise.race([probe, arrived.promise])) !== undefined) probe = ask(signal);
  return { probe, release: released.resolve };
};

beforeEach(async () => {
  behaves = says('x');
  await untilAnswered();
});
it('answers concurrent requests immediately during a probe, and none hangs', async () => {
  const { probe, release } = await startProbe();
  const before = requests;
  const others = await Promise.all(Array.from({ length: 20 }, () => ask()));
  expect(others).toEqual(Array(20).fill({ code: 'SERVICE_UNAVAILABLE', attempts: 0 }));
  expect(requests).toBe(before);
  release();
  for (const answer of [await probe, await ask()])
    expect(answer).toEqual({ code: 'answer', attempts: 1 });
});
it('recovers when the caller of the probe disconnects', async () => {
  const controller = new AbortController();
  const { probe, release } = await startProbe(controller.signal);
  controller.abort();
  await probe.catch(() => undefined);
  behaves = says('x');
  await untilAnswered();
  release();
});
