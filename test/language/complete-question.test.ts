import { expect, it } from 'vitest';
import { completedQuestion } from '../../src/language/complete-question.ts';
import CASES from './complete-question.json' with { type: 'json' };

it.each(CASES.completed as [string, string, string][])(
  'completes after %j: %j',
  (question, followUp, full) => {
    expect(completedQuestion(followUp, { question })).toBe(full);
  },
);

it.each(CASES.unchanged as [string, string, string][])(
  'leaves a question unchanged %s',
  (_, question, followUp) => {
    expect(completedQuestion(followUp, { question })).toBe(followUp);
  },
);

it('leaves a question without one before it unchanged', () =>
  expect(completedQuestion('And?', undefined)).toBe('And?'));

it.each(['and it ', 'A1 ', 'in the of ', '它', "l'", '¿', 'Is it for the Orbit 2, '])(
  'reads %j without end',
  (text) => {
    const long = text.repeat(400);
    expect(completedQuestion(`And in Eco? ${text}`, { question: long }).length).toBeLessThan(
      long.length + 200,
    );
    expect(completedQuestion(long, { question: long }).length).toBeLessThan(2 * long.length + 200);
  },
);
