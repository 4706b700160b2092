import { describe, expect, it } from 'vitest';
import { readMemoryQuotas } from '../../src/memory/store-memory.ts';

describe('readMemoryQuotas()', () => {
  it('is by default the capacity of the back end, of which one key may use nine tenths', () => {
    expect(readMemoryQuotas({ MAX_MEMORIES: ' ' }, 'embedded')).toEqual({
      ...{ memories: 10_000, memoriesPerKey: 9000, turns: 5000, turnsPerKey: 4500 },
      ...{ turnsPerConversation: 200, turnDays: 90 },
    });
    expect(readMemoryQuotas({}, 'upstash')).toMatchObject({ memories: 50_000, turns: 25_000 });
  });

  it('is the value of the variables on both back ends', () => {
    expect(readMemoryQuotas({ MAX_MEMORIES: '7', TURNS_PER_CONVERSATION: '3' }, 'embedded')).toMatchObject({
      ...{ memories: 7, memoriesPerKey: 7, turnsPerConversation: 3 },
    });
    const quotas = { MAX_MEMORIES: '10000000', MAX_MEMORIES_PER_KEY: '5', MAX_TURNS_PER_KEY: '6', TURN_DAYS: '1' };
    const read = { memories: 10_000_000, memoriesPerKey: 5, turnsPerKey: 6, turnDays: 1 };
    expect(readMemoryQuotas(quotas, 'upstash')).toMatchObject(read);
  });

  it.each(['0', '1.5', 'many', '10000001'])('refuses %s and names the variable', (text) => {
    expect(() => readMemoryQuotas({ MAX_MEMORIES: text }, 'embedded')).toThrow('MAX_MEMORIES');
  });
});
