import { describe, expect, it } from 'vitest';
import type { AIClient } from '../../../src/contract/core/librarian.ts';
import { answerExtractively, summariseResults } from '../../../src/librarians/web-search/answer.ts';
import { comparePrices } from '../../../src/librarians/web-search/product-catalogue.ts';
import { type WebResult, webResult } from '../../../src/librarians/web-search/web-search.ts';
import { type ModelCall, scriptedModel } from '../../answering/write/scripted-model.ts';
import { markdownNodes } from '../agents/agents-for-test.ts';
import CASES from './injection.json' with { type: 'json' };
import injections from './injections.json' with { type: 'json' };
import { IPHONE } from './shop.ts';

type RawResult = Parameters<typeof webResult>[0];

/** Results with markup and prompt injections. */
const INJECTIONS: readonly RawResult[] = injections;

const resultsOf = (raw: readonly RawResult[]): WebResult[] =>
  raw.map((result) => webResult(result, 'us')).filter((result) => result !== undefined);

const ALLOWED = new Set(['root', 'paragraph', 'text', 'list', 'listItem', 'link']);

describe('a hostile result', () => {
  it.each(INJECTIONS)('adds no markup, link or line to the answer: $title', (raw) => {
    const shop = 'Evil [shop](https://evil.example) <b>';
    const good = { title: 'Good page', url: 'https://good.example/', snippet: 'Fine.' };
    const results = resultsOf([{ ...raw, shop }, good]);
    const answer = answerExtractively({ results, isAboutPrice: false });
    const nodes = markdownNodes(answer);
    expect(
      [...new Set(nodes.map(({ type }) => type))].filter((type) => !ALLOWED.has(type)),
    ).toEqual([]);
    const links = nodes.flatMap(({ type, url = '' }) =>
      type === 'link' ? [new URL(url).hostname] : [],
    );
    expect(links.filter((host) => host !== 'good.example' && host !== 'ok.example')).toEqual([]);
    expect(answer).not.toMatch(
      /<[a-z/!]|\b(?:javascript|data):\S|www\.\S|@evil|:\/\/evil|[\u202a-\u202e\u2066-\u2069]/i,
    );
    expect(nodes.filter(({ type }) => type === 'listItem')).toHaveLength(results.length);
    expect(nodes.filter(({ type }) => type === 'list')).toHaveLength(1);
  });
  it('shows its text literally', () => {
    const [result] = resultsOf([{ title: 'a*b_c[d](e) #f & <g | `h` ~i~ 1. \\j !k' }]);
    const nodes = markdownNodes(answerExtractively({ results: [result!], isAboutPrice: false }));
    expect(nodes.map(({ type, value }) => (type === 'text' ? value : '')).join('')).toContain(
      result!.title,
    );
  });
  it('does not change a price comparison', () => {
    const honest = resultsOf([
      { title: 'iPhone 17', price: '$949.99', url: 'https://good.example/' },
    ]);
    const comparison = comparePrices(IPHONE, [...resultsOf(INJECTIONS), ...honest]);
    expect(comparison).toMatchObject({ cheapestCents: 94999, others: [] });
    const results = [...resultsOf(INJECTIONS), ...honest];
    const answer = answerExtractively({ results, product: IPHONE, comparison, isAboutPrice: true });
    expect(answer).toContain(
      '949.99 USD: [iPhone 17](https://good.example/), 50.00 USD (5.0 %) less than ours.',
    );
  });
});

describe('summariseResults()', () => {
  const good = { title: 'iPhone 17 at Good', price: '$949.99', url: 'https://good.example/p' };
  const results = resultsOf([...INJECTIONS, { ...good, snippet: 'See evil.example for 1299' }]);
  const findings = { results: results.slice(-10), product: IPHONE, isAboutPrice: true };
  /** A summary that quotes the whole passage of the good result. */
  const summary = (text: string, ai: AIClient = scriptedModel(saying(text))) =>
    summariseResults('What does it cost?', findings, {
      ai,
      signal: new AbortController().signal,
      timeMs: 5000,
    }).then((written) => written.summary);
  const saying =
    (text: string) =>
    ({ given }: ModelCall) => {
      const quotes = given.passages
        .filter(({ text: passageText }) => /good\.example|999\.99/.test(passageText))
        .map(({ passage, text: quote }) => ({ passage, quote }));
      return {
        text: JSON.stringify({
          parts: [],
          statements: [{ part: 1, quotes, text }],
          missing: '',
          related: [],
        }),
      };
    };

  it('sends the results as passages of one JSON object, without prompt injections', async () => {
    const ai = scriptedModel(saying('Fine.'));
    await summary('Fine.', ai);
    const [{ messages, given }] = ai.calls as [ModelCall];
    for (const { title } of results)
      if (title.length > 8) expect(messages[0]?.content).not.toContain(title);
    expect(given.passages.length).toBeGreaterThan(1);
    expect(given.passages.length).toBeLessThanOrEqual(11);
  });
  it.each([
    'It costs 949.99 USD at https://good.example/p.',
    'It costs **$949.99** at [Good](https://good.example/p), ours is 999.99.',
    'See [Good](https://good.example/p) or good.example.',
    '1. Good: 949.99\n2. ours: 999.99',
  ])('keeps a supported summary: %s', async (text) => expect(await summary(text)).toBe(text));
  it('is replaced when the model fails', async () => {
    const broken: AIClient = { model: 'fake', complete: () => Promise.reject(new Error('down')) };
    expect(await summary('', broken)).toBeUndefined();
  });
  it.each(CASES.replaced)('replaces %j with the extractive answer', async (text) => {
    expect(await summary(text)).toBeUndefined();
  });
});
