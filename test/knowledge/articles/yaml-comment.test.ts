import { describe, expect, it } from 'vitest';
import { commentAt } from '../../../src/knowledge/articles/yaml-comment.ts';

describe('commentAt()', () => {
  it.each([
    ['a # b', 2],
    ['a    # b # c', 5],
    ['a\t# b', 2],
    ['a#b #c', 4],
    ['a#b', undefined],
    ['# b', undefined],
    ['', undefined],
  ])('finds in %j the comment at %j', (line, at) => {
    expect(commentAt(line)).toBe(at);
  });

  it.each([
    ['white space', `a${' '.repeat(16_000)}b`],
    ['white space before each mark that is none', ` ${' '.repeat(8000)}x#`.repeat(2)],
    ['marks', '#'.repeat(16_000)],
    ['a comment at the end', `${'a'.repeat(16_000)} # b`],
  ])('looks at a line of %s once', (_, line) => {
    let looks = 0;
    commentAt({
      indexOf: (mark, from = 0) => {
        const at = line.indexOf(mark, from);
        looks += (at < 0 ? line.length : at + 1) - from;
        return at;
      },
      charAt: (at) => {
        looks += 1;
        return line.charAt(at);
      },
    });
    expect(looks).toBeLessThanOrEqual(2 * line.length);
  });
});
