import { describe, expect, it } from 'vitest';
import { readMaxMemories } from '../../src/memory/store-memory.ts';

describe('readMaxMemories()', () => {
  it('is what the back end was measured to hold where nothing is set', () => {
    expect(readMaxMemories(undefined, 'embedded')).toBe(10_000);
    expect(readMaxMemories(' ', 'upstash')).toBe(50_000);
  });

  it('is what the variable says on both', () => {
    expect([readMaxMemories('7', 'embedded'), readMaxMemories('10000000', 'upstash')]).toEqual([7, 10_000_000]);
  });

  it.each(['0', '1.5', 'many', '10000001'])('refuses %s by the name of the variable', (text) => {
    expect(() => readMaxMemories(text, 'embedded')).toThrow('MAX_MEMORIES');
  });
});
