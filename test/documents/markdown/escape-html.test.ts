import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { expect, it } from 'vitest';
import { escapeHtml, unescapeHtml } from '../../../src/documents/markdown/escape-html.ts';
import markdown from './escape-html.json' with { type: 'json' };

/** Markdown before and after, and pieces of random Markdown. */
const { cases, nested, fences, links, tables } = markdown;

/** Whether a client would execute, load or link something. */
const hasLiveHtml = (markdown: string): boolean => {
  const nodes: { type: string; url?: string; children?: unknown[] }[] = [
    fromMarkdown(markdown, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] }),
  ];
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    if (['html', 'image', 'imageReference'].includes(node.type)) return true;
    if (/^[^/?#]*:/.test(node.url ?? '') && !/^(?:https?|mailto):/i.test(node.url ?? ''))
      return true;
    nodes.push(...((node.children ?? []) as typeof nodes));
  }
  return false;
};

it.each(cases as [string, string, string][])('%s', (_fact, markdown, expected) => {
  expect(escapeHtml(markdown)).toBe(expected);
});
it('is reversed by unescapeHtml()', () => {
  const text = 'a <b>x</b> <!-- c --> `<d>` 1 < 2 ![i](a.png) [l](data:x)\n[d]: javascript:x';
  expect(unescapeHtml(escapeHtml(text))).toBe(text);
});
const textOf = (pieces: string[], maxLength: number) =>
  fc.array(fc.constantFrom(...pieces), { maxLength }).map((some) => some.join(''));
const staysInert = (texts: fc.Arbitrary<string>, options: { seed: number; numRuns: number }) =>
  fc.assert(
    fc.property(texts, (text) => {
      const escaped = escapeHtml(text);
      if (hasLiveHtml(escaped)) throw new Error(JSON.stringify(escaped));
    }),
    options,
  );
it('leaves no active markup for a Markdown parser, whatever the nesting', () => {
  staysInert(textOf(nested, 24), { seed: 11, numRuns: 500 });
});
it('leaves no active markup around fences of any indentation, mark and container', () => {
  const { leads, indents, bodies, ends } = fences;
  const line = fc.tuple(...[leads, indents, bodies, ends].map((part) => fc.constantFrom(...part)));
  const texts = fc.array(line, { maxLength: 12 }).map((lines) => lines.flat().join(''));
  staysInert(texts, { seed: 12, numRuns: 700 });
});
it('leaves no active markup in and beside tables', () => {
  staysInert(textOf(tables, 20), { seed: 14, numRuns: 1500 });
});
it('leaves no image and no link with another scheme, in any syntax', () => {
  // A plain definition makes the references effective.
  const texts = textOf(links, 16).map((text) => `${text}\n\n[a]: /a\n`);
  staysInert(texts, { seed: 13, numRuns: 1000 });
});
