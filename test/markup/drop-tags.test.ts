import { describe, expect, it } from 'vitest';
import { dropTags } from '../../src/markup/drop-html.ts';

describe('dropTags()', () => {
  it.each([
    ['<details>\n<summary><b>The lamp</b></summary>\n\nIt is dark.\n\n</details>', '\nThe lamp\n\nIt is dark.\n\n'],
    ['| Value | 3<br/>or 4 |', '| Value | 3 or 4 |'],
    ['<ul><li>one</li><li class="last">two</li></ul>', ' one  two '],
    ['<P>Bold</P>', ' Bold '],
  ])('keeps the words of %j', (markdown, text) => {
    expect(dropTags(markdown)).toBe(text);
  });
  it.each([
    'Type `<br>` here.',
    '```html\n<b>bold</b>\n```',
    '~~~\n<b>bold</b>',
    'Open <user name>, <x.0> or <path>; 1 < 2 and b > i.',
    '<https://example.com/b>',
  ])('keeps code, placeholders and addresses: %j', (markdown) => {
    expect(dropTags(markdown)).toBe(markdown);
  });
  it('takes linear time on openings that never close', () => {
    const text = '<b '.repeat(100_000) + '`'.repeat(100_000) + '```\n<br>'.repeat(20_001);
    expect(dropTags(text).length).toBeLessThanOrEqual(text.length);
  }, 2000);
});
