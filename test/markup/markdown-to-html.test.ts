import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownToHtml } from '../../src/markup/render-markdown.ts';
import { hostileMarkdown } from './hostile-markdown.ts';
import cases from './markdown-to-html.json' with { type: 'json' };
import { referenceHtml } from './reference-html.ts';

/** Line breaks between tags, and additions of `markdownToHtml`: quiet mentions, and bare addresses as links. */
const comparable = (html: string): string =>
  html
    .replaceAll('\u200b', '')
    .replace(/ {2,}/g, ' ')
    .replace(/<a href="(https?:[^"]*)" rel="noopener noreferrer">\1<\/a>/g, '$1')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/(?<=<\/?\w+>)\n|\n(?=<)/g, '')
    .replace(/[ \t]+(?=<)|(?<=>)[ \t]+/g, '');

describe('markdownToHtml()', () => {
  it.each(cases.pages)('writes %j', (markdown, html) => expect(markdownToHtml(markdown)).toBe(html));
  it.each(cases.unsafeAddresses)('does not link to %j', (url) => {
    for (const text of [`[words](${url})`, `[words](<${url}>)`, `![words](${url})`, `<${url}>`])
      expect(markdownToHtml(text)).not.toContain('<a');
  });
  it('escapes quotes in attributes', () => {
    const html = markdownToHtml('[x](https://example.com/"onmouseover="alert(1)) [y](<https://example.com/"\'>)');
    expect(html.replace(/href="[^"]*"/g, '').includes('onmouseover="')).toBe(false);
    expect(html).toMatch(ALLOWED);
  });

  it('disables mentions', () => {
    const html = markdownToHtml(
      '@everyone @here <!channel> <@U123> <#C42|general> @jane, me@example.com `@all` [@x](https://a.example)',
    );
    expect(html).not.toMatch(/@(?:everyone|here|jane|all|x)|&lt;[!@#]/);
    expect(html).toContain('me@example.com');
  });

  it('agrees with a full parser on all our articles and pages', () => {
    for (const file of filesUnder('src/dev/sample/knowledge-base').concat(filesUnder('docs'), 'README.md')) {
      const markdown = readFileSync(file, 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '');
      expect(comparable(markdownToHtml(markdown)), file).toBe(comparable(referenceHtml(markdown)));
    }
  });

  const word = fc.constantFrom('one', 'two', 'three', 'a', 'b.', 'c,');
  const mark = fc.constantFrom(...cases.marks);
  // No two marks in a row: the reference counts only the unused marks of a run, against the specification.
  const inline = fc
    .tuple(fc.oneof({ weight: 2, arbitrary: fc.constant(' ') }, mark), word)
    .map((pair) => pair.join(''));
  const lead = fc.constantFrom(...cases.leads);
  const line = fc
    .tuple(lead, word, fc.array(inline, { maxLength: 7 }), fc.constantFrom(' ', ''))
    .map(([start, first, rest, between]) => `${start}${[first, ...rest].join(between)}`);
  const lines = fc.array(
    fc.oneof({ weight: 8, arbitrary: line }, fc.constantFrom('', '```', '~~~', '---', '| - | - |', '====')),
    { minLength: 1, maxLength: 8 },
  );

  it('agrees with a full parser on random texts', () => {
    fc.assert(
      fc.property(lines, (each) => {
        const markdown = each.join('\n');
        expect(comparable(markdownToHtml(markdown))).toBe(comparable(referenceHtml(markdown)));
      }),
      { numRuns: 800 },
    );
  });

  const ALLOWED =
    /^(?:[^<>&"']|&(?:amp|lt|gt|quot|#39);|<(?:\/?(?:p|h[1-6]|ul|ol|li|strong|em|code|pre|table|thead|tbody|tr|th|td|blockquote)|br|hr|\/a)>|<a href="(?:https?:\/\/|mailto:)[^<>"'\s]*" rel="noopener noreferrer">)*$/i;

  it('writes only allowed elements and attributes, properly nested, and every word', () => {
    fc.assert(
      fc.property(fc.array(hostileMarkdown, { maxLength: 14 }), (parts) => {
        const html = markdownToHtml(parts.map((part, at) => `${part}w${at}x`).join(''));
        expect(html).toMatch(ALLOWED);
        const open: string[] = [];
        for (const [, close, name = ''] of html.matchAll(/<(\/?)(\w+)/g)) {
          if (close) expect(open.pop()).toBe(name);
          else if (name !== 'br' && name !== 'hr') open.push(name);
        }
        expect(open).toEqual([]);
        expect(open.length).toBeLessThan(60);
      }),
      { numRuns: 800 },
    );
  });

  it('shows all words outside addresses', () => {
    const marks = fc.constantFrom(...cases.separators);
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 14 }), (parts) => {
        const html = markdownToHtml(parts.map((part, at) => `${part}w${at}x`).join(''));
        const text = html.replace(/<[^>]*>/g, '');
        for (const at of parts.keys()) expect(text).toContain(`w${at}x`);
      }),
      { numRuns: 800 },
    );
  });
});

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
