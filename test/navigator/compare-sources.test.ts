import { describe, expect, it } from 'vitest';
import { compareWithOthers } from '../../src/navigator/alternatives.ts';
import { cachedChunk } from '../../src/search/open-edition.ts';
import { type ArticleSketch, editionOf } from '../grounding/articles-for-test.ts';

const FIRST = 'The factory setting of the brewing temperature is 92 degrees.';
const OTHER = 'The factory setting of the brewing temperature is 94 degrees.';

/** Compares one sentence of each article with the last article; all are equally good hits. */
const compared = (shown: Record<string, string>, other: string, sketch: Partial<ArticleSketch> = {}) => {
  const edition = editionOf(...Object.entries(shown).map(([id, text]) => ({ id, devices: ['Barista'], text })), {
    id: 'other.md',
    text: other,
    ...sketch,
  });
  const chunks = Array.from({ length: edition.chunkCount }, (_, at) => cachedChunk(edition, at));
  const hits = chunks.map(({ index, source }) => ({ chunk: index, score: 1, source }));
  const quotes = chunks
    .filter(({ source }) => source.id !== 'other.md')
    .map((chunk) => ({
      ...{ chunk, start: 0, end: chunk.text.length, text: chunk.text, article: chunk.source },
      ...{ relevance: 1, matched: [] },
    }));
  return compareWithOthers(edition, quotes, { hits });
};

describe('compareWithOthers()', () => {
  it('names the other source and the different number', () => {
    expect(compared({ 'a.md': FIRST }, `# Brewing\n\n${OTHER}`)).toEqual([
      {
        ...{ verdict: 'conflicts', difference: '94 instead of 92', citation: 'other.md, Brewing' },
        other: expect.objectContaining({ text: OTHER, start: 11, end: 11 + OTHER.length, headingPath: ['Brewing'] }),
      },
    ]);
  });
  it('detects a negation', () => {
    const covered = 'Damage to the boiler after a power cut is covered by the warranty.';
    const [found] = compared({ 'a.md': covered }, covered.replace('is covered', 'is not covered'));
    expect(found).toMatchObject({ verdict: 'conflicts', difference: 'the other denies it' });
  });
  it('compares every shown passage, not only the first', () => {
    const shown = { 'a.md': 'Cold milk foams best in a jug of steel.', 'b.md': FIRST };
    expect(compared(shown, OTHER)).toEqual([expect.objectContaining({ difference: '94 instead of 92' })]);
  });

  it('compares rows of tables', () => {
    const table = (watts: number) =>
      `| Mode | Power at the wall socket |\n| --- | --- |\n| Quiet eco mode overnight | ${watts} watts |\n`;
    const found = compared({ 'a.md': table(120) }, table(150));
    expect(found).toContainEqual(expect.objectContaining({ difference: '150 instead of 120' }));
  });

  it('compares a section of several chunks', () => {
    const long = Array.from({ length: 60 }, (_, at) => `Paragraph ${at} tells how the grinder number ${at} works.`);
    expect(compared({ 'a.md': FIRST }, [...long, OTHER].join('\n\n')).at(0)?.verdict).toBe('conflicts');
  });

  it.each([
    ['states the same', FIRST, 'agrees'],
    ['adds a number', `${FIRST.slice(0, -1)}, in the cup 67.`, 'agrees'],
  ])('agrees when the other %s', (_fact, other, verdict) => {
    expect(compared({ 'a.md': FIRST }, other)).toMatchObject([{ verdict, difference: '' }]);
  });

  it('ignores sentences about another device or subject', () => {
    expect(compared({ 'a.md': FIRST }, OTHER, { devices: ['Barista II'] })).toEqual([]);
    expect(compared({ 'a.md': FIRST }, 'The water filter lasts for 50 litres.')).toEqual([]);
  });
});
