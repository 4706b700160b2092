import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownToHtml, markdownToText, plainHeading } from '../../src/markup/render-markdown.ts';
import { hostileMarkdown } from './hostile-markdown.ts';
import cases from './markdown-to-text.json' with { type: 'json' };

describe('markdownToText()', () => {
  it.each(cases.texts)('writes %j', (markdown, text) => expect(markdownToText(markdown)).toBe(text));

  it('disables mentions in any combination of fragments', () => {
    const calls = fc.constantFrom(...cases.mentions);
    fc.assert(
      fc.property(fc.array(fc.oneof(calls, hostileMarkdown), { maxLength: 8 }), (parts) => {
        const text = markdownToText(parts.join(' '));
        expect(text).not.toMatch(/(?<![\p{L}\p{N}._%+-])@(?:everyone|here|channel|all)|<[!@#][a-z^]/iu);
      }),
      { numRuns: 700 },
    );
  });

  it('disables mentions by name, and keeps package names in code', () => {
    expect(markdownToText('@jane @@jane (@jane) @*jane* jane@example.com `npm i @scope/x`')).toBe(
      '@\u200bjane @\u200b@\u200bjane (@\u200bjane) @\u200bjane jane@example.com npm i @scope/x',
    );
  });

  it('has the same words as the page', () => {
    const words = (text: string) => text.match(/w\d+x/g) ?? [];
    fc.assert(
      fc.property(fc.array(hostileMarkdown, { maxLength: 12 }), (parts) => {
        const markdown = parts.map((part, at) => `${part}w${at}x`).join('');
        const shown = markdownToHtml(markdown).replace(/<[^>]*>/g, '');
        expect(new Set(words(markdownToText(markdown)))).toEqual(
          new Set([...words(shown), ...words(addressesIn(markdown))]),
        );
      }),
      { numRuns: 700 },
    );
  });
});

it.each(cases.headings)('plainHeading() reads %s', (source, words) => expect(plainHeading(source)).toBe(words));

/** Link targets are part of the text and not visible on the page. */
const addressesIn = (markdown: string): string =>
  [...markdownToHtml(markdown).matchAll(/href="([^"]*)"/g)].map(([, url = '']) => url).join(' ');
