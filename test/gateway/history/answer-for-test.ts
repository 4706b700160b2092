import type { AnswerInput } from '../../../src/contract/wire/answers.ts';

/** Time of answer 0. */
export const NOW = Date.UTC(2026, 10, 25, 12);
export function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export function answerOf(number: number, more: Partial<AnswerInput> = {}): AnswerInput {
  return {
    id: idOf(number),
    asked_at: new Date(NOW + number).toISOString(),
    question: `Question ${number}?`,
    verdict: 'answered',
    confidence: 0.9,
    interface: 'rest',
    librarians: ['navigator'],
    edition: null,
    asked_by: 'user:key-1',
    duration_ms: 20,
    tokens: 0,
    cost_usd: 0,
    cached: false,
    answer: 'Yes.',
    statements: [],
    sources: [],
    closest: [],
    timings: { total: 20 },
    metadata: {},
    budgets: { granted: {}, spent: {} },
    ...more,
  };
}
