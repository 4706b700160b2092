import { describe, expect, it } from 'vitest';
import { stemsOf, visibleSize } from '../../../src/knowledge/edition/sections.ts';
import {
  articlesWith,
  editionOf,
  listOf,
  sectionsOf,
} from '../../answering/check/articles-for-test.ts';

const read = (text: string) => sectionsOf(editionOf({ id: 'a.md', text }));
/** Kind and text of each piece of an article. */
const piecesOf = (text: string) =>
  read(text).flatMap((section) =>
    section.pieces.map(({ kind, start, end }) => [kind, section.text.slice(start, end)] as const),
  );
const textsOf = (text: string) => piecesOf(text).map(([, words]) => words);
const CELLS = 'a cell that takes some room';
const tableOf = (rows: number): string =>
  `| Part | Life |\n| --- | --- |\n${listOf(rows, (at) => `| P${at} | ${at} years, ${CELLS} |`)}`;

describe('cachedSection()', () => {
  it('returns each section with its position and headings', () => {
    const text = `Before all.\n\n# Care\n\nWipe it.\n\n## Filters\n\nRinse **them**.\n\n- one\n- two\n\n# Parts\n\nOrder them.\n`;
    const sections = read(text);
    const paths = [[], ['Care'], ['Care', 'Filters'], ['Parts']];
    expect(sections.map(({ at, path }) => [at, path])).toEqual(paths.map((path, at) => [at, path]));
    for (const { start, text: own, pieces } of sections)
      for (const piece of pieces)
        expect(own.slice(piece.start, piece.end)).toBe(
          text.slice(start + piece.start, start + piece.end),
        );
  });
  it('merges consecutive sections of the same name', () => {
    const sections = read('## Note\n\nOne.\n\n## Note\n\nTwo.\n\n## Other\n\nThree.\n');
    expect(sections.map(({ path }) => path)).toEqual([['Note'], ['Other']]);
  });
  it('joins a section of several chunks', () => {
    const long = 'something long '.repeat(6);
    const paragraphs = Array.from({ length: 60 }, (_, at) => `Paragraph ${at} says ${long}${at}.`);
    const text = `# All\n\n${paragraphs.join('\n\n')}\n`;
    const { firstChunk, endChunk, start, pieces } = read(text)[0]!;
    expect(endChunk - firstChunk).toBeGreaterThan(2);
    expect(pieces.map((piece) => text.slice(start + piece.start, start + piece.end))).toEqual(
      paragraphs,
    );
  });
  it('splits a procedure into its steps and a table into its rows, and keeps a short list or code block whole', () => {
    const [section] = read(
      `1. Open it.\n2. Close it.\n\n- one\n- two\n\n${tableOf(2)}\n\n\`\`\`\nrun\n\`\`\``,
    );
    expect(section?.pieces.map(({ kind, isStep, block }) => [kind, isStep, block])).toEqual([
      ['item', true, 0],
      ['item', true, 0],
      ['list', false, 1],
      ['head', false, 2],
      ['row', false, 2],
      ['row', false, 2],
      ['code', false, 3],
    ]);
  });
  it('splits a long table into its header and rows', () => {
    const [head, ...rows] = piecesOf(tableOf(40));
    expect(head).toEqual(['head', '| Part | Life |\n| --- | --- |']);
    expect(rows).toHaveLength(40);
    expect(rows[6]).toEqual(['row', `| P6 | 6 years, ${CELLS} |`]);
  });
  it('joins a table of several chunks, so that every row has its header', () => {
    const edition = editionOf({ id: 'a.md', text: tableOf(400) });
    expect(edition.chunkCount).toBeGreaterThan(3);
    const kinds = sectionsOf(edition).map(({ pieces }) => pieces.map(({ kind }) => kind));
    expect(kinds).toEqual([['head', ...Array(400).fill('row')]]);
  });
  it('splits a long paragraph into parts of whole sentences', () => {
    const text = listOf(60, (at) => `Sentence ${at} is about the pump of the boiler.`, ' ');
    const parts = textsOf(text);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) expect(part).toMatch(/^Sentence \d+ .*boiler\.$/);
    expect(parts.join(' ')).toBe(text);
  });
  it('splits a paragraph or a list with long link targets into parts that can be shown', () => {
    const links = Array.from(
      { length: 12 },
      (_, at) => `[Pump ${at}](https://docs.example.com/${'x'.repeat(200)})`,
    );
    for (const text of [
      links.map((each) => `Read ${each}.`).join(' '),
      links.map((each) => `- ${each}`).join('\n'),
    ]) {
      const pieces = textsOf(text);
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join('\n').match(/\[Pump \d+\]\(https:[^)]*\)/g)).toEqual(links);
    }
  });
  it('detects an introduction by the colon at its end, ignoring emphasis', () => {
    const [section] = read('Do this:\n\n**Then that:**\n\nAt 10:30 it ends.\n');
    expect(section?.pieces.map(({ announces }) => announces)).toEqual([true, true, false]);
  });
  it('marks pieces that are repeated in many articles', () => {
    const [section] = sectionsOf(editionOf(...articlesWith('Still need help? **Write** to us.')));
    expect(section?.pieces.map(({ isRepeated }) => isRepeated)).toEqual([false, true]);
  });
  it('returns no piece longer than an answer, for any content', () => {
    const long = 'pump '.repeat(4000);
    const lists = [`- ${long}\n- two`, `1. ${long}\n2. two`, `| a |\n| - |\n| ${long} |`];
    for (const text of ['['.repeat(20_000), ...lists, long, `\`\`\`\n${long}\n\`\`\``])
      for (const words of textsOf(text)) expect(words.length).toBeLessThanOrEqual(1300);
  });
});
it('visibleSize() counts visible characters, not link targets', () => {
  expect(visibleSize(`Ask **[the shop](https://shop.example/${'x'.repeat(200)})**.`)).toBe(
    'Ask the shop.'.length,
  );
});
it.each([
  ['Cleaning [pumps](https://secret.example/hidden "title")', ['clean', 'pump']],
  ['> 3. Rinse it 2. times', ['rins', '2', 'time']],
  ['1. Fill the tank.', ['fill', 'tank']],
])(
  'stemsOf() returns the stems of words, without link targets and numbers of items: %s',
  (text, stems) => expect(stemsOf(text)).toEqual(stems),
);
