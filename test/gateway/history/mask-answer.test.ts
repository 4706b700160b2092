import { expect, it } from 'vitest';
import { maskAnswer } from '../../../src/gateway/history/answer-routes.ts';
import { createMask } from '../../../src/language/privacy/mask.ts';
import { readMaskKinds } from '../../../src/language/privacy/mask-settings.ts';
import { answerOf } from './answer-for-test.ts';

const MAIL = 'jane.doe@example.com';
const quote = `Write to ${MAIL}.`;
const source = { name: `About ${MAIL}`, file: `${MAIL}.md`, quote, start: 0, end: quote.length };

it('masks every text but the quotes and ids of articles, and the words of a masked question', () => {
  const answer = answerOf(1, {
    question: `I am ${MAIL}`,
    understood_as: `Who is ${MAIL}?`,
    answer: `You are ${MAIL}`,
    statements: [{ text: `It is ${MAIL}`, sources: [source], support: 1, check: 'quoted' }],
    sources: [{ name: `About ${MAIL}` }],
    closest: [{ title: `Near ${MAIL}` }],
    error: { code: 'TIMEOUT', message: `No reply for ${MAIL}` },
    metadata: { navigator: { terms: ['jane.doe', 'exampl', 'reset'], note: MAIL } },
  });
  const { statements, ...masked } = maskAnswer(answer, createMask(readMaskKinds({})).mask);
  expect(statements).toMatchObject([
    { text: 'It is [email]', sources: [{ ...source, name: 'About [email]' }] },
  ]);
  expect(JSON.stringify(masked)).not.toMatch(/jane|doe|example/);
  expect(masked).toMatchObject({
    question: 'I am [email]',
    understood_as: 'Who is [email]?',
    answer: 'You are [email]',
    sources: [{ name: 'About [email]' }],
    closest: [{ title: 'Near [email]' }],
    error: { code: 'TIMEOUT', message: 'No reply for [email]' },
    metadata: { navigator: { terms: ['[masked].[masked]', '[masked]', 'reset'] } },
  });
});
