import { describe, expect, it } from 'vitest';
import { cachedSection, type Section, sectionRanges, stemsOf, visibleSize } from '../../src/grounding/sections.ts';
import type { Edition } from '../../src/search/open-edition.ts';
import { editionOf } from './articles-for-test.ts';

const sectionsOf = (edition: Edition, article = 0): Section[] =>
  sectionRanges(edition, article).map((range) => cachedSection(edition, range));
const read = (text: string): Section[] => sectionsOf(editionOf({ id: 'a.md', text }));
/** Kind and text of each piece of an article. */
const piecesOf = (text: string) =>
  read(text).flatMap((section) =>
    section.pieces.map(({ kind, start, end }) => [kind, section.text.slice(start, end)] as const),
  );

const CELLS = 'a cell that takes some room';
const tableOf = (rows: number): string =>
  `| Part | Life |\n| --- | --- |\n${Array.from({ length: rows }, (_, at) => `| P${at} | ${at} years, ${CELLS} |`).join('\n')}`;

describe('cachedSection()', () => {
  it('returns each section with its position and headings', () => {
    const text = `Before all.\n\n# Care\n\nWipe it.\n\n## Filters\n\nRinse **them**.\n\n- one\n- two\n\n# Parts\n\nOrder them.\n`;
    const sections = read(text);
    const expected = [
      [0, []],
      [1, ['Care']],
      [2, ['Care', 'Filters']],
      [3, ['Parts']],
    ];
    expect(sections.map(({ at, path }) => [at, path])).toEqual(expected);
    for (const { start, text: own, pieces } of sections)
      for (const piece of pieces)
        expect(own.slice(piece.start, piece.end)).toBe(text.slice(start + piece.start, start + piece.end));
  });

  it('joins a section of several chunks', () => {
    const paragraphs = Array.from(
      { length: 60 },
      (_, at) => `Paragraph ${at} says ${'something long '.repeat(6)}${at}.`,
    );
    const text = `# All\n\n${paragraphs.join('\n\n')}\n`;
    const [section] = read(text);
    expect((section?.endChunk ?? 0) - (section?.firstChunk ?? 0)).toBeGreaterThan(2);
    const { start = 0, pieces = [] } = section ?? {};
    expect(pieces.map((piece) => text.slice(start + piece.start, start + piece.end))).toEqual(paragraphs);
  });

  it('keeps a short list, table or code block whole', () => {
    const expected = ['list', 'table', 'code'];
    expect(piecesOf(`- one\n- two\n\n${tableOf(2)}\n\n\`\`\`\nrun\n\`\`\``).map(([kind]) => kind)).toEqual(expected);
  });

  it('splits a procedure into its steps, and marks them', () => {
    const [section] = read('1. Open it.\n2. Close it.\n\n- no step\n');
    const expected = [
      ['item', true, 0],
      ['item', true, 0],
      ['list', false, 1],
    ];
    expect(section?.pieces.map(({ kind, isStep, block }) => [kind, isStep, block])).toEqual(expected);
  });

  it('does not count the number of a list item as a word', () => {
    const [section] = read('1. Fill the tank.\n2. Wait 5 minutes.\n');
    const expected = [
      ['fill', false],
      ['wait', true],
    ];
    expect(section?.pieces.map(({ stems, hasDigit }) => [stems[0], hasDigit])).toEqual(expected);
    expect(stemsOf('> 3. Rinse it 2. times')).toEqual(['rins', '2', 'time']);
  });

  it('splits a long table into its header and rows', () => {
    const pieces = piecesOf(tableOf(40));
    expect(pieces[0]).toEqual(['head', '| Part | Life |\n| --- | --- |']);
    expect(pieces.slice(1)).toHaveLength(40);
    expect(pieces[7]).toEqual(['row', `| P6 | 6 years, ${CELLS} |`]);
  });

  it('joins a table of several chunks, so that every row has its header', () => {
    const edition = editionOf({ id: 'a.md', text: tableOf(400) });
    const [section, ...others] = sectionsOf(edition);
    expect(edition.chunkCount).toBeGreaterThan(3);
    expect(others).toEqual([]);
    expect(section?.pieces.filter(({ kind }) => kind === 'head')).toHaveLength(1);
    expect(section?.pieces.filter(({ kind }) => kind === 'row')).toHaveLength(400);
  });

  it('splits a long paragraph into parts of whole sentences', () => {
    const sentence = (at: number) => `Sentence ${at} is about the pump of the boiler.`;
    const text = Array.from({ length: 60 }, (_, at) => sentence(at)).join(' ');
    const parts = piecesOf(text).map(([, words]) => words);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) expect(part).toMatch(/^Sentence \d+ .*boiler\.$/);
    expect(parts.join(' ')).toBe(text);
  });

  it('shows no script, style, comment or frame', () => {
    const seen = piecesOf(
      'Seen.\n\n<script>alert(1)</script>\n\n<style>a{}</style>\n\n<!-- hidden -->\n\n<iframe src="x"></iframe>\n\n<svg onload="x"></svg>\n',
    );
    expect(seen).toEqual([['text', 'Seen.']]);
  });

  it('detects an introduction by the colon at its end, ignoring emphasis', () => {
    const [section] = read('Do this:\n\n**Then that:**\n\nAt 10:30 it ends.\n');
    expect(section?.pieces.map(({ announces }) => announces)).toEqual([true, true, false]);
  });

  it('marks pieces that are repeated in many articles', () => {
    const help = 'Still need help? **Write** to us.';
    const edition = editionOf(
      ...Array.from({ length: 4 }, (_, at) => ({ id: `${at}.md`, text: `Text ${at}.\n\n${help}` })),
    );
    const [section] = sectionsOf(edition);
    expect(section?.pieces.map(({ isRepeated }) => isRepeated)).toEqual([false, true]);
  });

  it('merges consecutive sections of the same name', () => {
    expect(read('## Note\n\nOne.\n\n## Note\n\nTwo.\n\n## Other\n\nThree.\n').map(({ path }) => path)).toEqual([
      ['Note'],
      ['Other'],
    ]);
  });

  it('returns no piece longer than an answer, for any content', () => {
    const long = 'pump '.repeat(4000);
    for (const text of [
      `[`.repeat(20_000),
      `- ${long}\n- two`,
      `1. ${long}\n2. two`,
      `| a |\n| - |\n| ${long} |`,
      long,
      `\`\`\`\n${long}\n\`\`\``,
    ])
      for (const [, words] of piecesOf(text)) expect(words.length).toBeLessThanOrEqual(1300);
  });
});

it('cachedSection() with long link targets splits a paragraph or a list into parts that can be shown', () => {
  const link = (at: number) => `[Pump ${at}](https://docs.example.com/${'x'.repeat(200)})`;
  const links = Array.from({ length: 12 }, (_, at) => link(at));
  for (const text of [links.map((each) => `Read ${each}.`).join(' '), links.map((each) => `- ${each}`).join('\n')]) {
    const pieces = piecesOf(text).map(([, words]) => words);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('\n').match(/\[Pump \d+\]\(https:[^)]*\)/g)).toEqual(links);
  }
});

it('visibleSize() counts visible characters, not link targets', () => {
  const link = `[the shop](https://shop.example/${'x'.repeat(200)})`;
  expect(visibleSize(`Ask **${link}**.`)).toBe('Ask the shop.'.length);
});

it('stemsOf() returns the stems of words, without link targets', () => {
  expect(stemsOf('Cleaning [pumps](https://secret.example/hidden "title")')).toEqual(stemsOf('cleaning pumps'));
});
