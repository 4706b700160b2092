import { describe, expect, it } from 'vitest';
import { compareStatements } from '../../../src/gateway/answer-routes.ts';
import { outcomeOf, readKeepAnswers } from '../../../src/gateway/history/keep-answers.ts';

describe('KEEP_ANSWERS', () => {
  it.each([
    ['', false, []],
    [undefined, true, ['acme', 'globex']],
    ['none', true, []],
    ['all', false, ['acme', 'globex']],
    ['acme, other', false, ['acme']],
  ])('%j (local: %j) keeps the answers of %j', (variable, isLocal, kept) => {
    const keeps = readKeepAnswers({
      KEEP_ANSWERS: variable,
      ENVIRONMENT: isLocal ? 'development' : 'production',
    });
    expect(['acme', 'globex'].filter(keeps)).toEqual(kept);
  });
  it('refuses an invalid workspace id', () => {
    expect(() => readKeepAnswers({ KEEP_ANSWERS: 'acme;globex' })).toThrow('KEEP_ANSWERS');
  });
});

describe('outcomeOf()', () => {
  it('keeps the answer and its evidence once, and the rest of what a librarian replies', () => {
    const reply = { answer: 'Four days.', sources: [{ file: 'shipping.md' }], outOfDomain: false };
    const navigator = {
      ...reply,
      confidenceReason: 'Medium: every word is there.',
      relatedTopics: ['Customs'],
    };
    const { answer, metadata } = outcomeOf({ answer: reply.answer, metadata: { navigator } });
    const { confidenceReason, relatedTopics, outOfDomain } = navigator;
    expect(answer).toBe('Four days.');
    expect(metadata).toEqual({ navigator: { confidenceReason, relatedTopics, outOfDomain } });
  });
});

describe('compareStatements()', () => {
  const statements = (...texts: string[]) =>
    texts.map((text) => ({ text, sources: [], support: 1, check: 'quoted' as const }));

  it('pairs equal texts first, then those with most common words, and lists the others', () => {
    const before = statements('It takes 4 to 7 days.', 'The postage is 29 euros.', 'Write to us.');
    const after = statements(
      '**The postage** is 29 euros.',
      'It takes 5 to 8 days.',
      'Customs are yours.',
    );
    expect(compareStatements(before, after)).toEqual([
      { change: 'kept', before: 1, after: 0 },
      { change: 'changed', before: 0, after: 1 },
      { change: 'added', after: 2 },
      { change: 'removed', before: 2 },
    ]);
  });
  it('treats the same words in another order as a change', () => {
    expect(
      compareStatements(statements('first plug, then press'), statements('then plug, first press')),
    ).toEqual([{ change: 'changed', before: 0, after: 0 }]);
  });
});
