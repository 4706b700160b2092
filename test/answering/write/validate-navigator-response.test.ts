import { describe, expect, it } from 'vitest';
import type { CitableKnowledge } from '../../../src/answering/write/citable-knowledge.ts';
import {
  validateNavigatorResponse,
  wholeQuotes,
} from '../../../src/answering/write/validate-navigator-response.ts';
import type { NavigatorResponse } from '../../../src/contract/core/navigator-response.ts';
import cases from './validate-navigator-response.json' with { type: 'json' };

type Source = NavigatorResponse['sources'][number];
type Changes = Partial<NavigatorResponse> & { saying?: string };
const FILE = 'troubleshooting/rollback-procedures.md';
const ARTICLES: Record<string, { title: string; text: string }> = cases.articles;
const knowledge: CitableKnowledge = {
  article: (id) => (ARTICLES[id] ? { id, ...ARTICLES[id] } : undefined),
  edition: 'e1',
};
const QUOTE = 'This will revert to the previous revision.';
const START = cases.articles[FILE].text.indexOf(QUOTE);

const source = (over: Partial<Source> = {}): Source => ({
  file: FILE,
  section: 'Quick Rollback',
  edition: 'e1',
  relevance: 'Contains the exact kubectl command and rollback process',
  excerpts: [{ quote: QUOTE, start: START, end: START + QUOTE.length }],
  ...over,
});
/** The answer of the navigator contract, with changes; `saying` adds a sentence to a quoting answer. */
const response = ({
  saying,
  sources = [{} as Source],
  ...over
}: Changes = {}): NavigatorResponse => ({
  answer:
    saying === undefined
      ? `To rollback a deployment, use 'kubectl rollout undo deployment/<name>' as documented in ${FILE}. ${QUOTE}`
      : `${QUOTE} ${saying} (${FILE}, Quick Rollback)`,
  sources: sources.map(source),
  relatedTopics: [],
  outOfDomain: false,
  confidence: 'high',
  confidenceReason: 'Direct answer found with exact command syntax in one authoritative source',
  ...over,
});
const rulesBroken = (changes: Changes, options?: Parameters<typeof validateNavigatorResponse>[2]) =>
  validateNavigatorResponse(response(changes), knowledge, options).map(({ rule }) => rule);

describe('validateNavigatorResponse()', () => {
  it.each(cases.accepted as [string, Changes][])('accepts %s', (_what, changes) =>
    expect(rulesBroken(changes)).toEqual([]),
  );
  it.each(cases.breaches as [string, string, Changes][])('reports %s: %s', (rule, _what, changes) =>
    expect(rulesBroken(changes)).toEqual([rule]),
  );
  it('allows a declination to repeat words of the question', () => {
    const query = 'How do I set HTTP_PROXY in proxy.conf?';
    const answer = `I don't have information about "${query}".`;
    const broken = ['path-in-source', 'identifier-in-source'];
    expect(rulesBroken({ answer, sources: [] })).toEqual(broken);
    expect(rulesBroken({ answer, sources: [] }, { query })).toEqual([]);
  });
  it('names the offending words', () => {
    const [violation] = validateNavigatorResponse(
      response({ saying: 'It takes about 45 seconds.' }),
      knowledge,
    );
    expect(violation).toEqual({ rule: 'number-in-source', words: '45 seconds' });
  });
  it.each(cases.quotes as [string, string, string | null, string[]][])(
    '%s',
    (_what, text, answer, broken) => {
      const cited = {
        file: 'a.md',
        section: 'A',
        excerpts: [{ quote: text, start: 0, end: text.length }],
      };
      const other = 'The text goes on\n\nThere are `1` or `2` of them in UTC-05, and x.';
      const a: CitableKnowledge = {
        article: (id) => ({ id, title: 'A', text: `${text}\n\n${other}` }),
      };
      const quoting = response({
        answer: `${answer ?? text}\n\n(a.md, A)`,
        sources: [source(cited)],
      });
      const rules = validateNavigatorResponse(quoting, a).map(({ rule }) => rule);
      expect(rules).toEqual(broken.length === 0 ? [] : expect.arrayContaining(broken));
    },
  );
});

const text =
  'Replace damaged cables. Do not mend them with tape.\n\n| Part | Term |\n| --- | --- |\n| Fan | 6 months |\n';
it.each<[string, string | undefined, boolean]>([
  ['Replace damaged cables.', undefined, true],
  ['Do not mend them with tape.', undefined, true],
  ['| Fan | 6 months |', undefined, true],
  ['mend them with tape.', undefined, false],
  ['Do not mend', undefined, false],
  ['Do not mend them with tape.', 'Mend them.', false],
])(
  'wholeQuotes() returns only whole sentences and rows that the answer contains: %s %s',
  (quote, answer = quote, isWhole) => {
    const start = text.indexOf(quote);
    const cited = source({ excerpts: [{ quote, start, end: start + quote.length }] });
    const quotes = wholeQuotes([cited], { answer, knowledge: { article: () => ({ text }) } });
    expect(quotes).toEqual(isWhole ? [quote] : []);
  },
);
