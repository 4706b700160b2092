import { describe, expect, it } from 'vitest';
import { proposeSplit } from '../../../src/agents/hybrid/propose-split.ts';

/** What a model proposes: a query for each kind of source. */
type Proposal = Partial<Record<'analytics' | 'semantic' | 'web_search', string>>;

const propose = (question: string, proposal: Proposal) => {
  const sub_queries = Object.entries(proposal).map(([type, query]) => ({ type, query }));
  const ai = { model: 'scripted', complete: async () => ({ text: JSON.stringify({ sub_queries }) }) };
  return proposeSplit(question, { ai, signal: new AbortController().signal, timeoutMs: 1000 });
};

const NOT_SHIPPED = 'How many orders are not shipped and which devices are covered?';
const NOT_IN_STOCK = 'Which devices are not in stock, and does the warranty cover the fans?';
const SELLS_BEST = 'Which products sell best and what does the policy say?';
const SELL = 'Which products sell and what does the policy say?';
const POLICY = { semantic: 'what does the policy say' };

describe('proposeSplit()', () => {
  it.each<[question: string, proposal: Proposal]>([
    [NOT_SHIPPED, { analytics: 'How many orders are not shipped', semantic: 'which devices are covered' }],
    [NOT_IN_STOCK, { analytics: 'Which devices are not in stock', semantic: 'does the warranty cover the fans' }],
    [
      'What do we charge for the Orbit III and is it cheaper elsewhere?',
      { analytics: 'What do we charge for the Orbit III?', web_search: 'Is the Orbit III cheaper elsewhere?' },
    ],
    [
      'Which accessory sold best, and can it be returned without a receipt?',
      {
        analytics: 'Which accessory sold best?',
        semantic: 'Can the accessory be returned without a receipt?',
      },
    ],
    [SELLS_BEST, { semantic: 'What does the policy say?', analytics: 'Which products sell best?' }],
  ])('accepts parts that ask the same as %j', async (question, proposal) => {
    const parts = await propose(question, proposal);
    expect(parts).toEqual(Object.entries(proposal).map(([type, query]) => ({ type, query })));
  });

  it.each<[change: string, question: string, proposal: Proposal]>([
    ['drops "not"', NOT_SHIPPED, { analytics: 'How many orders are shipped', semantic: 'which devices are covered' }],
    [
      'adds "not"',
      'How many orders are paid and what does the policy say?',
      { analytics: 'How many orders are not paid', ...POLICY },
    ],
    [
      'moves "not" to the other part',
      'How many orders are not paid and what does the policy cover?',
      { analytics: 'How many orders are paid', semantic: 'what does the policy not cover' },
    ],
    ['turns best into worst', SELLS_BEST, { analytics: 'Which products sell worst', ...POLICY }],
    ['drops "best"', SELLS_BEST, { analytics: 'Which products sell', ...POLICY }],
    [
      'drops "without"',
      'How many orders without invoice and what does the policy say?',
      { analytics: 'How many orders with invoice', ...POLICY },
    ],
    ['adds "most"', SELL, { analytics: 'Which products sell most', ...POLICY }],
    ['adds "cheap"', SELL, { analytics: 'Which cheap products sell', ...POLICY }],
    [
      'drops "no"',
      'Which products have no stock and what does the policy say?',
      { analytics: 'Which products have stock', ...POLICY },
    ],
    [
      'exchanges what is counted',
      NOT_SHIPPED,
      { analytics: 'How many orders are not covered', semantic: 'which devices are shipped' },
    ],
    [
      'exchanges the things',
      NOT_IN_STOCK,
      { analytics: 'Which fans are in stock', semantic: 'does the warranty cover the devices not' },
    ],
    [
      'exchanges the adjectives',
      'Which used parts are sold, and which new devices are covered?',
      { analytics: 'Which new parts are sold', semantic: 'which used devices are covered' },
    ],
    [
      'exchanges the comparison',
      'How many fans cost more than ten euros, and which devices are returned?',
      { analytics: 'How many fans are returned more than ten euros', semantic: 'which devices cost' },
    ],
  ])('rejects a proposal that %s', async (_, question, proposal) => {
    expect(await propose(question, proposal)).toBeUndefined();
  });
});
