import { expect, it } from 'vitest';
import { compareWithOthers } from '../../../src/answering/write/compare-sources.ts';
import { cachedChunk } from '../../../src/knowledge/edition/open-edition.ts';
import { type ArticleSketch, editionOf, listOf } from '../check/articles-for-test.ts';

const FIRST = 'The factory setting of the brewing temperature is 92 degrees.';
const OTHER = FIRST.replace('92', '94');
const COVERED = 'Damage to the boiler after a power cut is covered by the warranty.';
const MILK = 'Cold milk foams best in a jug of steel.';
const LONG = listOf(
  60,
  (at) => `Paragraph ${at} tells how the grinder number ${at} works.`,
  '\n\n',
);
const table = (watts: number) =>
  `| Mode | Power at the wall socket |\n| --- | --- |\n| Quiet eco mode overnight | ${watts} watts |\n`;

/** Compares one sentence of each article with the last article; all are equally good hits. */
const compared = (shown: readonly string[], other: string, sketch: Partial<ArticleSketch> = {}) => {
  const articles = shown.map((text, at) => ({ id: `${at}.md`, devices: ['Barista'], text }));
  const edition = editionOf(...articles, { id: 'other.md', text: other, ...sketch });
  const chunks = Array.from({ length: edition.chunkCount }, (_, at) => cachedChunk(edition, at));
  const hits = chunks.map(({ index, source }) => ({ chunk: index, score: 1, source }));
  const quotes = chunks
    .filter(({ source }) => source.id !== 'other.md')
    .map((chunk) => ({ chunk, start: 0, end: chunk.text.length }));
  return compareWithOthers(edition, quotes, { hits });
};

it('names the other source, its statement and the different number', () => {
  const place = {
    start: 0,
    end: OTHER.length,
    chunk: expect.objectContaining({ text: OTHER, start: 11 }),
  };
  expect(compared([FIRST], `# Brewing\n\n${OTHER}`)).toEqual([
    { verdict: 'conflicts', difference: '94 instead of 92', citation: 'other, Brewing', place },
  ]);
});
it.each([
  [
    'conflicts with a negation',
    [COVERED],
    COVERED.replace('is', 'is not'),
    'conflicts',
    'the other denies it',
  ],
  ['conflicts with any shown passage', [MILK, FIRST], OTHER, 'conflicts', '94 instead of 92'],
  ['conflicts in a row of a table', [table(120)], table(150), 'conflicts', '150 instead of 120'],
  [
    'conflicts in a section of several chunks',
    [FIRST],
    `${LONG}\n\n${OTHER}`,
    'conflicts',
    '94 instead of 92',
  ],
  ['agrees with the same', [FIRST], FIRST, 'agrees', ''],
  ['agrees with a number more', [FIRST], `${FIRST.slice(0, -1)}, in the cup 67.`, 'agrees', ''],
])('%s', (_fact, shown, other, verdict, difference) => {
  expect(compared(shown, other)).toContainEqual(expect.objectContaining({ verdict, difference }));
});
it('ignores sentences about another device or subject', () => {
  expect(compared([FIRST], OTHER, { devices: ['Barista II'] })).toEqual([]);
  expect(compared([FIRST], 'The water filter lasts for 50 litres.')).toEqual([]);
});
