import { expect, it } from 'vitest';
import { passageMarkdown } from '../../../src/answering/passages/render-passage.ts';
import { UNIT_SIZE, type Unit, unitsOf } from '../../../src/answering/passages/units.ts';
import type { Piece } from '../../../src/knowledge/edition/sections.ts';
import {
  type ArticleSketch,
  articlesWith,
  editionOf,
  filler,
  listOf,
  sectionsOf,
} from '../check/articles-for-test.ts';
import cases from './units.json' with { type: 'json' };

const unitsIn = (text: string, ...others: ArticleSketch[]): Unit[] =>
  unitsOf(sectionsOf(editionOf({ id: 'a.md', text }, ...others)));
/** The text of each unit that has a piece like this, of which there is at least one. */
const shownWith = (text: string, isWanted: (piece: Piece) => boolean = () => true): string[] => {
  const units = unitsIn(text).filter(({ parts }) =>
    parts.some(({ pieces }) => pieces.some(isWanted)),
  );
  expect(units).not.toEqual([]);
  return units.map(passageMarkdown);
};
const stepsTo = (count: number): string =>
  `To reset the wheel:\n\n${listOf(count, (at) => `${at + 1}. Turn the upper wheel until it clicks, time ${at + 1}.`)}`;

const LONG = filler('An introduction that is long.', 900);

it.each(cases)('shows %s', (_what, text, shown) =>
  expect(shownWith(text.replace('{long}', LONG))).toContain(shown),
);
it('does not join unrelated sections', () => {
  const shown = shownWith(`${LONG}\n\n## Red\n\nIt is red.\n\n## Green\n\nIt is green.\n`);
  expect(shown).toContain('It is red.');
  for (const each of shown) expect(each).not.toMatch(/It is red\..*It is green\./s);
});
it('shows a procedure that fits from its beginning, with its introduction', () => {
  const text = `${filler('Some words of the beginning that are long.')}\n\n${stepsTo(12)}\n\n${filler('Words behind it.')}`;
  for (const shown of shownWith(text, ({ isStep }) => isStep))
    expect(shown).toMatch(/To reset the wheel:\n\n1\. Turn.*\n12\. Turn/s);
});
it('cuts a very long procedure between its steps, and marks all parts but the last', () => {
  const units = unitsIn(`${stepsTo(90)}\n`);
  expect(units.length).toBeGreaterThan(1);
  for (const [at, unit] of units.entries()) {
    expect(passageMarkdown(unit)).toMatch(
      at === 0 ? /^To reset the wheel:\n\n1\. Turn/ : /^\d+\. Turn/,
    );
    expect(unit).toMatchObject({ isCut: at < units.length - 1, kind: 'procedure' });
    expect(unit.size).toBeLessThanOrEqual(1500);
  }
});
it('has every character of an article in a unit, and cuts only at the end of a line or between words', () => {
  const steps = listOf(80, (at) => `${at + 1}. Turn the wheel ${at} by a quarter until it clicks.`);
  const rows = listOf(
    50,
    (at) => `| F${at} | ${filler(`Meaning ${at}`, at === 7 ? 3000 : 60)} | Do ${at} |`,
  );
  const text = [
    '# Wheel',
    ...[
      'Short.',
      filler('A long paragraph without end', 5000),
      'Brief line.',
      `Do this:\n\n${steps}`,
      '> **Caution**: hot.',
    ],
    `| Code | Meaning | Do |\n| --- | --- | --- |\n${rows}`,
    ...['Tiny.', `- ${filler('An item that goes on', 4000)}\n- short item`, 'x'.repeat(3000)],
    `\`\`\`sh\n${listOf(120, (at) => `run --number ${at} --wheel`)}\n\`\`\``,
    ...Array.from({ length: 20 }, (_, at) =>
      filler(`Paragraph ${at} with words`, at % 2 === 0 ? 550 : 30),
    ),
  ].join('\n\n');
  const sections = sectionsOf(editionOf({ id: 'a.md', text }));
  const units = unitsOf(sections);
  const shown = new Set<string>();
  for (const { parts } of units)
    for (const { section, pieces } of parts)
      for (const { start, end } of pieces)
        for (let at = start; at < end; at++) shown.add(`${section.at} ${at}`);
  const missing = sections.flatMap((section) =>
    [...section.text].flatMap((character, at) =>
      /\S/.test(character) && !shown.has(`${section.at} ${at}`) ? character : [],
    ),
  );
  expect(missing.join('')).toBe('');
  for (const { parts } of units)
    for (const { section, pieces } of parts)
      for (const { end } of pieces)
        if (section.text[end - 1] !== 'x')
          expect(section.text.slice(end - 1, end + 1)).not.toMatch(/\w\w/);
});
it('shows a later part of a code block as code', () => {
  const code = listOf(120, (at) => `run --number ${at} --wheel`);
  const shown = shownWith(`Run all:\n\n\`\`\`sh\n${code}\n\`\`\`\n`).filter((each) =>
    each.includes('--number 119'),
  );
  expect(shown.length).toBeGreaterThan(0);
  for (const each of shown) expect(each.match(/^```/gm)?.length).toBe(2);
});
it('shows every row of a long table with its header', () => {
  const head = 'Parts wear out:\n\n| Part | Life |\n| --- | --- |\n';
  const table = `${head}${listOf(60, (at) => `| P${at} | ${at} years and some |`)}\n`;
  for (const shown of shownWith(table, ({ kind }) => kind === 'row'))
    expect(shown).toContain(`${head}| P`);
});
it('keeps an introduction with the block after it', () => {
  const text = [
    filler('The wheel turns on its own axle.'),
    'Run the following command:\n\n```sh\nwheel --reset\n```',
    filler('The axle is greased once a year.'),
    'The wheel comes in these colours:\n\n- red\n- green',
    filler('The rim is made of steel.'),
  ].join('\n\n');
  for (const shown of shownWith(text)) {
    expect(shown).not.toMatch(/:\s*(?:…)?$/);
    expect(shown.includes('wheel --reset')).toBe(shown.includes('Run the following command:'));
    expect(shown.includes('- green')).toBe(shown.includes('The wheel comes in these colours:'));
  }
});
it('repeats only the last of many introductions in each part of a long list', () => {
  const items = listOf(60, (at) => `- colour number ${at} of the wheel`);
  const units = unitsIn(
    `${'It comes in many forms and kinds:\n\n'.repeat(40)}Colours:\n\n${items}\n`,
  );
  const lists = units.filter(({ kind }) => kind === 'items');
  expect(lists.length).toBeGreaterThan(1);
  for (const unit of lists) {
    expect(passageMarkdown(unit)).toContain('Colours:\n\n- colour');
    expect(unit.size).toBeLessThanOrEqual(UNIT_SIZE + 100);
  }
});
it('never shows text that is repeated in many articles', () => {
  const help = 'Still need help? Write to the team of wheels.';
  const units = unitsIn(`It turns.\n\n${help}\n`, ...articlesWith(help));
  expect(units.map(passageMarkdown)).toEqual(['It turns.']);
});
it('bounds the size of every unit with more than one piece', () => {
  const paragraphs = listOf(80, (at) => `Paragraph ${at} on the wheel.`, '\n\n');
  for (const { size, parts } of unitsIn(`${paragraphs}\n\n${'It has:\n\n'.repeat(500)}`))
    if (parts.some(({ pieces }) => pieces.length > 1)) expect(size).toBeLessThanOrEqual(1400);
});
