import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeMarkdown, markdownToHtml, markdownToText } from '../../src/markup/render-markdown.ts';
import cases from './escape-markdown.json' with { type: 'json' };
import { hostileMarkdown } from './hostile-markdown.ts';
import { referenceHtml } from './reference-html.ts';

describe('escapeMarkdown()', () => {
  const names = fc
    .array(fc.oneof(hostileMarkdown, fc.constantFrom(...cases.nameParts)), { maxLength: 8 })
    .map((parts) => parts.join(''));
  const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

  it('shows any text literally in one paragraph, as a full parser confirms', () => {
    fc.assert(
      fc.property(names, (name) => {
        const escaped = escapeMarkdown(name);
        expect(markdownToText(escaped).replaceAll('\u200b', '')).toBe(oneLine(name).replaceAll('\u200b', ''));
        for (const html of [
          markdownToHtml(`Hello ${escaped},`),
          markdownToHtml(escaped || 'x'),
          referenceHtml(escaped || 'x'),
        ])
          expect(html.replace(/^<p>|<\/p>$/g, '')).not.toMatch(/[<>]/);
      }),
      { numRuns: 800 },
    );
  });

  it('changes ordinary names only slightly', () => {
    expect(escapeMarkdown("Jean-Luc O'Neill (Paris)")).toBe("Jean-Luc O'Neill (Paris)");
    expect(escapeMarkdown('Apollo II: 0 H/s #3')).toBe('Apollo II: 0 H/s #3');
  });
  it('prevents links to bare addresses', () => {
    expect(escapeMarkdown('https://evil.example www.evil.example a@evil.example')).toBe(
      'https\\://evil.example www\\.evil.example a\\@evil.example',
    );
  });
});
