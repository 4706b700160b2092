import { expect, it } from 'vitest';
import { maskAnswer } from '../../src/answers/mask-answer.ts';
import type { AnswerInput } from '../../src/contract/answers.ts';
import { createMask, readMaskKinds } from '../../src/runtime/privacy/mask.ts';

const MAIL = 'jane.doe@example.com';
const quote = `Write to ${MAIL}.`;
const source = { name: `About ${MAIL}`, file: `${MAIL}.md`, quote, start: 0, end: quote.length };

const ANSWER: AnswerInput = {
  ...{ id: '00000000-0000-4000-8000-000000000001', asked_at: '2026-11-25T12:00:00Z', asked_by: 'user:k' },
  ...{ question: `I am ${MAIL}`, understood_as: `Who is ${MAIL}?`, answer: `You are ${MAIL}` },
  ...{ verdict: 'answered', confidence: 0.9, interface: 'rest', librarians: [], edition: null },
  ...{ duration_ms: 1, tokens: 0, cost_usd: 0, cached: false, timings: { total: 1 } },
  budgets: { granted: {}, spent: {} },
  statements: [{ text: `It is ${MAIL}`, sources: [source], support: 1, check: 'quoted' }],
  sources: [{ name: `About ${MAIL}` }],
  closest: [{ title: `Near ${MAIL}` }],
  error: { code: 'TIMEOUT', message: `No reply for ${MAIL}` },
  metadata: { navigator: { terms: ['jane.doe', 'exampl', 'reset'], note: MAIL } },
};

it('masks every text but the quotes and ids of articles, and the words of a masked question', () => {
  const { statements, ...masked } = maskAnswer(ANSWER, createMask(readMaskKinds('')).mask);
  const [statement] = statements;
  expect(statement?.sources[0]).toEqual({ ...source, name: 'About [email]' });
  expect(statement?.text).toBe('It is [email]');
  expect(JSON.stringify(masked)).not.toMatch(/jane|doe|example/);
  expect(masked).toMatchObject({
    ...{ question: 'I am [email]', understood_as: 'Who is [email]?', answer: 'You are [email]' },
    ...{ sources: [{ name: 'About [email]' }], closest: [{ title: 'Near [email]' }] },
    error: { code: 'TIMEOUT', message: 'No reply for [email]' },
    metadata: { navigator: { terms: ['[masked].[masked]', '[masked]', 'reset'] } },
  });
});
