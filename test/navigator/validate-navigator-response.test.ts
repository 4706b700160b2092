import { describe, expect, it } from 'vitest';
import type { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { type CitableKnowledge, validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import cases from './validate-navigator-response.json' with { type: 'json' };

const FILE = 'troubleshooting/rollback-procedures.md';
const ARTICLES: Record<string, { title: string; text: string }> = cases.articles;
const ROLLBACK = cases.articles[FILE].text;
const knowledge: CitableKnowledge = {
  article: (id) => (ARTICLES[id] ? { id, ...ARTICLES[id] } : undefined),
  edition: 'e1',
};

const QUOTE = 'This will revert to the previous revision.';
const source = (over: Partial<NavigatorResponse['sources'][number]> = {}): NavigatorResponse['sources'][number] => ({
  file: FILE,
  section: 'Quick Rollback',
  relevance: 'Contains the exact kubectl command and rollback process',
  excerpts: [{ quote: QUOTE, start: ROLLBACK.indexOf(QUOTE), end: ROLLBACK.indexOf(QUOTE) + QUOTE.length }],
  edition: 'e1',
  ...over,
});
const response = (over: Partial<NavigatorResponse> = {}): NavigatorResponse => ({
  answer: `To rollback a deployment, use 'kubectl rollout undo deployment/<name>' as documented in ${FILE}. ${QUOTE}`,
  sources: [source()],
  confidence: 'high',
  confidenceReason: 'Direct answer found with exact command syntax in one authoritative source',
  relatedTopics: [],
  outOfDomain: false,
  ...over,
});
const rulesBroken = (broken: NavigatorResponse, options?: { query?: string; vouched?: string }) =>
  validateNavigatorResponse(broken, knowledge, options).map(({ rule }) => rule);
const saying = (sentence: string) => response({ answer: `${QUOTE} ${sentence} (${FILE}, Quick Rollback)` });
const lacking = (answer: string, over: Partial<NavigatorResponse> = {}) => response({ answer, sources: [], ...over });

describe('validateNavigatorResponse()', () => {
  it('accepts the full answer of the navigator contract', () => {
    expect(validateNavigatorResponse(response(), knowledge)).toEqual([]);
  });

  it('accepts the declinations of the navigator contract', () => {
    const declined = lacking("I don't have information about database migration procedures in my knowledge base.");
    const outOfDomain = lacking('This question is about AWS IAM policies, which is outside my domain.', {
      outOfDomain: true,
    });
    expect(validateNavigatorResponse(declined, knowledge)).toEqual([]);
    expect(validateNavigatorResponse(outOfDomain, knowledge)).toEqual([]);
  });

  it('accepts an answer that also states what it lacks', () => {
    const answer =
      "The API has rate limiting per client (reference/api-spec.md, Rate Limiting). I don't have detailed documentation on this.";
    const sources = [
      { file: 'reference/api-spec.md', section: 'Rate Limiting', relevance: 'Mentions that rate limiting exists' },
    ];
    expect(validateNavigatorResponse(response({ answer, sources }), knowledge)).toEqual([]);
  });

  it('accepts a warning about the answer, but not with a claim in the same sentence', () => {
    const doubting = (sentence: string) => response({ answer: `${sentence}\n\n${QUOTE} (${FILE}, Quick Rollback)` });
    expect(rulesBroken(doubting("I'm not sure that this answers the question. The closest passage:"))).toEqual([]);
    expect(
      rulesBroken(doubting("I'm not sure that this answers the question about draining nodes without eviction.")),
    ).toEqual(['sentence-supported']);
  });

  type Breach = Partial<NavigatorResponse> & { saying?: string };
  it.each(cases.breaches as [string, string, Breach][])('reports %s: %s', (rule, _what, { saying: said, ...over }) => {
    const broken = response(over.sources ? { ...over, sources: over.sources.map(source) } : over);
    expect(rulesBroken(said === undefined ? broken : saying(said))).toEqual([rule]);
  });

  it('allows a declination to repeat words of the question and the domain', () => {
    const declined = lacking(
      'I don\'t have information about "How do I set HTTP_PROXY in proxy.conf?". My knowledge base is about v2 devices.',
    );
    expect(rulesBroken(declined)).toEqual(['path-in-source', 'identifier-in-source', 'identifier-in-source']);
    expect(rulesBroken(declined, { query: 'How do I set HTTP_PROXY in proxy.conf?', vouched: 'v2' })).toEqual([]);
  });

  it('names the offending words', () => {
    const [violation] = validateNavigatorResponse(saying('It takes about 45 seconds.'), knowledge);
    expect(violation?.message).toBe('The cited sources do not have number "45 seconds"');
  });

  it('reads escaped HTML as its text', () => {
    const text = 'Set <b>mode</b> to eco before you restart the device.';
    const html: CitableKnowledge = { article: (id) => ({ id, title: 'Modes', text }) };
    const answer = 'Set \\<b>mode\\</b> to eco before you restart the device. (modes.md, Modes)';
    const excerpts = [{ quote: text, start: 0, end: text.length }];
    const cited = { file: 'modes.md', section: 'Modes', relevance: 'Holds it', excerpts };
    expect(validateNavigatorResponse(response({ answer, sources: [cited] }), html)).toEqual([]);
  });

  describe('accepts a quote with', () => {
    const quoting = (text: string, answer = text) => {
      const excerpts = [{ quote: text, start: 0, end: text.length }];
      const cited = { file: 'a.md', section: 'A', relevance: 'Holds it', excerpts };
      const other = 'The text goes on\n\nThere are `1` or `2` of them in UTC-05, and x.';
      const a: CitableKnowledge = { article: (id) => ({ id, title: 'A', text: `${text}\n\n${other}` }) };
      return validateNavigatorResponse(response({ answer: `${answer}\n\n(a.md, A)`, sources: [cited] }), a);
    };
    it.each([
      ['an address within code', 'Run `Connect -Url "https://example.com/a" -Interactive` and wait.'],
      ['a number beside a literal that is part of it', 'Set `1`. At most 16 miners are connected at a time.'],
      ['a number behind a sign', 'The first time zone is **(UTC-05:00) Eastern Time** and (UTC-00:00) London.'],
      ['rows that contradict each other', '| A | B |\n| --- | --- |\n| Fan | Not covered |\n| Case | Covered |'],
    ])('%s', (_, text) => expect(quoting(text)).toEqual([]));

    it('rejects a changed quote', () => {
      const text = 'At most 16 miners are connected at a time.';
      expect(quoting(text, text.replace('16', '17')).map(({ rule }) => rule)).toContain('number-in-source');
      expect(quoting('Do not open the case when hot.', 'Open the case when hot.')[0]?.rule).toBe('not-contradicted');
    });
  });
});
