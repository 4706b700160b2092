import { describe, expect, it } from 'vitest';
import { citedArticles } from '../../../src/answering/write/cite-sources.ts';
import { levelOf } from '../../../src/contract/core/confidence-level.ts';
import type { NavigatorResponse } from '../../../src/contract/core/navigator-response.ts';
import { validateResponse } from '../../../src/contract/core/validate-response.ts';
import { EditionUnavailable } from '../../../src/knowledge/edition/edition-reader.ts';
import { cachedArticle, cachedChunk } from '../../../src/knowledge/edition/open-edition.ts';
import { createNavigator } from '../../../src/librarians/navigator/navigator-librarian.ts';
import { OFTEN, openSmallKb } from '../../answering/write/small-kb.ts';

const { edition } = openSmallKb();
const DESCALE = 'How do I descale the boiler?';
const CONFLICT = 'What is the factory setting of the brewing temperature?';
const navigatorOf = (readEdition: () => Promise<typeof edition>) =>
  createNavigator({ readEdition, log: () => {} });
const navigator = navigatorOf(async () => edition);

/** Asks, and returns the navigator's own response as well. It is not parsed here, as other tests validate it. */
const ask = async (query: string, metadata: Record<string, unknown> = {}) => {
  const response = await navigator(query, { metadata });
  return { ...response, response, full: (response.metadata?.navigator ?? {}) as NavigatorResponse };
};

// The tests of every librarian are in test/conformance.
describe('the navigator as a librarian', () => {
  it('answers with the article as its source, and its full response in the metadata', async () => {
    const { response, answer, error, sources, confidence = 0, full } = await ask(OFTEN);
    expect(error).toBeUndefined();
    expect(answer).toContain('every 60 days');
    const source = {
      name: 'Descale the boiler',
      url: 'https://docs.example.com/care/descale.md',
      type: 'document',
    };
    expect(sources).toEqual([{ ...source, relevance: expect.any(Number) }]);
    expect(validateResponse(response)).toMatchObject({ ok: true, warnings: [] });
    expect(full).toMatchObject({ answer, edition: 'e1', outOfDomain: false });
    const cited = { file: 'care/descale.md', section: 'How often', edition: 'e1' };
    expect(full.sources).toContainEqual(expect.objectContaining(cited));
    expect(full.confidenceComponents?.probability).toBeCloseTo(confidence, 2);
  });
  it('declines an off-topic question after a question on topic', async () => {
    const history = [{ speaker: 'user', text: DESCALE }];
    expect((await ask('How do I cook rice?', { history })).full).toMatchObject({
      outOfDomain: true,
      sources: [],
    });
    expect((await ask('and how often?', { history })).full.sources).not.toEqual([]);
  });
  it.each([
    ['SERVICE_UNAVAILABLE', new EditionUnavailable('Cannot answer yet: nothing was synced')],
    ['INTERNAL_ERROR', new Error('secret host 10.0.0.7')],
  ])('reports %s without revealing internals', async (code, fault) => {
    const response = await navigatorOf(() => Promise.reject(fault))(DESCALE);
    expect(response.error?.code).toBe(code);
    expect(JSON.stringify(response)).not.toContain('10.0.0.7');
  });
  it('stops at the signal of its context, aborted before or during the call', async () => {
    const never = navigatorOf(() => new Promise(() => {}));
    const abort = new AbortController();
    const replies = [AbortSignal.abort(), abort.signal].map((signal) => never(DESCALE, { signal }));
    abort.abort();
    for (const reply of replies) expect(await reply).toMatchObject({ error: { code: 'TIMEOUT' } });
  });
  it.each(['', '   ', '\u0000\u0007', 'x'.repeat(4001)])(
    'refuses an invalid query: %j',
    async (query) => {
      expect(await navigator(query)).toMatchObject({ error: { code: 'INVALID_QUERY' } });
    },
  );
  it('returns a matching confidence, and is partial below 0.6 or when it declines', async () => {
    const questions = [DESCALE, OFTEN, 'Which cup?', 'machine', 'water', CONFLICT];
    const answers = await Promise.all(questions.map((each) => ask(each)));
    for (const { confidence = -1, partial, full } of answers) {
      expect(full.confidence).toBe(levelOf(confidence));
      expect(partial ?? false).toBe(confidence < 0.6);
    }
    expect(answers.at(-1)?.partial).toBe(true);
    expect(new Set(answers.map(({ partial }) => partial)).size).toBe(2);
  });
  const DECLINED = [
    'Can I get a mortgage for a flat in Berlin?',
    '???',
    'Wie oft muss der Kessel entkalkt werden?',
  ];
  it.each(DECLINED)(
    'declines partially, with a low probability, no sources and the closest articles: %s',
    async (question) => {
      const { response, full } = await ask(question);
      expect(response.error).toBeUndefined();
      expect(response).toMatchObject({
        partial: true,
        sources: [],
        metadata: { closest: expect.any(Array) },
      });
      expect(response.confidence).toBeLessThan(0.5);
      expect(full).toMatchObject({
        confidence: full?.outOfDomain === true ? 'high' : 'low',
        sources: [],
      });
      expect(validateResponse(response)).toMatchObject({ ok: true, warnings: [] });
    },
  );
  it('reads the previous turns and devices, and ignores invalid metadata', async () => {
    const history = [
      { speaker: 'user', text: 'How is the upper burr of the Barista II grinder taken out?' },
    ];
    const question = 'By how many degrees is it turned to the left?';
    expect((await ask(question, { history })).answer).toContain('degrees');
    const burr = 'How far do I turn the upper burr of the grinder?';
    expect((await ask(burr, { devices: ['Barista II'] })).full.sources[0]?.file).toBe(
      'care/grinder-ii.md',
    );
    // The first call fills the cache; a cached answer has other metadata.
    await ask(question);
    const plain = (await ask(question)).response;
    const trap = { length: { valueOf: 0, toString: 0 } };
    const traps = { history: [{ speaker: 'user', text: trap }], devices: [trap] };
    for (const metadata of [{ history: 7, devices: { a: 1 } }, traps])
      expect((await ask(question, metadata)).response).toEqual(plain);
  });
});
it('citedArticles() lists an article once, best first, and omits invalid links', () => {
  const cited = (title: string, url: string, relevance: number) => {
    const chunk = {
      ...cachedChunk(edition, 0),
      source: { ...cachedArticle(edition, 0), title, url },
    };
    return { text: '', places: [{ chunk, start: 0, end: 5 }], support: 1, relevance };
  };
  expect(
    citedArticles([
      cited('A', 'javascript:alert(1)', 0.2),
      cited('B', 'https://b.example', 0.9),
      cited('B', 'https://b.example', 0.1),
    ]),
  ).toEqual([
    { name: 'B', url: 'https://b.example', type: 'document', relevance: 0.9 },
    { name: 'A', type: 'document', relevance: 0.2 },
  ]);
});
