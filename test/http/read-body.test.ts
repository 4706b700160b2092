import { describe, expect, it } from 'vitest';
import { readBody } from '../../src/http/read-body.ts';

const streamed = (...parts: string[]): Response => {
  const encoder = new TextEncoder();
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (const part of parts) controller.enqueue(encoder.encode(part));
    controller.close();
  };
  return new Response(new ReadableStream<Uint8Array>({ start }));
};

const textOf = async (response: Response, maxBytes: number) => {
  const bytes = await readBody(response, maxBytes);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
};

describe('readBody()', () => {
  it('reads up to the bound, in one piece or in many', async () => {
    expect(await textOf(new Response('abcd'), 4)).toBe('abcd');
    expect(await textOf(streamed('ab', '', 'cd'), 4)).toBe('abcd');
    expect(await textOf(new Response(null), 4)).toBe('');
  });

  it('returns undefined beyond the bound, whatever length is declared', async () => {
    expect(await textOf(new Response('abcde'), 4)).toBeUndefined();
    expect(await textOf(streamed('ab', 'cd', 'e'), 4)).toBeUndefined();
    expect(await textOf(new Response('abcde', { headers: { 'Content-Length': '2' } }), 4)).toBeUndefined();
    expect(await textOf(new Response('ab', { headers: { 'Content-Length': '5' } }), 4)).toBeUndefined();
  });

  it('stops reading a stream that does not end', async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(10));
      },
    });
    expect(await readBody(new Response(endless), 100)).toBeUndefined();
    expect(pulled).toBeLessThan(20);
  });

  it('stops at the bound when a body is longer than declared', async () => {
    const { response, seen } = counted(200, { 'Content-Length': '10' });
    expect(await readBody(response, 100)).toBeUndefined();
    expect(seen.pulled).toBeLessThan(20);
    expect(seen.cancelled).toBe(true);
  });

  it('cancels a body that declares too much without reading it', async () => {
    const { response, seen } = counted(200, { 'Content-Length': '2000' });
    expect(await readBody(response, 100)).toBeUndefined();
    expect(seen.cancelled).toBe(true);
  });

  it('returns bytes with their own buffer', async () => {
    const cut = new TextEncoder().encode('before-abcd-after').subarray(7, 11);
    const stream = new ReadableStream({
      start: (controller) => {
        controller.enqueue(cut);
        controller.close();
      },
    });
    const bytes = await readBody(new Response(stream), 4);
    expect([bytes?.length, bytes?.buffer.byteLength]).toEqual([4, 4]);
  });
});

/** Ten bytes a piece, and what became of it. */
const counted = (pieces: number, headers: Record<string, string>) => {
  const seen = { pulled: 0, cancelled: false };
  const stream = new ReadableStream({
    pull: (controller) => {
      seen.pulled += 1;
      controller.enqueue(new Uint8Array(10));
      if (seen.pulled === pieces) controller.close();
    },
    cancel: () => {
      seen.cancelled = true;
    },
  });
  return { response: new Response(stream, { headers }), seen };
};
