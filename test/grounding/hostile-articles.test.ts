import { describe, expect, it } from 'vitest';
import { findAnswer } from '../../src/grounding/find-answer.ts';
import { excerptsOf, passageMarkdown } from '../../src/grounding/render-passage.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { bestTime } from '../best-time.ts';
import { articleOf, editionOf } from './articles-for-test.ts';

const QUESTION = 'How does the boiler pump work?';
const lines = (size: number, line: (at: number) => string): string => {
  let text = '';
  for (let at = 0; text.length < size; at++) text += `${line(at)}\n`;
  return text;
};

/** Texts that make a naive parser quadratic, or its answer endless, by size in UTF-16 units. */
const SHAPES: Record<string, (size: number) => string> = {
  'one long paragraph': (size) => 'The pump of the boiler draws water from the tank. '.repeat(size / 50),
  'one sentence without an end': (size) => 'pump boiler '.repeat(size / 12),
  'one word': (size) => `pump boiler ${'x'.repeat(size)}`,
  'a huge block of code': (size) => `Pump:\n\n\`\`\`\n${'brewctl pump boiler on\n'.repeat(size / 23)}\`\`\`\n`,
  'code in one line': (size) => `\`\`\`\n${'pump boiler '.repeat(size / 12)}\n\`\`\`\n`,
  'a table of many rows': (size) =>
    `| Pump | Boiler |\n| --- | --- |\n${lines(size, (at) => `| pump ${at} | boiler ${at * 7} |`)}`,
  'a row without an end': (size) => `| a | b |\n| --- | --- |\n| pump boiler | ${'x ['.repeat(size / 3)} |\n`,
  'a long list': (size) => lines(size, (at) => `- pump ${at} and boiler ${at * 7}`),
  'an item without an end': (size) => `- pump boiler ${'x [y](z) '.repeat(size / 9)}\n- other\n`,
  'a procedure of many steps': (size) => lines(size, (at) => `${at + 1}. Turn the pump ${at} of the boiler`),
  'many headings': (size) => lines(size, (at) => `## Pump ${at}\n\nThe boiler ${at} pump.\n`),
  'the same heading again and again': (size) => lines(size, (at) => `## Pump\n\nThe boiler ${at} pump.\n`),
  'many announcements': (size) => 'The pump of the boiler:\n\n'.repeat(size / 25),
  'many announcements before a list': (size) =>
    'The pump of the boiler:\n\n'.repeat(size / 50) + lines(size / 2, (at) => `- pump ${at} boiler`),
  'many tiny paragraphs': (size) => `${'a\n\n'.repeat(size / 3)}pump boiler`,
  'many brackets': (size) => `pump boiler ${'['.repeat(size)}`,
  'many backticks': (size) => `pump boiler ${'`'.repeat(size)}`,
  'many fences': (size) => '```\npump boiler\n'.repeat(size / 16),
  'many links begun': (size) => 'pump [boiler]('.repeat(size / 14),
  'many tags begun': (size) => '<div>pump boiler '.repeat(size / 17),
  'many comments begun': (size) => `pump boiler\n\n${'<!-- a '.repeat(size / 7)}`,
  'deep quotes': (size) => `${'> '.repeat(size / 2)}pump boiler`,
  'white space': (size) => `pump boiler${' '.repeat(size / 2)}${'\n'.repeat(size / 2)}x`,
  'many pipes': (size) => `pump boiler\n${'|'.repeat(size)}\n`,
};

const answer = (text: string) => {
  const edition = editionOf({ id: 'a.md', title: 'Pumps', text });
  const found = findAnswer(edition, QUESTION, { searches: [searchEdition(edition, QUESTION)] });
  return { edition, found };
};

/** Linear work takes ten times as long, quadratic work a hundred times. */
const TEN_TIMES = 30;
/** Fixed costs, such as building an edition. */
const CONSTANT_MS = 10;

describe('an answer from a hostile article', () => {
  it.each(Object.entries(SHAPES))(
    'of %s takes time in proportion to its size, and no more room than a page',
    (_, make) => {
      const [small, large] = [make(12_000), make(120_000)];
      const { edition, found } = answer(large);
      for (const { unit } of found.passages) {
        expect(passageMarkdown(unit).length).toBeLessThan(1500);
        for (const { chunk, start, end } of excerptsOf(edition, unit))
          expect(large.slice(chunk.start + start, chunk.start + end)).toBe(chunk.text.slice(start, end));
      }
      const times = [small, large].map((text) => bestTime(() => answer(text), 3));
      expect(times[1]).toBeLessThan(TEN_TIMES * ((times[0] ?? 0) + CONSTANT_MS));
    },
  );

  it('is found among three million characters', () => {
    const text = `${lines(1_500_000, (at) => `Paragraph ${at} on other things.\n`)}\nThe pump of the boiler works by pressure.\n\n${lines(1_500_000, (at) => `| ${at} | [x](y |`)}`;
    const { found } = answer(text);
    expect(found.passages.map(({ unit }) => passageMarkdown(unit)).join('\n')).toContain('works by pressure');
  });

  it('does not read the same article again for the next question', () => {
    const text = SHAPES['a table of many rows']?.(300_000) ?? '';
    const edition = editionOf(articleOf({ id: 'a.md', title: 'Pumps', text }));
    const ask = (question: string) =>
      findAnswer(edition, question, { searches: [searchEdition(edition, question)] }).passages;
    const [first = 0] = [bestTime(() => answer(text), 1)];
    ask(QUESTION);
    expect(bestTime(() => ask('Which boiler has pump 77?'), 3)).toBeLessThan(first);
    expect(ask('Which boiler has pump 77?').map(({ unit }) => passageMarkdown(unit))[0]).toContain(
      '| pump 77 | boiler 539 |',
    );
  });
});
