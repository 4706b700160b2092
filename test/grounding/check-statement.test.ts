import { describe, expect, it } from 'vitest';
import { checkStatement } from '../../src/grounding/check-statement.ts';
import cases from './check-statement.json' with { type: 'json' };

const EVIDENCE = cases.evidence;
const QUESTION = 'Does my Barista II run on 110 volts?';
const check = (statement: string) => checkStatement(statement, EVIDENCE, { question: QUESTION });

describe('literals', () => {
  it.each(cases.equivalent)('may be written with %s', (_what, statement) =>
    expect(check(statement).literals).toEqual([]),
  );
  it.each(cases.invented)(
    'make a statement unsupported when %s is not in the evidence',
    (_what, statement, literal) => {
      expect(check(statement)).toMatchObject({ verdict: 'unsupported', probability: 0 });
      expect(check(statement).literals).toContain(literal);
    },
  );
});

it('identifiers are compared as whole words when one is a prefix of another', () => {
  const evidence = [{ headings: [], text: 'The CD4 co-receptor recognises it, and CD40 ligand gives a signal.' }];
  const statement = 'The CD4 co-receptor recognises it, and CD40 ligand gives a signal to it.';
  expect(checkStatement(statement, evidence, { question: '' }).literals).toEqual([]);
});

it('names are not compared across languages, where other words may be capitalised', () => {
  const spanish =
    'Para empezar, llena el depósito con agua. La bomba necesita 12 V, y Después la puedes encender de nuevo.';
  expect(check(spanish).verdict).toBe('doubtful');
  const expected = { verdict: 'unsupported', literals: ['acme'] };
  expect(check('The pump needs 12 V, and Acme can switch it on again.')).toMatchObject(expected);
});

describe('the words of a statement', () => {
  it.each([
    ['is in the evidence word for word', 'The pump needs 12 V and draws 1,200 mA.', 1],
    ['paraphrases the evidence', 'You need a pump with 12 V that draws 1,200 mA.', 0.5],
    ['contains the negation of a heading', 'Damage by lightning is not covered.', 0.5],
  ])('support one that %s', (_what, statement, probability) => {
    const result = check(statement);
    expect(result).toMatchObject({ verdict: 'supported', negationDiffers: false, reason: '' });
    expect(result.probability).toBeGreaterThanOrEqual(probability);
  });

  it.each(cases.doubted)('doubt one that %s', (_what, statement, reason) => {
    const result = check(statement);
    expect(result.verdict).toBe('doubtful');
    expect(result.reason).toContain(reason);
  });
  it('are covered by the share of its worst sentence', () => {
    expect(check('Hold Rinse for 5 seconds.').coverage).toBe(1);
    const { coverage } = check('Hold Rinse for 5 seconds. Weak acids dissolve limescale.');
    expect(coverage).toBeLessThan(0.3);
  });
  it.each(['Follow these steps:', 'Then run this command:', "We don't have information about this."])(
    'need no evidence in %j',
    (statement) => expect(check(statement).verdict).toBe('supported'),
  );
});
