import { describe, expect, it } from 'vitest';
import { excerptsOf, passageMarkdown } from '../../../src/answering/passages/render-passage.ts';
import { type Unit, unitsOf } from '../../../src/answering/passages/units.ts';
import type { Section } from '../../../src/knowledge/edition/sections.ts';
import { editionOf, listOf, sectionsOf } from '../check/articles-for-test.ts';

const open = (text: string) => {
  const edition = editionOf({ id: 'a.md', text });
  const sections = sectionsOf(edition);
  const excerptsIn = (unit: Unit) =>
    excerptsOf(edition, unit).map(({ chunk, start, end }) => ({
      text: chunk.text.slice(start, end),
      start: chunk.start + start,
    }));
  return { edition, sections, units: unitsOf(sections), excerptsIn };
};
const unitOf = (section: Section, places: readonly number[], more: Partial<Unit> = {}): Unit => ({
  parts: [{ section, pieces: places.map((place) => section.pieces[place]!) }],
  kind: 'group',
  size: 1,
  isLater: false,
  isCut: false,
  ...more,
});

/** Blocks of all kinds, long enough for several chunks. */
const TEXT = [
  'Before all.',
  '# Care',
  'Wipe it with a cloth. '.repeat(90),
  'To clean it:',
  '1. Open it.\n2. Rinse it,\n\n   with `water`.',
  '```sh\nclean --all\n```',
  '## Parts',
  `| Part | Life |\n| --- | --- |\n${listOf(90, (at) => `| Part ${at} | ${at} years |`)}`,
  '- one\n- two\n',
].join('\n\n');
it('excerptsOf() returns the exact words of the article that are shown, in order, with their positions', () => {
  const { edition, units, excerptsIn } = open(TEXT);
  const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];
  expect(edition.chunkCount).toBeGreaterThan(4);
  for (const unit of units) {
    const excerpts = excerptsIn(unit);
    expect(excerpts.length).toBeGreaterThan(0);
    for (const { text, start } of excerpts)
      expect(TEXT.slice(start, start + text.length)).toBe(text);
    const places = excerpts.map(({ start }) => start);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    if (unit.kind === 'sections' || unit.isCut) continue;
    expect(excerpts.flatMap(({ text }) => wordsOf(text))).toEqual(wordsOf(passageMarkdown(unit)));
  }
});

describe('passageMarkdown()', () => {
  it.each([
    '<script>alert(1)</script>',
    '<!-- alert(1) -->',
    '<style>alert(1)</style>',
    '<iframe src="alert(1)"></iframe>',
    '<svg onload="alert(1)"></svg>',
  ])('omits invisible content between two paragraphs, also from the excerpts: %s', (hidden) => {
    const { units, excerptsIn } = open(`One.\n\n${hidden}\n\nTwo.\n`);
    expect(passageMarkdown(units[0]!)).toBe('One.\n\nTwo.');
    expect(excerptsIn(units[0]!).map(({ text }) => text)).toEqual(['One.', 'Two.']);
  });
  it.each<[string, string, number[], Partial<Unit>, string]>([
    [
      'adjacent pieces unchanged, and separate rows as one table',
      TEXT,
      [0, 3, 4, 9],
      { kind: 'rows', isCut: true },
      '| Part | Life |\n| --- | --- |\n| Part 2 | 2 years |\n| Part 3 | 3 years |\n| Part 8 | 8 years |',
    ],
    ['separate paragraphs', 'One.\n\nTwo.\n\nThree.\n', [0, 2], {}, 'One.\n\nThree.'],
    [
      'a sign for what is cut off',
      'One.\n\nTwo.\n\nThree.\n',
      [0, 1],
      { isCut: true },
      'One.\n\nTwo.\n\n…',
    ],
  ])('shows %s', (_what, text, places, more, shown) => {
    expect(passageMarkdown(unitOf(open(text).sections.at(-1)!, places, more))).toBe(shown);
  });
  it('shows the heading of every part except the first', () => {
    const { units } = open('## Cause\n\nDust.\n\n## Resolution\n\nBlow.\n');
    const [whole] = units.filter(({ kind }) => kind === 'sections');
    expect(passageMarkdown(whole!)).toBe('Dust.\n\n**Resolution**\n\nBlow.');
  });
  it('closes a fence whose end was cut off', () => {
    const shown = passageMarkdown(open(`~~~sh\n${'clean --all\n'.repeat(300)}~~~\n`).units[0]!);
    expect(shown.length).toBeLessThan(1400);
    expect(shown).toMatch(/^~~~sh\nclean --all\n.*\n~~~$/s);
  });
});
