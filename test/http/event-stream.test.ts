import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventStream, readEvents, type SendEvent, tapStream } from '../../src/http/event-stream.ts';

const MIB = 2 ** 20;

/** A stream and its sender. */
const opened = () => {
  const done = Promise.withResolvers<void>();
  let send: SendEvent = () => false;
  let closed: AbortSignal | undefined;
  const response = eventStream(async (sender, signal) => {
    [send, closed] = [sender, signal];
    await done.promise;
  });
  return { response, send: (name: string, data: string) => send(name, data), closed: () => closed, end: done.resolve };
};

describe('eventStream()', () => {
  it('buffers up to 4 MiB for a reader that stops reading, then ends without it', async () => {
    const { response, send, end } = opened();
    const event = 'x'.repeat(MIB / 4);
    let taken = 0;
    while (taken < 100 && send('statement', event)) taken += 1;
    expect(taken).toBe(15);
    end();
    const bytes = await response.arrayBuffer();
    expect(bytes.byteLength).toBeLessThanOrEqual(4 * MIB);
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

  it('has headers against buffering by proxies', () => {
    expect(Object.fromEntries(opened().response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
  });

  describe('between events', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('sends a comment every two seconds, until it ends', async () => {
      const { response, send, end } = opened();
      const text = response.text();
      vi.advanceTimersByTime(5_000);
      send('done', '{}');
      end();
      expect(await text).toBe(': keep-alive\n\n: keep-alive\n\nevent: done\ndata: {}\n\n');
      expect(vi.getTimerCount()).toBe(0);
    });

    it('sends none after the reader has closed it', async () => {
      const { response } = opened();
      await response.body?.cancel();
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});

describe('readEvents()', () => {
  const read = async (text: string, maxBytes = 1000) => {
    const events: unknown[] = [];
    const all = await readEvents(new Response(text), { maxBytes, onEvent: (event) => events.push(event) });
    return { all, events };
  };

  it('reads only complete events, and ignores other lines', async () => {
    const text = 'data: 1\n\nnonsense\nevent: a\r\ndata: 2\r\n\r\n\0: x\n\nevent: half\ndata: 3';
    expect((await read(text)).events).toEqual([
      { name: 'message', data: '1' },
      { name: 'a', data: '2' },
    ]);
  });

  it('stops at maxBytes', async () => {
    expect((await read(`data: ${'x'.repeat(2000)}`)).all).toBeUndefined();
  });
});

describe('tapStream()', () => {
  it('says how the stream ended once, also when what watches it fails then', async () => {
    const endings: string[] = [];
    const watched = tapStream(new Response('text'), {
      onEnd: async (why) => {
        endings.push(why);
        throw new Error('cannot be noted');
      },
    });
    await expect(watched.text()).rejects.toThrow('cannot be noted');
    expect(endings).toEqual(['ended']);
  });

  it('adds what is returned at the end', async () => {
    const watched = tapStream(new Response('text'), { onEnd: async () => ' and more' });
    expect(await watched.text()).toBe('text and more');
  });
});
