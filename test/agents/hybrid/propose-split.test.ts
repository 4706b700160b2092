import { describe, expect, it } from 'vitest';
import { proposeSplit } from '../../../src/agents/hybrid/propose-split.ts';

type Parts = readonly (readonly ['analytics' | 'semantic' | 'web_search', string])[];

const propose = (question: string, parts: Parts) => {
  const sub_queries = parts.map(([type, query]) => ({ type, query }));
  const ai = { model: 'scripted', complete: async () => ({ text: JSON.stringify({ sub_queries }) }) };
  return proposeSplit(question, { ai, signal: new AbortController().signal, timeoutMs: 1000 });
};

const FAITHFUL: [question: string, parts: Parts][] = [
  [
    'How many orders are not shipped and which devices are covered?',
    [
      ['analytics', 'How many orders are not shipped'],
      ['semantic', 'which devices are covered'],
    ],
  ],
  [
    'Which devices are not in stock, and does the warranty cover the fans?',
    [
      ['analytics', 'Which devices are not in stock'],
      ['semantic', 'does the warranty cover the fans'],
    ],
  ],
  [
    'What do we charge for the Apollo III and is it cheaper elsewhere?',
    [
      ['analytics', 'What do we charge for the Apollo III?'],
      ['web_search', 'Is the Apollo III cheaper elsewhere?'],
    ],
  ],
  [
    'Which accessory sold best, and can it be returned without a receipt?',
    [
      ['analytics', 'Which accessory sold best?'],
      ['semantic', 'Can the accessory be returned without a receipt?'],
    ],
  ],
];

const TURNED: [question: string, parts: Parts][] = [
  [
    'How many orders are not shipped and which devices are covered?',
    [
      ['analytics', 'How many orders are not covered'],
      ['semantic', 'which devices are shipped'],
    ],
  ],
  [
    'Which devices are not in stock, and does the warranty cover the fans?',
    [
      ['analytics', 'Which fans are in stock'],
      ['semantic', 'does the warranty cover the devices not'],
    ],
  ],
  [
    'Which used parts are sold, and which new devices are covered?',
    [
      ['analytics', 'Which new parts are sold'],
      ['semantic', 'which used devices are covered'],
    ],
  ],
  [
    'How many fans cost more than ten euros, and which devices are returned?',
    [
      ['analytics', 'How many fans are returned more than ten euros'],
      ['semantic', 'which devices cost'],
    ],
  ],
];

describe('proposeSplit()', () => {
  it.each(FAITHFUL)('accepts parts that ask the same as %j', async (question, parts) => {
    expect(await propose(question, parts)).toHaveLength(parts.length);
  });

  it.each(TURNED)('rejects parts that change the meaning of %j', async (question, parts) => {
    expect(await propose(question, parts)).toBeUndefined();
  });
});
