import { beforeAll, expect, it } from 'vitest';
import { evaluateAnalytics, evaluateFigures } from '../../../research/eval/analytics.ts';
import { type Asker, startAsker } from '../../../research/eval/figures-of-questions.ts';
import CASES from './match-question.json' with { type: 'json' };

let asker: Asker;

beforeAll(async () => {
  asker = await startAsker(Date.parse('2026-11-21T12:00:00Z'));
});
it.each(['development', 'held out'] as const)(
  'finds question and values for 90 % of the %s half, and declines unanswerable ones',
  (half) => {
    const { answerable, right, unanswerable, declined } = evaluateAnalytics(half);
    expect(answerable).toBeGreaterThanOrEqual(30);
    expect(unanswerable).toBeGreaterThanOrEqual(10);
    expect(right / answerable).toBeGreaterThanOrEqual(0.9);
    expect(declined).toBe(unanswerable);
  },
);
it.each([
  ['development', 25],
  ['held out', 20],
] as const)('returns the same figures as hand-written SQL for the %s half', async (half, least) => {
  const { right, wrong, answeredWrongly } = await evaluateFigures(half);
  expect({ wrong, answeredWrongly }).toEqual({ wrong: 0, answeredWrongly: 0 });
  expect(right).toBeGreaterThanOrEqual(least);
});
it.each(CASES.declined)('declines %s: %s', (_what, question = '') =>
  expect(asker.ask(question)).toBeUndefined(),
);
it.each(CASES.read as [string, string, object][])(
  'reads the values in: %s',
  (question, name, labels) => {
    expect(asker.ask(question)?.match).toMatchObject({ question: { name }, labels });
  },
);
