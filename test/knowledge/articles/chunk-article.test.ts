import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBlocks } from '../../../src/documents/markdown/blocks.ts';
import type { Article } from '../../../src/knowledge/articles/article.ts';
import { chunkArticle } from '../../../src/knowledge/articles/chunk-article.ts';
import cases from './chunk-article.json' with { type: 'json' };

const articleOf = (text: string, title = 'Title'): Article => ({
  id: 'a.md',
  title,
  url: 'https://kb.example/a',
  text,
  intents: [],
  devices: [],
  lastUpdated: '2026-01-01T00:00:00.000Z',
});
const textsOf = (text: string, maxTokens = 400) =>
  chunkArticle(articleOf(text), { maxTokens }).map((chunk) => chunk.text);
const words = (count: number) =>
  Array.from({ length: count }, (_, index) => `word${index % 10}`).join(' ');
const given = [cases.headings, cases.prose, cases.blocks].map((each) => fc.constantFrom(...each));
const block = fc.oneof(
  ...given,
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.nat({ max: 300 }).map(words),
);
const markdown = fc.array(block, { maxLength: 12 }).map((blocks) => blocks.join('\n\n'));

describe('chunkArticle()', () => {
  it('returns slices in order that cover every block once, without headings', () => {
    const property = fc.property(markdown, fc.constantFrom(50, 120, 400), (text, maxTokens) => {
      const covered = new Uint8Array(text.length);
      let end = 0;
      for (const [index, chunk] of chunkArticle(articleOf(text), { maxTokens }).entries()) {
        expect(chunk.position).toBe(index);
        expect(chunk.start).toBeGreaterThanOrEqual(end);
        expect(chunk.text).toBe(text.slice(chunk.start, chunk.end));
        expect(chunk.text.trim()).not.toBe('');
        end = chunk.end;
        covered.fill(1, chunk.start, chunk.end);
      }
      for (const { kind, start, end: blockEnd } of parseBlocks(text)) {
        const isHeading = kind === 'heading' && blockEnd - start <= 300;
        for (let at = start; at < blockEnd && kind !== 'raw'; at += 1)
          if (/\S/.test(text[at] ?? ''))
            expect(covered[at], `${kind} at ${at}`).toBe(isHeading ? 0 : 1);
      }
    });
    fc.assert(property, { numRuns: 100 });
  });
  it('keeps every chunk below twice the bound', () => {
    const property = fc.property(
      fc.string({ unit: 'binary', minLength: 200, maxLength: 1000 }),
      (text) => {
        for (const { tokenCount } of chunkArticle(articleOf(text), { maxTokens: 50 }))
          expect(tokenCount).toBeLessThanOrEqual(101);
      },
    );
    fc.assert(property);
  });
  it('never crosses a heading, and keeps headings out of the text', () => {
    const chunks = chunkArticle(
      articleOf('Intro.\n\n## Section 1\n\nOne.\n\n## Section 2\n\nTwo.\n\nThree.'),
    );
    const expected = [
      [[], 'Intro.'],
      [['Section 1'], 'One.'],
      [['Section 2'], 'Two.\n\nThree.'],
    ];
    expect(chunks.map(({ headingPath, text }) => [headingPath, text])).toEqual(expected);
  });
  it('gives the path of headings in plain words, without the title', () => {
    const text = '# Title\n\n## Set *up* [the](x) `kit` &amp; go\n\n#### Deep\n\na\n\n## Next\n\nb';
    const expected = [['Set up the kit & go', 'Deep'], ['Next']];
    expect(chunkArticle(articleOf(text)).map(({ headingPath }) => headingPath)).toEqual(expected);
  });
  it('packs the blocks of a section evenly', () => {
    const chunks = chunkArticle(articleOf(new Array(4).fill(words(30)).join('\n\n')), {
      maxTokens: 150,
    });
    expect(chunks.map(({ tokenCount }) => tokenCount)).toEqual([120, 120]);
  });
  it.each([
    ['a code block', `\`\`\`\n${'x = 1\n'.repeat(40)}\`\`\``],
    ['a table', `| a | b |\n| - | - |\n${'| one | two |\n'.repeat(25)}`.trim()],
    ['a list', '- item of a list\n'.repeat(30).trim()],
  ])('keeps %s whole up to twice the bound', (_, text) =>
    expect(textsOf(text, 150)).toEqual([text]),
  );
  it.each([
    [
      'code blocks between lines',
      `\`\`\`\n${'x = 1\n'.repeat(400)}\`\`\``,
      /(?:^|\n)(?:x = 1|```)$/,
    ],
    [
      'tables between rows',
      `| a | b |\n| - | - |\n${'| one | two |\n'.repeat(300)}`,
      /\| one \| two \|$/,
    ],
    [
      'lists between items',
      '- first line\n  second line\n'.repeat(100),
      /^- first line\n[\s\S]*second line$/,
    ],
    [
      'paragraphs between sentences',
      'This is a sentence of some words. '.repeat(100),
      /^This[\s\S]*words\.$/,
    ],
  ])('splits larger %s', (_, text, expected) => {
    const texts = textsOf(text.trim(), 100);
    expect(texts.length).toBeGreaterThan(1);
    for (const each of texts) expect(each).toMatch(expected);
  });
  it('splits no surrogate pair', () => {
    for (const text of textsOf(`a${'😀'.repeat(3000)}`, 50)) expect(text.isWellFormed()).toBe(true);
  });
  it.each([' ', '\n'])('bounds the length of a chunk, white space included', (space) => {
    for (const text of textsOf(`word${space.repeat(100_000)}word ${words(900)}`))
      expect(text.length).toBeLessThan(15_000);
  });
  it('returns nothing for a blank article, and refuses an invalid bound', () => {
    expect(textsOf(' \n\n\t')).toEqual([]);
    expect(() => textsOf('a', 0)).toThrow(RangeError);
  });
});
