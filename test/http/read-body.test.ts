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

  it('returns undefined beyond the bound, regardless of the declared length', async () => {
    expect(await textOf(new Response('abcde'), 4)).toBeUndefined();
    expect(await textOf(streamed('ab', 'cd', 'e'), 4)).toBeUndefined();
    expect(await textOf(new Response('abcde', { headers: { 'Content-Length': '2' } }), 4)).toBeUndefined();
    expect(await textOf(new Response('ab', { headers: { 'Content-Length': '5' } }), 4)).toBeUndefined();
  });

  it.each([
    ['does not end', {}],
    ['is longer than declared', { 'Content-Length': '10' }],
    ['declares too much', { 'Content-Length': '2000' }],
  ])('stops reading a body that %s, and cancels it', async (_, headers) => {
    const seen = { pulled: 0, cancelled: false };
    const stream = new ReadableStream({
      pull: (controller) => {
        seen.pulled += 1;
        controller.enqueue(new Uint8Array(10));
      },
      cancel: () => {
        seen.cancelled = true;
      },
    });
    expect(await readBody(new Response(stream, { headers }), 100)).toBeUndefined();
    expect([seen.pulled < 20, seen.cancelled]).toEqual([true, true]);
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
