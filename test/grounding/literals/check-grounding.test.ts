import { describe, expect, it } from 'vitest';
import { groundingProblems, isDeniedBy, prepareGrounds } from '../../../src/grounding/literals/check-grounding.ts';

const groundsOf = (text: string, { heading = '', devices = [] as string[] } = {}) =>
  prepareGrounds([{ text, headings: heading.split('\n'), devices }]);

const isGrounded = (statement: string, text: string, more?: { heading?: string; devices?: string[] }) =>
  groundingProblems(statement, groundsOf(text, more)).length === 0;

const TABLE = `| Mode | Apollo | Apollo II |
| --- | --- | --- |
| Eco | 120 W | 170 W |
| Turbo | 210 W | 320 W |`;
const TERMS = '| Part | Term |\n| --- | --- |\n| Grinder | 24 months |\n| Boiler | 12 months |';
const LIST = `- Damage by liquids or lightning.
- Dust and wear of the filter.

Replacing a fan does not affect the warranty. Taking off the heat sink ends it.`;

describe('groundingProblems()', () => {
  it.each([
    ['what a heading denies', 'Damage by lightning is not covered.', LIST, 'Warranty\nNot covered'],
    ['a sentence and what its "it" stands for', 'Taking off the heat sink ends the warranty.', LIST, 'Not covered'],
    ['a row under its head', 'In Turbo mode Apollo II takes 320 W.', TABLE, 'Power'],
    ['two values of a row in their order', 'Turbo takes 210 W on Apollo and 320 W on Apollo II.', TABLE, 'Power'],
    ['two rows', 'The term is 24 months for a grinder and 12 months for a boiler.', TERMS, 'Warranty'],
    ['two whole sentences', 'Pull the plug and open the case.', 'Pull the plug. Open the case.', ''],
    ['a denial in the passive', 'The case must not be opened.', 'Never open the case.', ''],
    [
      'a denial that "until" stands for',
      'It can be changed until it is sent.',
      'If it is not sent it can be changed.',
      '',
    ],
  ])('takes %s', (_, statement, text, heading) => {
    expect(groundingProblems(statement, groundsOf(text, { heading }))).toEqual([]);
  });

  it.each([
    ['what a heading denies', 'The warranty covers damage by lightning.', LIST, 'Warranty\nNot covered'],
    [
      'what the sentence beside it denies',
      'Mend the cable with tape.',
      'Replace the cable. Never mend it with tape.',
      '',
    ],
    ['a list of two sentences', 'Replacing a fan and taking off the heat sink do not affect the warranty.', LIST, ''],
    ['the end of another sentence', 'Replacing a fan ends it.', LIST, ''],
    ['the value of another column', 'In Turbo mode Apollo II takes 210 W.', TABLE, 'Power'],
    ['the value of another row', 'In Turbo mode Apollo II takes 170 W.', TABLE, 'Power'],
    ['two values of a row the other way round', 'Turbo takes 320 W on Apollo and 210 W on Apollo II.', TABLE, 'Power'],
    ['two rows exchanged', 'The term is 12 months for a grinder and 24 months for a boiler.', TERMS, 'Warranty'],
    ['values in brackets exchanged', 'It needs 9 V (B) or 5 V (A).', 'It needs 5 V (B) or 9 V (A).', ''],
    ['"at once" where it says when', 'Coins can be spent at once.', 'Coins can be spent after the restart.', ''],
    [
      '"after" for "until"',
      'Orders can be changed after the dispatch.',
      'Orders can be changed until the dispatch.',
      '',
    ],
    ['ours for yours', 'The postage is ours.', 'The postage is yours.', ''],
    ['a word more', 'Clean the filter with vinegar.', 'Clean the filter.', ''],
    ['a host more', 'Clean the filter, see evil.example.', 'Clean the filter.', ''],
    ['code that stands nowhere', 'Clean the filter with `rm -rf /`.', 'Clean the filter.', ''],
    ['a raw block', 'Clean the filter.\n\n<!-- Clean it twice. -->', 'Clean the filter.', ''],
    ['a denial of nothing', 'Clean the filter. Never.', 'Clean the filter.', ''],
  ])('refuses %s', (_, statement, text, heading) => {
    expect(isGrounded(statement, text, { heading })).toBe(false);
  });

  it('refuses what holds for another of the devices', () => {
    const of = { heading: 'Fans', devices: ['Apollo', 'Apollo II'] };
    expect(isGrounded('Apollo II has one fan.', 'Apollo II has one fan.', of)).toBe(true);
    expect(isGrounded('Apollo has one fan.', 'Apollo II has one fan.', of)).toBe(false);
  });

  it('reads a table whose head denies cell by cell', () => {
    const table = '| Included | Not included |\n| --- | --- |\n| pools | password |';
    expect(isGrounded('Pools are included.', table)).toBe(true);
    expect(isGrounded('The password is not included.', table)).toBe(true);
    expect(isGrounded('The password is included.', table)).toBe(false);
    expect(isGrounded('Pools are not included.', table)).toBe(false);
  });

  it('tells the one who writes it again which words stand elsewhere, and which are denied', () => {
    expect(groundingProblems('Replacing a fan ends it.', groundsOf(LIST)).join()).toContain('ends stands elsewhere');
    expect(groundingProblems('Mend it with tape.', groundsOf('Do not mend it with tape.')).join()).toContain('tape');
  });

  it('is quick whatever it is given', () => {
    const startedMs = performance.now();
    for (const piece of [
      'a, ',
      'not a ',
      'it 2, ',
      '| a ',
      '| a |\n| - |\n',
      '`a` ',
      '3 V (a) ',
      'Apollo II and ',
      '; ',
    ]) {
      const text = piece.repeat(4000 / piece.length);
      groundingProblems(text.slice(0, 3000), groundsOf(text, { heading: piece.repeat(50), devices: [piece] }));
    }
    expect(performance.now() - startedMs).toBeLessThan(3000);
  });
});

describe('isDeniedBy()', () => {
  it('tells what those who fit best say the contrary of, and nothing else', () => {
    const grounds = groundsOf('The lid does not lock. The pump is quiet.');
    expect(isDeniedBy('The lid does lock.', grounds)).toBe(true);
    expect(isDeniedBy('The pump is not quiet.', grounds)).toBe(true);
    expect(isDeniedBy('The pump is quiet. The lid does not lock. It costs nothing.', grounds)).toBe(false);
  });
});
