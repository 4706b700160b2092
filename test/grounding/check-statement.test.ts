import { describe, expect, it } from 'vitest';
import { checkStatement, prepareEvidence } from '../../src/grounding/check-statement.ts';
import cases from './check-statement.json' with { type: 'json' };

const QUESTION = 'Does my Barista II run on 110 volts?';
const check = (statement: string) => checkStatement(statement, prepareEvidence(cases.evidence), QUESTION);

describe('literals', () => {
  it.each(cases.equivalent)('may be written with %s', (_what, statement) =>
    expect(check(statement).literals).toEqual([]),
  );
  it.each(cases.invented)('make a statement unsupported when %s is not in the evidence', (_, statement, literal) => {
    const literals = expect.arrayContaining([literal]);
    expect(check(statement)).toMatchObject({ verdict: 'unsupported', probability: 0, literals });
  });
  it('are whole words when one is a prefix of another', () => {
    const evidence = [{ headings: [], text: 'The CD4 co-receptor recognises it, and CD40 ligand gives a signal.' }];
    const statement = 'The CD4 co-receptor recognises it, and CD40 ligand gives a signal to it.';
    expect(checkStatement(statement, prepareEvidence(evidence)).literals).toEqual([]);
  });
  it.each([
    ['no names in another language, which may capitalise other words', 'doubtful', [], cases.spanish],
    ['names', 'unsupported', ['acme'], 'The pump needs 12 V, and Acme can switch it on again.'],
  ])('include %s', (_what, verdict, literals, statement) =>
    expect(check(statement)).toMatchObject({ verdict, literals }),
  );
});

describe('the words of a statement', () => {
  it.each(cases.supported as [string, string, number][])('support one that %s', (_what, statement, probability) => {
    const result = check(statement);
    expect(result).toMatchObject({ verdict: 'supported', isContradicted: false, reason: '' });
    expect(result.probability).toBeGreaterThanOrEqual(probability);
  });
  it.each(cases.doubted)('doubt one that %s', (_what, statement, reason) =>
    expect(check(statement)).toMatchObject({ verdict: 'doubtful', reason: expect.stringContaining(reason) }),
  );
  it.each([
    ['Die Pumpe kann nicht in der Spülmaschine gewaschen werden.', 'doubtful'],
    ['Man kann die Pumpen in einer Spülmaschine waschen.', 'supported'],
    ['Die Pumpe hält ein ganzes Leben und kostet beim Händler wenig.', 'doubtful'],
  ])('are read in the language of the evidence: %s', (statement, verdict) => {
    const text = 'Die Pumpe kann in der Spülmaschine gewaschen werden. Der Filter gehört nicht hinein.';
    expect(checkStatement(statement, prepareEvidence([{ headings: ['Pflege'], text }])).verdict).toBe(verdict);
  });
  it('are covered by the share of its worst sentence', () => {
    expect(check('Hold Rinse for 5 seconds.').coverage).toBe(1);
    expect(check('Hold Rinse for 5 seconds. Weak acids dissolve limescale.').coverage).toBeLessThan(0.3);
  });
});
