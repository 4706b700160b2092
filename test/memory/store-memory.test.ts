import { expect, it } from 'vitest';
import { readMemoryQuotas } from '../../src/memory/store-memory.ts';

const TURNS = { turnsPerConversation: 200, turnDays: 90 };
const EMBEDDED = { memories: 10_000, memoriesPerKey: 9000, turns: 5000, turnsPerKey: 4500, ...TURNS };
const UPSTASH = { memories: 50_000, memoriesPerKey: 45_000, turns: 25_000, turnsPerKey: 22_500, ...TURNS };

// One key may use nine tenths.
it.each<[Parameters<typeof readMemoryQuotas>[0], 'embedded' | 'upstash', object]>([
  [{ MAX_MEMORIES: ' ' }, 'embedded', EMBEDDED],
  [{}, 'upstash', UPSTASH],
  [
    { MAX_MEMORIES: '7', TURNS_PER_CONVERSATION: '3' },
    'embedded',
    { ...EMBEDDED, memories: 7, memoriesPerKey: 7, turnsPerConversation: 3 },
  ],
  [
    { MAX_MEMORIES: '10000000', MAX_MEMORIES_PER_KEY: '5', MAX_TURNS_PER_KEY: '6', TURN_DAYS: '1' },
    'upstash',
    { ...UPSTASH, memories: 10_000_000, memoriesPerKey: 5, turnsPerKey: 6, turnDays: 1 },
  ],
])('the quotas with %j on the %s back end are %j', (variables, backEnd, quotas) => {
  expect(readMemoryQuotas(variables, backEnd)).toEqual(quotas);
});

it.each(['0', '1.5', 'many', '10000001'])('readMemoryQuotas() refuses %s and names the variable', (text) => {
  expect(() => readMemoryQuotas({ MAX_MEMORIES: text }, 'embedded')).toThrow('MAX_MEMORIES');
});
