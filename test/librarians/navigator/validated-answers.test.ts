import { describe, expect, it } from 'vitest';
import { answerFromEdition } from '../../../src/answering/write/answer-from-edition.ts';
import type { NavigatorAnswer } from '../../../src/answering/write/navigator-answer.ts';
import { validAnswer } from '../../../src/answering/write/valid-answer.ts';
import type { NavigatorResponse } from '../../../src/contract/core/navigator-response.ts';
import type { EditionArticle } from '../../../src/knowledge/edition/open-edition.ts';
import { createApp } from '../../../src/librarians/navigator/navigator-librarian.ts';
import { OFTEN, openSmallKb } from '../../answering/write/small-kb.ts';
import { callFrom, identityOf, targetOf, userContext } from '../../platform/context/callers.ts';

const { response, ...answer } = answerFromEdition(openSmallKb().edition, OFTEN);

/** What leaves the navigator when the articles of its edition are read differently. */
const ask = async (path: string, article: Partial<EditionArticle> = {}) => {
  const { edition } = openSmallKb();
  const read = { ...edition, article: (at: number) => ({ ...edition.article(at), ...article }) };
  const own = { ...(await identityOf('navigator')), log: () => undefined };
  const app = createApp({ ...own, editionFor: async () => read });
  const result = await callFrom('gateway', userContext({ capabilities: ['kb:read'] }), {
    targets: { navigator: targetOf(app).target },
    request: { to: 'navigator', path, body: { query: OFTEN } },
  });
  if (!result.answer.ok) throw new Error(result.answer.error.message);
  // biome-ignore lint/suspicious/noExplicitAny: tests check replies of any shape
  return { status: result.answer.status, reply: result.answer.json() as any };
};

describe.each(['/v1/navigate', '/librarians/navigator/ask'])(
  'an answer of quotes at %s',
  (path) => {
    it('leaves when it keeps the contract', async () => {
      expect(await ask(path)).toMatchObject({
        status: 200,
        reply: { answer: response.answer },
      });
    });
    it('does not leave with a blank file', async () => {
      const { status, reply } = await ask(path, { id: ' ' });
      expect([status, reply.error?.code, reply.answer]).toEqual([500, 'INTERNAL_ERROR', undefined]);
    });
  },
);

it('does not send a source with a blank title', async () => {
  const { status, reply } = await ask('/librarians/navigator/ask', { title: ' ' });
  expect([status, reply.error?.code]).toEqual([500, 'INTERNAL_ERROR']);
});

describe('an answer', () => {
  const withResponse = (members: Partial<NavigatorResponse>): Partial<NavigatorAnswer> => ({
    response: { ...response, ...members },
  });
  it.each<[string, Partial<NavigatorAnswer>]>([
    ['no evidence', withResponse({ sources: [] })],
    ['sources out of its domain', withResponse({ outOfDomain: true })],
    ['a vague reason', withResponse({ confidenceReason: 'Seems right to me' })],
    ['a probability that is no number', { probability: Number.NaN }],
    ['a probability above 1', { probability: 1.2 }],
  ])('is refused with %s', (_, members) => {
    expect(() => validAnswer({ ...answer, response, ...members })).toThrow(/breaks the navigator/);
  });
  it('loses an optional member that breaks the contract, and names the rule', () => {
    const faulty = withResponse({ relatedTopics: [' '] });
    const valid = validAnswer({ ...answer, response, ...faulty });
    expect(valid.response).not.toHaveProperty('relatedTopics');
    expect(valid.response.answer).toBe(response.answer);
    expect(valid.violations).toEqual([{ rule: 'form', outcome: 'dropped' }]);
  });
});
