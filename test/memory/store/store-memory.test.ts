import { expect, it } from 'vitest';
import { readMemoryQuotas } from '../../../src/memory/store/store-memory.ts';

const TURNS = { turnsPerConversation: 200, turnDays: 90 };
const DEFAULTS = {
  memories: 10_000,
  memoriesPerKey: 9000,
  turns: 5000,
  turnsPerKey: 4500,
  ...TURNS,
};

// One key may use nine tenths.
it.each<[Parameters<typeof readMemoryQuotas>[0], object]>([
  [{ MAX_MEMORIES: ' ' }, DEFAULTS],
  [
    { MAX_MEMORIES: '7', TURNS_PER_CONVERSATION: '3' },
    { ...DEFAULTS, memories: 7, memoriesPerKey: 7, turnsPerConversation: 3 },
  ],
  [
    { MAX_MEMORIES: '10000000', MAX_MEMORIES_PER_KEY: '5', MAX_TURNS_PER_KEY: '6', TURN_DAYS: '1' },
    { ...DEFAULTS, memories: 10_000_000, memoriesPerKey: 5, turnsPerKey: 6, turnDays: 1 },
  ],
])('the quotas with %j are %j', (variables, quotas) => {
  expect(readMemoryQuotas(variables)).toEqual(quotas);
});

it.each(['0', '1.5', 'many', '10000001'])(
  'readMemoryQuotas() refuses %s and names the variable',
  (text) => {
    expect(() => readMemoryQuotas({ MAX_MEMORIES: text })).toThrow('MAX_MEMORIES');
  },
);
