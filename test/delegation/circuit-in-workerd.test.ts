import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Librarian } from '../../src/contract/librarian.ts';
import { bundle } from '../../src/dev/build/bundle-function.ts';
import { serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { identityOf } from '../signing/callers.ts';

let miniflare: Miniflare;
let behaves: Librarian;
let requests = 0;

beforeAll(async () => {
  const contents = await bundle(fileURLToPath(new URL('caller-in-workerd.ts', import.meta.url)));
  const info = { id: 'navigator', name: 'Navigator' };
  const navigator = serveLibrarian((...call) => behaves(...call), info, {
    ...(await identityOf('navigator')),
    log: () => undefined,
  });
  const fetchNavigator = async (request: Request) => {
    requests += 1;
    const { url, method, headers } = request;
    return navigator.fetch(new Request(url, { method, headers: [...headers], body: await request.text() }));
  };
  const worker = {
    ...{ name: 'asking', compatibilityDate: '2026-11-01' },
    modules: [{ type: 'ESModule' as const, path: 'index.mjs', contents }],
    // Miniflare's fetch and Node's have different types.
    serviceBindings: { NAVIGATOR: fetchNavigator as never },
  };
  miniflare = new Miniflare(convertV4MiniflareOptions({ telemetry: { enabled: false }, workers: [worker] }));
});

afterAll(() => miniflare.dispose());

const ask = async (signal?: AbortSignal) => {
  const response = await miniflare.dispatchFetch('http://localhost/', signal === undefined ? {} : { signal });
  return (await response.json()) as { code: string; attempts: number };
};

const works: Librarian = async () => ({ answer: 'x' });
const fails: Librarian = async () => ({ error: { code: 'INTERNAL_ERROR', message: 'It is broken' } });

/** Opens the circuit, so that the next call is a probe. */
const openCircuit = async () => {
  behaves = fails;
  await expect.poll(async () => (await ask()).attempts, { interval: 1, timeout: 5000 }).toBe(0);
};

/** A probe that has reached the navigator and waits there. */
const startProbe = async (signal?: AbortSignal) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  behaves = async () => {
    arrived.resolve();
    await promise;
    return { answer: 'x' };
  };
  let probe = ask(signal);
  while ((await Promise.race([probe, arrived.promise])) !== undefined) probe = ask(signal);
  return { probe, release: resolve };
};

beforeEach(async () => {
  behaves = works;
  await expect.poll(async () => (await ask()).code, { interval: 5, timeout: 15_000 }).toBe('answer');
});

describe('a circuit in workerd', () => {
  it('answers concurrent requests immediately during a probe, and none hangs', async () => {
    await openCircuit();
    const { probe, release } = await startProbe();
    const before = requests;
    const others = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(others).toEqual(Array(20).fill({ code: 'SERVICE_UNAVAILABLE', attempts: 0 }));
    expect(requests).toBe(before);
    release();
    expect(await probe).toEqual({ code: 'answer', attempts: 1 });
    expect(await ask()).toEqual({ code: 'answer', attempts: 1 });
  });

  it('recovers when the caller of the probe disconnects', async () => {
    await openCircuit();
    const controller = new AbortController();
    const { probe, release } = await startProbe(controller.signal);
    controller.abort();
    await probe.catch(() => undefined);
    behaves = works;
    await expect.poll(async () => (await ask()).code, { interval: 50, timeout: 15_000 }).toBe('answer');
    release();
  });
});
