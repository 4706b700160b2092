import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownToHtml } from '../../../src/documents/markdown/render-markdown.ts';
import { hostileMarkdown } from './hostile-markdown.ts';
import cases from './markdown-to-html.json' with { type: 'json' };
import { referenceHtml } from './reference-html.ts';

const ALLOWED =
  /^(?:[^<>&"']|&(?:amp|lt|gt|quot|#39);|<(?:\/?(?:p|h[1-6]|ul|ol|li|strong|em|code|pre|table|thead|tbody|tr|th|td|blockquote)|br|hr|\/a)>|<a href="(?:https?:\/\/|mailto:)[^<>"'\s]*" rel="noopener noreferrer">)*$/i;

/** Without line breaks between tags, and additions of `markdownToHtml`: quiet mentions, and bare addresses as links. */
const comparable = (html: string): string =>
  html
    .replaceAll('\u200b', '')
    .replace(/ {2,}/g, ' ')
    .replace(/<a href="(https?:[^"]*)" rel="noopener noreferrer">\1<\/a>/g, '$1')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/(?<=<\/?\w+>)\n|\n(?=<)/g, '')
    .replace(/[ \t]+(?=<)|(?<=>)[ \t]+/g, '');
const expectReference = (markdown: string, name?: string) => {
  expect(comparable(markdownToHtml(markdown)), name).toBe(comparable(referenceHtml(markdown)));
};

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

describe('markdownToHtml()', () => {
  it.each(cases.pages)('writes %j', (markdown, html) =>
    expect(markdownToHtml(markdown)).toBe(html),
  );
  it.each(cases.unsafeAddresses)('does not link to %j', (url) => {
    for (const text of [`[words](${url})`, `[words](<${url}>)`, `![words](${url})`, `<${url}>`])
      expect(markdownToHtml(text)).not.toContain('<a');
  });
  it('escapes quotes in attributes', () => {
    const html = markdownToHtml(
      '[x](https://example.com/"onmouseover="alert(1)) [y](<https://example.com/"\'>)',
    );
    expect(html.replace(/href="[^"]*"/g, '')).not.toContain('onmouseover="');
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
    for (const file of [
      ...filesUnder('tools/sample/knowledge-base'),
      ...filesUnder('docs'),
      'README.md',
    ])
      expectReference(readFileSync(file, 'utf8').replace(/^---\n[\s\S]*?\n---\n/, ''), file);
  });
  it('agrees with a full parser on random texts', () => {
    const word = fc.constantFrom('one', 'two', 'three', 'a', 'b.', 'c,');
    // No two marks in a row: the reference counts only the unused marks of a run, against the specification.
    const mark = fc.oneof(
      { weight: 2, arbitrary: fc.constant(' ') },
      fc.constantFrom(...cases.marks),
    );
    const inline = fc.tuple(mark, word).map((pair) => pair.join(''));
    const line = fc
      .tuple(
        fc.constantFrom(...cases.leads),
        word,
        fc.array(inline, { maxLength: 7 }),
        fc.constantFrom(' ', ''),
      )
      .map(([start, first, rest, between]) => `${start}${[first, ...rest].join(between)}`);
    const other = fc.constantFrom('', '```', '~~~', '---', '| - | - |', '====');
    const lines = fc.array(fc.oneof({ weight: 8, arbitrary: line }, other), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(lines, (each) => expectReference(each.join('\n'))),
      { numRuns: 800 },
    );
  });
  it('writes only allowed elements and attributes, properly nested', () => {
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
      }),
      { numRuns: 800 },
    );
  });
  it('shows all words outside addresses', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...cases.separators), { maxLength: 14 }), (parts) => {
        const text = markdownToHtml(parts.map((part, at) => `${part}w${at}x`).join('')).replace(
          /<[^>]*>/g,
          '',
        );
        for (const at of parts.keys()) expect(text).toContain(`w${at}x`);
      }),
      { numRuns: 800 },
    );
  });
});
