import { describe, expect, it } from 'vitest';
import type { Include } from '../../../src/contract/core/ask.ts';
import type { LibrarianResponse } from '../../../src/contract/core/response.ts';
import { leanResponse } from '../../../src/gateway/ask/lean-response.ts';
import { replyOf, startGateway } from '../gateway-for-test.ts';

const NAVIGATOR = {
  answer: 'Twice.',
  confidenceReason: 'High.',
  outOfDomain: false,
  edition: 'e1',
};
const WHOLE: LibrarianResponse = {
  answer: 'Twice.',
  sources: [{ name: 'Care', type: 'document' }],
  confidence: 0.9,
  metadata: {
    navigator: NAVIGATOR,
    'partner.docs': NAVIGATOR,
    statements: [{ text: 'Twice.' }],
    trace: { traceId: 'a', hops: [] },
    explain: { passages: [] },
    closest: [
      { title: 'Care', url: 'https://a.example/care', file: 'care.md', heading: 'Often' },
      { title: 'Notes', file: 'notes.md', heading: 'Old' },
    ],
    conversation: { id: 'c', turns: 1 },
    mine: { kept: true },
  },
};
const members = (include: Include[], response = WHOLE) =>
  Object.keys(leanResponse(response, { include, librarian: 'navigator' }).metadata ?? {});

describe('a reply of POST /v1/ask', () => {
  it('has the answer once, the librarian and the edition, and what concerns the caller', () => {
    expect(leanResponse(WHOLE, { librarian: 'navigator' })).toEqual({
      answer: 'Twice.',
      sources: [{ name: 'Care', type: 'document' }],
      confidence: 0.9,
      metadata: {
        librarian: 'navigator',
        edition: 'e1',
        // An article without an address is found by its file.
        closest: [
          { title: 'Care', url: 'https://a.example/care' },
          { title: 'Notes', file: 'notes.md' },
        ],
        conversation: { id: 'c', turns: 1 },
        mine: { kept: true },
      },
    });
  });
  it.each([
    ['statements', ['statements']],
    ['navigator', ['navigator', 'partner.docs']],
    ['trace', ['trace']],
    ['why', ['explain']],
  ] as const)('has what %s names', (include, more) => {
    const lean = members([]);
    expect(members([include]).filter((name) => !lean.includes(name))).toEqual(more);
  });
  it('has the headings of the closest articles with its statements', () =>
    expect(
      leanResponse(WHOLE, { include: ['statements'], librarian: undefined }).metadata?.closest,
    ).toEqual(WHOLE.metadata?.closest));
  it('keeps an error, and metadata of an unknown form', () =>
    expect(
      leanResponse(
        { error: { code: 'TIMEOUT', message: 'late' }, metadata: { closest: 'x' } },
        { librarian: 'a' },
      ),
    ).toEqual({
      error: { code: 'TIMEOUT', message: 'late' },
      metadata: { librarian: 'a', closest: 'x' },
    }));
});

describe('the request', () => {
  it.each([
    [['everything'], 400],
    ['trace', 400],
    [Array(9).fill('trace'), 400],
    [[], 200],
    [['trace', 'trace'], 200],
    [null, 200],
  ])('takes %j with %d', async (include, expected) => {
    const { send } = await startGateway();
    const { status } = await replyOf(send('/v1/ask', { query: 'How often?', include }));
    expect(status).toBe(expected);
  });
  it('is answered with details only when it names them, plain and as events', async () => {
    const { send } = await startGateway();
    const metadataOf = async (include: string[], accept: string) => {
      const response = await send('/v1/ask', { query: 'How often?', include }, { accept });
      const text = await response.text();
      const done =
        accept === 'text/event-stream' ? (/event: done\ndata: (.*)/.exec(text)?.[1] ?? '') : text;
      return Object.keys(JSON.parse(done).metadata);
    };
    for (const accept of ['application/json', 'text/event-stream']) {
      expect(await metadataOf([], accept)).not.toContain('trace');
      expect(await metadataOf(['trace'], accept)).toContain('trace');
    }
  });
});
