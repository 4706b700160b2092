import { describe, expect, it } from 'vitest';
import { tablesAsLines } from '../../../src/agents/format/markdown.ts';

describe('tablesAsLines()', () => {
  it('writes each row with its column headers, without header and delimiter rows', () => {
    const table =
      'Noise in dBA:\n\n| Profile | Apollo | Apollo II |\n| --- | ---: | ---: |\n| Quiet | 25 | 31 |\n| Turbo | | 46 |\n\nAfter.';
    expect(tablesAsLines(table)).toBe('Noise in dBA:\n\nQuiet: Apollo 25, Apollo II 31\nTurbo: Apollo II 46\n\nAfter.');
  });

  it('writes rows that were quoted without their header', () => {
    expect(tablesAsLines('| E40 | Fan stands still |')).toBe('E40: Fan stands still');
  });

  it('keeps an escaped bar in its cell', () => {
    expect(tablesAsLines('| a \\| b | c |')).toBe('a \\| b: c');
  });

  it('returns other text unchanged', () => {
    const text = 'One | two\n---\n- a list\n|not a row';
    expect(tablesAsLines(text)).toBe(text);
  });
});
