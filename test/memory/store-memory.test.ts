import { describe, expect, it } from 'vitest';
import { readMaxMemories } from '../../src/memory/store-memory.ts';

describe('readMaxMemories()', () => {
  it('is the capacity of the back end by default', () => {
    expect(readMaxMemories(undefined, 'embedded')).toBe(10_000);
    expect(readMaxMemories(' ', 'upstash')).toBe(50_000);
  });

  it('is the value of the variable on both back ends', () => {
    expect([readMaxMemories('7', 'embedded'), readMaxMemories('10000000', 'upstash')]).toEqual([7, 10_000_000]);
  });

  it.each(['0', '1.5', 'many', '10000001'])('refuses %s and names the variable', (text) => {
    expect(() => readMaxMemories(text, 'embedded')).toThrow('MAX_MEMORIES');
  });
});
