import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeMarkdown } from '../../../src/documents/markdown/escape-markdown.ts';
import { markdownToHtml, markdownToText } from '../../../src/documents/markdown/render-markdown.ts';
import cases from './escape-markdown.json' with { type: 'json' };
import { hostileMarkdown } from './hostile-markdown.ts';
import { referenceHtml } from './reference-html.ts';

const names = fc
  .array(fc.oneof(hostileMarkdown, fc.constantFrom(...cases.nameParts)), { maxLength: 8 })
  .map((parts) => parts.join(''));
const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
it('shows any text literally in one paragraph, as a full parser confirms', () => {
  fc.assert(
    fc.property(names, (name) => {
      const escaped = escapeMarkdown(name);
      expect(markdownToText(escaped).replaceAll('\u200b', '')).toBe(
        oneLine(name).replaceAll('\u200b', ''),
      );
      const shown = escaped || 'x';
      for (const html of [
        markdownToHtml(`Hello ${escaped},`),
        markdownToHtml(shown),
        referenceHtml(shown),
      ])
        expect(html.replace(/^<p>|<\/p>$/g, '')).not.toMatch(/[<>]/);
    }),
    { numRuns: 800 },
  );
});
it.each(cases.names)(
  'changes ordinary names only slightly, and prevents links to bare addresses: %s',
  (name, text) => expect(escapeMarkdown(name)).toBe(text),
);
