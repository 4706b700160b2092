import { describe, expect, it } from 'vitest';
import { excerptsOf, passageMarkdown } from '../../src/grounding/render-passage.ts';
import { cachedSection, type Section, sectionRanges } from '../../src/grounding/sections.ts';
import { type Unit, unitsOf } from '../../src/grounding/units.ts';
import { editionOf } from './articles-for-test.ts';

const open = (text: string) => {
  const edition = editionOf({ id: 'a.md', text });
  const sections = sectionRanges(edition, 0).map((range) => cachedSection(edition, range));
  return { edition, sections, units: unitsOf(sections) };
};
const unitOf = (section: Section | undefined, places: readonly number[], more: Partial<Unit> = {}): Unit => {
  if (section === undefined) throw new Error('there is no such section');
  const pieces = places.flatMap((place) => section.pieces[place] ?? []);
  return { parts: [{ section, pieces }], kind: 'group', size: 1, isLater: false, isCut: false, ...more };
};

/** Blocks of all kinds, long enough for several chunks. */
const TEXT = `Before all.

# Care

${'Wipe it with a cloth. '.repeat(90)}

To clean it:

1. Open it.
2. Rinse it,

   with \`water\`.

\`\`\`sh
clean --all
\`\`\`

## Parts

| Part | Life |
| --- | --- |
${Array.from({ length: 90 }, (_, at) => `| Part ${at} | ${at} years |`).join('\n')}

- one
- two
`;

describe('excerptsOf()', () => {
  it('returns the exact words of the article, in order, with their positions in chunks', () => {
    const { edition, units } = open(TEXT);
    expect(edition.chunkCount).toBeGreaterThan(4);
    for (const unit of units) {
      const excerpts = excerptsOf(edition, unit);
      expect(excerpts.length).toBeGreaterThan(0);
      for (const { chunk, start, end } of excerpts)
        expect(TEXT.slice(chunk.start + start, chunk.start + end)).toBe(chunk.text.slice(start, end));
      const places = excerpts.map(({ chunk, start }) => chunk.start + start);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    }
  });

  it('returns exactly the words that are shown', () => {
    const { edition, units } = open(TEXT);
    const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];
    for (const unit of units.filter(({ kind, isCut }) => kind !== 'sections' && !isCut)) {
      const shown = wordsOf(passageMarkdown(unit));
      expect(
        excerptsOf(edition, unit).flatMap(({ chunk, start, end }) => wordsOf(chunk.text.slice(start, end))),
      ).toEqual(shown);
    }
  });
});

describe('passageMarkdown()', () => {
  it.each([
    '<script>alert(1)</script>',
    '<!-- alert(1) -->',
    '<style>alert(1)</style>',
    '<iframe src="alert(1)"></iframe>',
  ])('omits invisible content between two paragraphs, also from the excerpts: %s', (hidden) => {
    const { edition, units } = open(`One.\n\n${hidden}\n\nTwo.\n`);
    const [unit] = units;
    expect(unit && passageMarkdown(unit)).toBe('One.\n\nTwo.');
    expect(unit && excerptsOf(edition, unit).map(({ chunk, start, end }) => chunk.text.slice(start, end))).toEqual([
      'One.',
      'Two.',
    ]);
  });

  it('shows adjacent pieces unchanged, and separate rows as one table', () => {
    const { sections } = open(TEXT);
    const parts = sections.at(-1);
    expect(passageMarkdown(unitOf(parts, [0, 3, 4, 9], { kind: 'rows', isCut: true }))).toBe(
      '| Part | Life |\n| --- | --- |\n| Part 2 | 2 years |\n| Part 3 | 3 years |\n| Part 8 | 8 years |',
    );
  });

  it('marks omitted paragraphs and list items', () => {
    const { sections } = open('One.\n\nTwo.\n\nThree.\n');
    expect(passageMarkdown(unitOf(sections[0], [0, 2]))).toBe('One.\n\nThree.');
    expect(passageMarkdown(unitOf(sections[0], [0, 1], { isCut: true }))).toBe('One.\n\nTwo.\n\n…');
  });

  it('shows the heading of every part except the first', () => {
    const { sections, units } = open('## Cause\n\nDust.\n\n## Resolution\n\nBlow.\n');
    const [unit] = units.filter(({ kind }) => kind === 'sections');
    expect(unit && passageMarkdown(unit)).toBe('Dust.\n\n**Resolution**\n\nBlow.');
    expect(sections).toHaveLength(2);
  });

  it('closes a fence whose end was cut off', () => {
    const { units } = open(`~~~sh\n${'clean --all\n'.repeat(300)}~~~\n`);
    const [shown = ''] = units.map(passageMarkdown);
    expect(shown.length).toBeLessThan(1400);
    expect(shown).toMatch(/^~~~sh\nclean --all\n.*\n~~~$/s);
  });
});
