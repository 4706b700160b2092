import { expect, it } from 'vitest';
import { dropTags } from '../../src/markup/drop-html.ts';
import cases from './drop-tags.json' with { type: 'json' };

it.each(cases.dropped)('keeps the words of %j', (markdown, text) => expect(dropTags(markdown)).toBe(text));
it.each(cases.kept)('keeps code, placeholders and addresses: %j', (markdown) =>
  expect(dropTags(markdown)).toBe(markdown),
);
it('takes linear time on openings that never close', () => {
  const text = '<b '.repeat(100_000) + '`'.repeat(100_000) + '```\n<br>'.repeat(20_001);
  expect(dropTags(text).length).toBeLessThanOrEqual(text.length);
});
