import { describe, expect, it } from 'vitest';
import { checkStatement, prepareEvidence } from '../../../src/answering/check/check-statement.ts';
import { missingLiterals } from '../../../src/answering/check/literals.ts';
import cases from './check-statement.json' with { type: 'json' };

const QUESTION = 'Does my Barista II run on 110 volts?';
const TEXTS = [...cases.evidence.flatMap(({ text, headings }) => [text, ...headings]), QUESTION];
const check = (statement: string) =>
  checkStatement(statement, prepareEvidence(cases.evidence), QUESTION);

describe('literals', () => {
  it.each(cases.equivalent)('may be written with %s', (_what, statement) =>
    expect(missingLiterals(statement, TEXTS)).toEqual([]),
  );
  it.each(cases.invented)(
    'make a statement unsupported when %s is not in the evidence',
    (_, statement, literal) => {
      expect(missingLiterals(statement, TEXTS).map(({ text }) => text)).toContain(literal);
      expect(check(statement)).toMatchObject({ isSupported: false, probability: 0 });
    },
  );
  it('are whole words when one is a prefix of another', () => {
    const evidence = ['The CD4 co-receptor recognises it, and CD40 ligand gives a signal.'];
    const statement = 'The CD4 co-receptor recognises it, and CD40 ligand gives a signal to it.';
    expect(missingLiterals(statement, evidence)).toEqual([]);
  });
});

describe('the words of a statement', () => {
  it.each(cases.supported as [string, string, number][])(
    'support one that %s',
    (_what, statement, probability) => {
      const result = check(statement);
      expect(result).toMatchObject({ isSupported: true, isContradicted: false, reason: '' });
      expect(result.probability).toBeGreaterThanOrEqual(probability);
    },
  );
  it.each(cases.doubted)('doubt one that %s', (_what, statement, reason) =>
    expect(check(statement)).toMatchObject({
      isSupported: false,
      reason: expect.stringContaining(reason),
    }),
  );
  it.each([
    ['Die Pumpe kann nicht in der Spülmaschine gewaschen werden.', false],
    ['Man kann die Pumpen in einer Spülmaschine waschen.', true],
    ['Die Pumpe hält ein ganzes Leben und kostet beim Händler wenig.', false],
  ])('are read in the language of the evidence: %s', (statement, isSupported) => {
    const text =
      'Die Pumpe kann in der Spülmaschine gewaschen werden. Der Filter gehört nicht hinein.';
    expect(
      checkStatement(statement, prepareEvidence([{ headings: ['Pflege'], text }])).isSupported,
    ).toBe(isSupported);
  });
  it('are covered by the share of its worst sentence', () => {
    expect(check('Hold Rinse for 5 seconds.').coverage).toBe(1);
    expect(check('Hold Rinse for 5 seconds. Weak acids dissolve limescale.').coverage).toBeLessThan(
      0.3,
    );
  });
});
