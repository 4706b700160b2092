import { describe, expect, it } from 'vitest';
import { levelOf, type NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import { asLibrarianResponse, createNavigator } from '../../src/navigator/navigator-librarian.ts';
import { EditionUnavailable } from '../../src/search/edition-reader.ts';
import { openSmallKb } from './small-kb.ts';

const { edition } = openSmallKb();
const DESCALE = 'How do I descale the boiler?';
const CONFLICT = 'What is the factory setting of the brewing temperature?';
const OUT_OF_DOMAIN = 'Can I get a mortgage for a flat in Berlin?';
const log = () => {};
const navigator = createNavigator({ readEdition: async () => edition, log });
const unavailable = createNavigator({
  readEdition: () => Promise.reject(new EditionUnavailable('Cannot answer yet: nothing was synced')),
  log,
});
const broken = createNavigator({ readEdition: () => Promise.reject(new Error('secret host 10.0.0.7')), log });

/** Not parsed here, as other tests validate it. */
const fullOf = (metadata: Record<string, unknown> | undefined) => (metadata?.navigator ?? {}) as NavigatorResponse;

// The tests of every librarian are in test/conformance.
describe('the navigator as a librarian', () => {
  it('answers simple queries', async () => {
    const response = await navigator('How often must the boiler be descaled?');
    expect(response.error).toBeUndefined();
    expect(response.answer).toContain('every 60 days');
    const source = { name: 'Descale the boiler', url: 'https://docs.example.com/care/descale.md', type: 'document' };
    expect(response.sources).toEqual([{ ...source, relevance: expect.any(Number) }]);
    expect(validateResponse(response)).toMatchObject({ ok: true, warnings: [] });
  });

  it('declines an off-topic question after a question on topic', async () => {
    const history = [{ speaker: 'user', text: DESCALE }];
    const ask = async (query: string) => fullOf((await navigator(query, { metadata: { history } })).metadata);
    expect(await ask('How do I cook rice?')).toMatchObject({ outOfDomain: true, sources: [] });
    expect((await ask('and how often?')).sources).not.toEqual([]);
  });

  it('handles errors without revealing internals', async () => {
    expect(await unavailable('How do I descale?')).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
    const response = await broken('How do I descale?');
    expect(response.error?.code).toBe('INTERNAL_ERROR');
    expect(JSON.stringify(response)).not.toContain('10.0.0.7');
  });

  it('stops at the signal of its context', async () => {
    const never = createNavigator({ readEdition: () => new Promise(() => {}), log });
    expect(await never('How do I descale?', { signal: AbortSignal.abort() })).toMatchObject({
      error: { code: 'TIMEOUT' },
    });
    const abort = new AbortController();
    const pending = never('How do I descale?', { signal: abort.signal });
    abort.abort();
    expect(await pending).toMatchObject({ error: { code: 'TIMEOUT' } });
  });
});

describe('createNavigator()', () => {
  it.each(['', '   ', '\u0000\u0007', 'x'.repeat(4001)])('refuses an invalid query: %j', async (query) => {
    expect(await navigator(query)).toMatchObject({ error: { code: 'INVALID_QUERY' } });
  });

  it('returns the full navigator response in its metadata', async () => {
    const { metadata, answer } = await navigator('How do I descale the boiler?');
    const full = fullOf(metadata);
    expect(full.answer).toBe(answer);
    expect(full.sources).toContainEqual(
      expect.objectContaining({ file: 'care/descale.md', section: 'Steps', edition: 'e1' }),
    );
    expect(full.confidenceComponents?.probability).toBeCloseTo((await navigator(DESCALE)).confidence ?? 0, 2);
  });

  it('returns a matching confidence, and is partial below 0.6 or when it declines', async () => {
    const questions = [DESCALE, 'How often must the boiler be descaled?', 'Which cup?', 'machine', 'water', CONFLICT];
    const answers = await Promise.all(questions.map((question) => navigator(question)));
    for (const { confidence = -1, partial, metadata } of answers) {
      expect(fullOf(metadata).confidence).toBe(levelOf(confidence));
      expect(partial ?? false).toBe(confidence < 0.6);
    }
    expect(answers.at(-1)?.partial).toBe(true);
    expect(new Set(answers.map(({ partial }) => partial)).size).toBe(2);
  });

  it('declines with a partial response: no sources, low confidence, and the closest articles', async () => {
    for (const question of [OUT_OF_DOMAIN, '???', 'Wie oft muss der Kessel entkalkt werden?']) {
      const response = await navigator(question);
      expect(response.error).toBeUndefined();
      expect(response).toMatchObject({ partial: true, sources: [], metadata: { closest: expect.any(Array) } });
      expect(response.confidence).toBeLessThan(0.5);
      expect(fullOf(response.metadata)).toMatchObject({ confidence: 'low', sources: [] });
      expect(validateResponse(response)).toMatchObject({ ok: true, warnings: [] });
    }
  });

  it('reads the previous turns, and ignores invalid metadata', async () => {
    const history = [{ speaker: 'user', text: 'How is the upper burr of the Barista II grinder taken out?' }];
    const question = 'By how many degrees is it turned to the left?';
    expect((await navigator(question, { metadata: { history } })).answer).toContain('degrees');
    // The first call fills the cache; a cached answer has other metadata.
    await navigator(question);
    expect(await navigator(question, { metadata: { history: 7, devices: { a: 1 } } })).toEqual(
      await navigator(question),
    );
    const trap = { length: { valueOf: 0, toString: 0 } };
    const metadata = { history: [{ speaker: 'user', text: trap }], devices: [trap] };
    expect(await navigator(question, { metadata })).toEqual(await navigator(question));
  });

  it("prefers the user's devices", async () => {
    const question = 'How far do I turn the upper burr of the grinder?';
    const { metadata } = await navigator(question, { metadata: { devices: ['Barista II'] } });
    expect(fullOf(metadata).sources[0]?.file).toBe('care/grinder-ii.md');
  });
});

it('asLibrarianResponse() lists an article once, best first, and omits invalid links', () => {
  const sources = [
    { title: 'A', url: 'javascript:alert(1)', relevance: 0.2 },
    { title: 'B', url: 'https://b.example', relevance: 0.9 },
    { title: 'B', url: 'https://b.example', relevance: 0.1 },
  ];
  const fields = { answer: 'x', sources: [], confidenceReason: 'two words', outOfDomain: false };
  const response = { ...fields, confidence: 'high' as const };
  const given = { response, verdict: 'answer' as const, probability: 0.9, sources, closest: [] };
  expect(asLibrarianResponse(given).sources).toEqual([
    { name: 'B', url: 'https://b.example', type: 'document', relevance: 0.9 },
    { name: 'A', type: 'document', relevance: 0.2 },
  ]);
});
