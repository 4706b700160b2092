import { describe, expect, it } from 'vitest';
import type { ProgressEvent } from '../../src/contract/ask.ts';
import { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { answerQuestion } from '../../src/navigator/answer-question.ts';
import type { AnswerViolation } from '../../src/navigator/navigator-answer.ts';
import { asLibrarianResponse } from '../../src/navigator/navigator-librarian.ts';
import { type CitableKnowledge, validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { replyOf, scriptedModel } from './scripted-model.ts';
import { openSmallKb } from './small-kb.ts';

const { edition, knowledge } = openSmallKb();
const QUESTION = 'How often must the boiler be descaled, and how do I do that?';
const FILE = 'care/descale.md';
/** The knowledge base without an article that the search found. */
const withoutFile = (file: string): CitableKnowledge => ({
  ...knowledge,
  article: (id) => (id === file ? undefined : knowledge.article(id)),
});
/** The knowledge base with other words in every article. */
const rewritten: CitableKnowledge = {
  ...knowledge,
  article: (id) => {
    const article = knowledge.article(id);
    return article && { ...article, text: article.text.replaceAll(/[a-z]/g, 'z') };
  },
};

const OTHER = 'Empty the water tank.';
/** The knowledge base with one changed sentence. */
const changed: CitableKnowledge = {
  ...knowledge,
  article: (id) => {
    const article = knowledge.article(id);
    return (
      article && { ...article, text: article.text.replace(OTHER, 'Empty the WATER tank.').replace(' 45 ', ' 46 ') }
    );
  },
};

describe('a quoted answer that breaks a rule', () => {
  const before = answerFromEdition(edition, QUESTION);

  it('is validated against the edition, quotes included, when nothing else is given', () => {
    expect(before.response.sources.map(({ file }) => file)).toContain(FILE);
    expect(before.violations).toBeUndefined();
  });

  it('is returned without the wrong passage', () => {
    const question = 'The burrs of the grinder are cleaned with a brush';
    const whole = answerFromEdition(edition, question);
    const answer = answerFromEdition(edition, question, { knowledge: changed });
    expect(whole.response.answer).toContain('by 45 degrees');
    expect(answer.response.answer).not.toContain('by 45 degrees');
    expect(answer.response.answer).toContain('by 90 degrees');
    expect(answer.response.sources.length).toBeGreaterThan(0);
    expect(answer.response.sources.length).toBeLessThan(whole.response.sources.length);
    expect(answer.violations).toContainEqual({ rule: 'quote-in-source', outcome: 'dropped' });
    expect(answer.probability).toBeLessThan(whole.probability);
    expect(validateNavigatorResponse(answer.response, changed, { closest: answer.closest })).toEqual([]);
  });

  it('declines when nothing is left, and reports it in its metadata', async () => {
    const counted: AnswerViolation[] = [];
    const { answer, metadata } = await answerQuestion(edition, QUESTION, {
      ...{
        knowledge: rewritten,
        timeLeftMs: () => 5000,
        retrieve: async () => ({
          outcome: searchEdition(edition, QUESTION, { limit: 50 }),
          semantic: 'absent' as const,
        }),
      },
      onViolations: (violations) => counted.push(...violations),
    });
    expect(answer).toMatchObject({ verdict: 'no-information', response: { sources: [], outOfDomain: false } });
    expect(answer.response.answer).not.toContain('60 days');
    expect(NavigatorResponse.safeParse(answer.response).success).toBe(true);
    expect(metadata.violations).toContainEqual({ rule: 'quote-in-source', outcome: 'abstained' });
    expect(counted.length).toBeGreaterThan(0);
    expect(asLibrarianResponse(answer, metadata).metadata?.violations).toEqual(metadata.violations);
  });
});

describe('an answer of a model that breaks a rule', () => {
  const HONEST = 'Descale the boiler every 60 days, or every 30 days with hard water.';
  const reply = () =>
    replyOf([
      { text: HONEST, from: 'How often' },
      { text: OTHER, from: OTHER },
    ]);
  const ask = async (given: CitableKnowledge | undefined) => {
    const events: ProgressEvent[] = [];
    const { answer, metadata } = await answerQuestion(edition, QUESTION, {
      ...{ ai: scriptedModel(reply()), timeLeftMs: () => 5000, knowledge: given },
      progress: (event) => void events.push(event),
    });
    return { answer, metadata, events };
  };

  it('is returned without the wrong statement, which is withdrawn from the stream', async () => {
    const [, tank] = (await ask(undefined)).answer.response.sources;
    const { answer, metadata, events } = await ask(changed);
    expect(tank?.excerpts?.[0]?.quote).toContain(OTHER);
    expect(answer.response.answer).toContain('60 days');
    expect(answer.response.answer).not.toContain(OTHER);
    expect(metadata).toMatchObject({
      answered_by: 'model',
      violations: [{ rule: 'quote-in-source', outcome: 'dropped' }],
    });
    expect(events.filter(({ type }) => type === 'removed')).toMatchObject([{ index: 1, text: OTHER }]);
  });

  it('is replaced by quotes when nothing is left', async () => {
    const { answer, metadata, events } = await ask(withoutFile(FILE));
    expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'unsupported' });
    expect(metadata.violations).toContainEqual({ rule: 'file-exists', outcome: 'abstained' });
    expect(answer.response.sources.map(({ file }) => file)).not.toContain(FILE);
    expect(events.filter(({ type }) => type === 'removed').length).toBe(2);
  });
});
