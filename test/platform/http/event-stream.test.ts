import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  eventStream,
  readEvents,
  type SendEvent,
  tapStream,
} from '../../../src/platform/http/event-stream.ts';

const MIB = 2 ** 20;
afterEach(() => void vi.useRealTimers());

/** A stream and its sender. */
const opened = () => {
  const done = Promise.withResolvers<void>();
  let send: SendEvent = () => false;
  let closed: AbortSignal | undefined;
  const response = eventStream(async (sender, signal) => {
    [send, closed] = [sender, signal];
    await done.promise;
  });
  return {
    response,
    send: (name: string, data: string) => send(name, data),
    closed: () => closed,
    end: done.resolve,
  };
};

describe('eventStream()', () => {
  it('buffers up to 4 MiB for a reader that stops reading, then ends without it', async () => {
    const { response, send, end } = opened();
    const event = 'x'.repeat(MIB / 4);
    let taken = 0;
    while (taken < 100 && send('statement', event)) taken += 1;
    expect(taken).toBe(15);
    end();
    expect((await response.arrayBuffer()).byteLength).toBeLessThanOrEqual(4 * MIB);
  });
  it('aborts its producer when the reader closes it, and accepts no more events', async () => {
    const { response, send, closed } = opened();
    const reader = response.body?.getReader();
    send('searching', '{}');
    await reader?.read();
    await reader?.cancel();
    expect(closed()?.aborted).toBe(true);
    expect(send('statement', '{}')).toBe(false);
  });
  it('sends its first event at once, and later ones together: after two milliseconds, or when it ends', async () => {
    vi.useFakeTimers();
    const { response, send, end } = opened();
    const pieces: string[] = [];
    const reading = response.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeTo(new WritableStream({ write: (piece) => void pieces.push(piece) }));
    const sent: [name: string, passingMs: number][] = [
      ['routing', 0],
      ['searching', 1],
      ['passages', 1],
      ['statement', 0],
      ['done', 0],
    ];
    for (const [name, passingMs] of sent) {
      send(name, '{}');
      await vi.advanceTimersByTimeAsync(passingMs);
    }
    end();
    await reading;
    expect(pieces.map((piece) => piece.match(/(?<=event: )\w+/g))).toEqual([
      ['routing'],
      ['searching', 'passages'],
      ['statement', 'done'],
    ]);
  });
  it('has headers against buffering by proxies', () => {
    expect(Object.fromEntries(opened().response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
  });
  it('sends a comment every two seconds between events, until it ends or its reader has closed it', async () => {
    vi.useFakeTimers();
    const { response, send, end } = opened();
    const text = response.text();
    vi.advanceTimersByTime(5_000);
    send('done', '{}');
    end();
    expect(await text).toBe(': keep-alive\n\n: keep-alive\n\nevent: done\ndata: {}\n\n');
    await opened().response.body?.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });
});
it('readEvents() reads only complete events, ignores other lines, and stops at maxBytes', async () => {
  const events: unknown[] = [];
  const read = (text: string) =>
    readEvents(new Response(text), { maxBytes: 1000, onEvent: (event) => events.push(event) });
  await read('data: 1\n\nnonsense\nevent: a\r\ndata: 2\r\n\r\n\0: x\n\nevent: half\ndata: 3');
  expect(await read(`data: ${'x'.repeat(2000)}`)).toBeUndefined();
  expect(events).toEqual([
    { name: 'message', data: '1' },
    { name: 'a', data: '2' },
  ]);
});
it('tapStream() adds what is returned at the end, and says how the stream ended once, even when that fails', async () => {
  expect(await tapStream(new Response('text'), { onEnd: async () => ' and more' }).text()).toBe(
    'text and more',
  );
  const onEnd = vi.fn(() => Promise.reject(new Error('cannot be noted')));
  await expect(tapStream(new Response('text'), { onEnd }).text()).rejects.toThrow(
    'cannot be noted',
  );
  expect(onEnd.mock.calls).toEqual([['ended']]);
});
