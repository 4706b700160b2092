import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  markdownToHtml,
  markdownToText,
  plainHeading,
} from '../../../src/documents/markdown/render-markdown.ts';
import { hostileMarkdown } from './hostile-markdown.ts';
import cases from './markdown-to-text.json' with { type: 'json' };

describe('markdownToText()', () => {
  it.each(cases.texts)('writes %j', (markdown, text) =>
    expect(markdownToText(markdown)).toBe(text),
  );
  it('disables mentions in any combination of fragments', () => {
    const parts = fc.array(fc.oneof(fc.constantFrom(...cases.mentions), hostileMarkdown), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(parts, (each) => {
        const text = markdownToText(each.join(' '));
        expect(text).not.toMatch(
          /(?<![\p{L}\p{N}._%+-])@(?:everyone|here|channel|all)|<[!@#][a-z^]/iu,
        );
      }),
      { numRuns: 700 },
    );
  });
  it('has the same words as the page, and those of its addresses', () => {
    const words = (text: string) => text.match(/w\d+x/g) ?? [];
    fc.assert(
      fc.property(fc.array(hostileMarkdown, { maxLength: 12 }), (parts) => {
        const markdown = parts.map((part, at) => `${part}w${at}x`).join('');
        const html = markdownToHtml(markdown);
        const addresses = [...html.matchAll(/href="([^"]*)"/g)].flatMap(([, url = '']) =>
          words(url),
        );
        expect(new Set(words(markdownToText(markdown)))).toEqual(
          new Set([...words(html.replace(/<[^>]*>/g, '')), ...addresses]),
        );
      }),
      { numRuns: 700 },
    );
  });
});

it.each(cases.headings)('plainHeading() reads %s', (source, words) =>
  expect(plainHeading(source)).toBe(words),
);
