import { expect, it, vi } from 'vitest';
import { readBody } from '../../../src/platform/http/read-body.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const streamed = (...parts: Uint8Array[]) => {
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (const part of parts) controller.enqueue(part);
    controller.close();
  };
  return new ReadableStream<Uint8Array>({ start });
};
const declaring = (length: string) => ({ headers: { 'Content-Length': length } });

it.each([
  ['in one piece', new Response('abcd'), 'abcd'],
  ['in many', new Response(streamed(...['ab', '', 'cd'].map(bytesOf))), 'abcd'],
  ['that is empty', new Response(null), ''],
  ['beyond the bound', new Response('abcde'), undefined],
  [
    'beyond the bound, in many pieces',
    new Response(streamed(...['ab', 'cd', 'e'].map(bytesOf))),
    undefined,
  ],
  ['longer than declared', new Response('abcde', declaring('2')), undefined],
  ['declared to be beyond the bound', new Response('ab', declaring('5')), undefined],
])('reads up to four bytes of a body %s', async (_, response, text) => {
  const bytes = await readBody(response, 4);
  expect(bytes && new TextDecoder().decode(bytes)).toBe(text);
});
it.each([
  ['does not end', {}],
  ['is longer than declared', declaring('10')],
  ['declares too much', declaring('2000')],
])('stops reading a body that %s, and cancels it', async (_, init) => {
  const pull = vi.fn((controller: ReadableStreamDefaultController) =>
    controller.enqueue(new Uint8Array(10)),
  );
  const cancel = vi.fn();
  expect(
    await readBody(new Response(new ReadableStream({ pull, cancel }), init), 100),
  ).toBeUndefined();
  expect([pull.mock.calls.length < 20, cancel.mock.calls.length]).toEqual([true, 1]);
});
it('returns bytes with their own buffer', async () => {
  const cut = bytesOf('before-abcd-after').subarray(7, 11);
  const bytes = await readBody(new Response(streamed(cut)), 4);
  expect([bytes?.length, bytes?.buffer.byteLength]).toEqual([4, 4]);
});
it('takes a caller that leaves in the middle of its body for a TIMEOUT, and a reply that breaks off for a failure', async () => {
  const broken = () =>
    new ReadableStream({
      pull: (controller) => controller.error(new Error('Network connection lost.')),
    });
  // Node asks for `duplex`, which the types do not have.
  const init = { method: 'POST', body: broken(), duplex: 'half' };
  const request = new Request('https://gateway.example/', init);
  await expect(readBody(request, 100)).rejects.toMatchObject({ code: 'TIMEOUT' });
  await expect(readBody(new Response(broken()), 100)).rejects.toThrow('Network connection lost.');
});
