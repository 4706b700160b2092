import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { bundle } from '../../../tools/build/bundle-function.ts';
import { loopbackServer } from '../../platform/http/loopback-server.ts';
import { oneWorker } from '../../platform/storage/worker-for-test.ts';

let service: Awaited<ReturnType<typeof loopbackServer>>;
let miniflare: Miniflare;
let url: URL;
/** Texts of each received call, except those after an answer. */
let calls: string[][] = [];
/** Calls that are not answered yet, while they are held. */
let held: (() => void)[] = [];
const logged: string[] = [];

beforeAll(async () => {
  service = await loopbackServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const texts = JSON.parse(Buffer.concat(parts).toString('utf8')) as string[];
    if (texts[0] === 'after') return answer(response, texts);
    calls.push(texts);
    held.push(() => answer(response, texts));
  });
  const contents = await bundle(
    fileURLToPath(new URL('cached-embeddings-worker.ts', import.meta.url)),
  );
  miniflare = oneWorker(
    contents,
    {
      compatibilityFlags: ['enable_request_signal'],
      bindings: { EMBEDDINGS: service.url },
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0, proxy: false }],
    },
    { handleStructuredLogs: ({ message }: { message: string }) => void logged.push(message) },
  );
  await miniflare.ready;
  url = await miniflare.unsafeGetDirectURL('worker');
});
beforeEach(() => {
  calls = [];
  held = [];
  logged.length = 0;
});
afterAll(async () => {
  await miniflare?.dispose();
  await service?.close();
});

const answer = (response: ServerResponse, texts: string[]): void =>
  void response.end(JSON.stringify(texts.map((text) => [text.length, 1])));

const ask = async (text: string, { leave = false, limit = 10_000 } = {}): Promise<unknown> => {
  const address = new URL(`/?text=${text}&limit=${limit}${leave ? '&leave' : ''}`, url);
  const response = await fetch(address, { signal: AbortSignal.timeout(5000) });
  return leave ? await response.text() : await response.json();
};

const SOON = { interval: 5, timeout: 60_000 };

/** Number of received requests. */
const received = async (): Promise<number> =>
  (await (await fetch(new URL('/?received', url))).json()) as number;

const release = (): void => {
  for (const each of held.splice(0)) each();
};

it('shares a call between requests of one isolate, each of which continues with its own I/O', async () => {
  const before = await received();
  const all = [ask('shared'), ask('shared'), ask('shared')];
  await expect.poll(received, SOON).toBe(before + 3);
  await expect.poll(() => calls.length, SOON).toBe(1);
  release();
  for (const each of await Promise.all(all))
    expect(each).toMatchObject({ vector: [6, 1], after: [[5, 1]] });
  expect(calls).toEqual([['shared']]);
  expect(await ask('shared')).toMatchObject({ statistics: { misses: 1, coalesced: 2, hits: 1 } });
  expect(logged).toEqual([]);
});
it('continues a call after the request that started it has aborted and answered', async () => {
  const first = ask('abandoned', { limit: 200 });
  await expect.poll(() => calls.length, SOON).toBe(1);
  const before = await received();
  const second = ask('abandoned');
  await expect.poll(received, SOON).toBe(before + 1);
  expect(await first).toMatchObject({ error: expect.stringContaining('given up') });
  release();
  expect(await second).toMatchObject({ vector: [9, 1], after: [[5, 1]] });
  expect(calls).toEqual([['abandoned']]);
  expect(logged).toEqual([]);
});
it('starts its own call when the request that started one has ended, and the call with it', async () => {
  expect(await ask('dead', { leave: true })).toBe('left');
  // The runtime may or may not still send the first call.
  const second = ask('dead');
  const isAnswered = second.then(() => true);
  const poll = () => {
    release();
    return Promise.race([isAnswered, Promise.resolve(false)]);
  };
  await expect.poll(poll, SOON).toBe(true);
  expect(await second).toMatchObject({ vector: [4, 1], after: [[5, 1]] });
  expect(logged).toEqual([]);
});
