import { describe, expect, it } from 'vitest';
import { passageMarkdown } from '../../src/grounding/render-passage.ts';
import { cachedSection, sectionRanges } from '../../src/grounding/sections.ts';
import { PROCEDURE_SIZE, UNIT_SIZE, type Unit, unitsOf } from '../../src/grounding/units.ts';
import { type ArticleSketch, editionOf } from './articles-for-test.ts';

const unitsIn = (text: string, ...others: ArticleSketch[]): Unit[] => {
  const edition = editionOf({ id: 'a.md', text }, ...others);
  return unitsOf(sectionRanges(edition, 0).map((range) => cachedSection(edition, range)));
};
const shownOf = (text: string): string[] => unitsIn(text).map(passageMarkdown);
const filler = (words: string, size = 500): string => `${words} `.repeat(Math.ceil(size / (words.length + 1))).trim();
const steps = (count: number, each = 'Turn the upper wheel until it clicks'): string =>
  Array.from({ length: count }, (_, at) => `${at + 1}. ${each}, time ${at + 1}.`).join('\n');

describe('unitsOf()', () => {
  it('shows a short section as a whole, and all of a short article', () => {
    const text = '## Care\n\nWipe it.\n\nDry it.\n\n## Parts\n\nOrder them.\n';
    expect(shownOf(text)).toContain('Wipe it.\n\nDry it.');
    expect(unitsIn(text).map(({ kind }) => kind)).toContain('sections');
  });

  it('never begins a procedure in the middle, and shows it with its introduction', () => {
    const text = `${filler('Some words of the beginning that are long.')}\n\nTo reset the wheel:\n\n${steps(12)}\n\n${filler('Words behind it.')}`;
    const withSteps = unitsIn(text).filter(({ parts }) =>
      parts.some(({ pieces }) => pieces.some((each) => each.isStep)),
    );
    expect(withSteps.length).toBeGreaterThan(0);
    for (const unit of withSteps) {
      const shown = passageMarkdown(unit);
      expect(shown).toContain('To reset the wheel:\n\n1. Turn');
      expect(shown).toContain('12. Turn');
    }
  });

  it('cuts a very long procedure only at its end, and marks it', () => {
    const text = `To reset the wheel:\n\n${steps(90)}\n`;
    const units = unitsIn(text);
    expect(units.length).toBeGreaterThan(0);
    for (const unit of units) {
      expect(passageMarkdown(unit)).toMatch(/^To reset the wheel:\n\n1\. Turn/);
      expect(passageMarkdown(unit)).toMatch(/\n\n…$/);
      expect(unit).toMatchObject({ isCut: true, kind: 'procedure' });
      expect(unit.size).toBeLessThanOrEqual(PROCEDURE_SIZE + 100);
    }
  });

  it('shows every row of a long table with its header', () => {
    const rows = Array.from({ length: 60 }, (_, at) => `| P${at} | ${at} years and some |`).join('\n');
    const units = unitsIn(`Parts wear out:\n\n| Part | Life |\n| --- | --- |\n${rows}\n`);
    const withRows = units.filter(({ parts }) => parts.some(({ pieces }) => pieces.some(({ kind }) => kind === 'row')));
    expect(withRows.length).toBeGreaterThan(0);
    for (const unit of withRows)
      expect(passageMarkdown(unit)).toContain('Parts wear out:\n\n| Part | Life |\n| --- | --- |\n| P');
  });

  it('keeps an introduction with the block after it', () => {
    const text = [
      filler('The wheel turns on its own axle.'),
      'Run the following command:',
      '```sh\nwheel --reset\n```',
      filler('The axle is greased once a year.'),
      'The wheel comes in these colours:',
      '- red\n- green',
      filler('The rim is made of steel.'),
    ].join('\n\n');
    for (const shown of shownOf(text)) {
      expect(shown).not.toMatch(/:\s*(?:…)?$/);
      expect(shown.includes('wheel --reset')).toBe(shown.includes('Run the following command:'));
      expect(shown.includes('- green')).toBe(shown.includes('The wheel comes in these colours:'));
    }
  });

  it('repeats only the last of many introductions in each part of a long list', () => {
    const items = Array.from({ length: 60 }, (_, at) => `- colour number ${at} of the wheel`).join('\n');
    const units = unitsIn(`${'It comes in many forms and kinds:\n\n'.repeat(40)}Colours:\n\n${items}\n`);
    const lists = units.filter(({ kind }) => kind === 'items');
    expect(lists.length).toBeGreaterThan(1);
    for (const unit of lists) {
      expect(passageMarkdown(unit)).toContain('Colours:\n\n- colour');
      expect(unit.size).toBeLessThanOrEqual(UNIT_SIZE + 100);
    }
  });

  it('shows symptom, cause and resolution together', () => {
    const text = '## Symptom\n\nIt squeaks.\n\n## Cause\n\nDust.\n\n## Resolution\n\nGrease it.\n';
    const long = filler('An introduction that is long.', 900);
    for (const article of [text, `${long}\n\n${text}`])
      expect(shownOf(article)).toContain('It squeaks.\n\n**Cause**\n\nDust.\n\n**Resolution**\n\nGrease it.');
  });

  it('does not join unrelated sections', () => {
    const long = filler('An introduction that is long.', 900);
    const shown = shownOf(`${long}\n\n## Red\n\nIt is red.\n\n## Green\n\nIt is green.\n`);
    expect(shown).toContain('It is red.');
    expect(shown.some((each) => each.includes('It is red.') && each.includes('It is green.'))).toBe(false);
  });

  it('shows a section with its subsections', () => {
    const long = filler('An introduction that is long.', 900);
    expect(shownOf(`${long}\n\n## Care\n\nOnce a year.\n\n### Wheels\n\nWith grease.\n\n## End\n\nDone.\n`)).toContain(
      'Once a year.\n\n**Wheels**\n\nWith grease.',
    );
  });

  it('never shows text that is repeated in many articles', () => {
    const help = 'Still need help? Write to the team of wheels.';
    const others = Array.from({ length: 4 }, (_, at) => ({ id: `b${at}.md`, text: `Text ${at}.\n\n${help}` }));
    const units = unitsIn(`It turns.\n\n${help}\n`, ...others);
    expect(units.map(passageMarkdown)).toEqual(['It turns.']);
  });

  it('bounds the size of every unit with more than one piece', () => {
    const text = `${Array.from({ length: 80 }, (_, at) => `Paragraph ${at} on the wheel.`).join('\n\n')}\n\n${'It has:\n\n'.repeat(500)}`;
    for (const { size, parts } of unitsIn(text))
      if (parts.some(({ pieces }) => pieces.length > 1)) expect(size).toBeLessThanOrEqual(PROCEDURE_SIZE);
  });
});
