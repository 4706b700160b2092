import { expect, it } from 'vitest';
import { readable } from '../../../src/support/drafts/quote-passage.ts';

it('replaces links that a customer cannot open, images and comments, but not in code', () => {
  const code = '```\n[x](../a.md) <!-- c -->\n```';
  const markdown = `See [the page](../page.md)<!-- b --> and \`[y](b.md)\`.\n\n${code}\n\n![Plug](plug.png)`;
  expect(readable(markdown)).toBe(`See the page and \`[y](b.md)\`.\n\n${code}\n\nPlug`);
});
