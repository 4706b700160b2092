import { expect, it } from 'vitest';
import { proposeSplit, splitQuery } from '../../../src/librarians/hybrid/split-query.ts';
import PROPOSALS from './propose-split.json' with { type: 'json' };
import CASES from './split-query.json' with { type: 'json' };

it.each(Object.entries(CASES.splits))('splits %s', (question, parts) =>
  expect(splitQuery(question)).toEqual(parts),
);
it.each(CASES.second)('completes the second part of %s with its subject', (question, second) => {
  expect(splitQuery(question)[1]?.query).toBe(second);
});
it.each(CASES.whole)('does not split a question with %s', (_, question) => {
  expect(splitQuery(question)).toEqual([{ type: expect.any(String), query: question }]);
});

const ENDLESS = [
  ...Object.entries(CASES.endless),
  ['spaces before a word', `${' '.repeat(3990)}and`],
] as const;
it.each(ENDLESS)('limits the parts of 4,000 characters of %s', (_, text) => {
  const parts = splitQuery(text.repeat(4000 / text.length + 1).slice(0, 4000));
  expect(parts.length).toBeLessThanOrEqual(61);
  expect(parts.every(({ query }) => query.length <= 4000)).toBe(true);
});

/** The reply of a model: a query for each kind of source. */
type Proposal = Partial<Record<'analytics' | 'semantic' | 'web_search', string>>;

const propose = (question: string, proposal: Proposal) => {
  const sub_queries = Object.entries(proposal).map(([type, query]) => ({ type, query }));
  const ai = {
    model: 'scripted',
    complete: async () => ({ text: JSON.stringify({ sub_queries }) }),
  };
  return proposeSplit(question, { ai, signal: new AbortController().signal, timeoutMs: 1000 });
};

const ACCEPTED = PROPOSALS.accepted as [string, Proposal][];
it.each(ACCEPTED)('accepts parts with the meaning of %j', async (question, proposal) => {
  const parts = Object.entries(proposal).map(([type, query]) => ({ type, query }));
  expect(await propose(question, proposal)).toEqual(parts);
});

const REJECTED = PROPOSALS.rejected as [string, string, Proposal][];
it.each(REJECTED)('rejects a proposal that %s', async (_, question, proposal) => {
  expect(await propose(question, proposal)).toBeUndefined();
});
