import { describe, expect, it } from 'vitest';
import { proposeSplit } from '../../../src/agents/hybrid/split-query.ts';
import CASES from './propose-split.json' with { type: 'json' };

/** The reply of a model: a query for each kind of source. */
type Proposal = Partial<Record<'analytics' | 'semantic' | 'web_search', string>>;

const propose = (question: string, proposal: Proposal) => {
  const sub_queries = Object.entries(proposal).map(([type, query]) => ({ type, query }));
  const ai = { model: 'scripted', complete: async () => ({ text: JSON.stringify({ sub_queries }) }) };
  return proposeSplit(question, { ai, signal: new AbortController().signal, timeoutMs: 1000 });
};

describe('proposeSplit()', () => {
  it.each(CASES.accepted as [string, Proposal][])(
    'accepts parts with the meaning of %j',
    async (question, proposal) => {
      const parts = await propose(question, proposal);
      expect(parts).toEqual(Object.entries(proposal).map(([type, query]) => ({ type, query })));
    },
  );

  it.each(CASES.rejected as [string, string, Proposal][])(
    'rejects a proposal that %s',
    async (_, question, proposal) => {
      expect(await propose(question, proposal)).toBeUndefined();
    },
  );
});
