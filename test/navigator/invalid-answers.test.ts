import { describe, expect, it } from 'vitest';
import type { ProgressEvent } from '../../src/contract/ask.ts';
import { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { answerQuestion, type QuestionOptions } from '../../src/navigator/answer-question.ts';
import type { CitableKnowledge } from '../../src/navigator/citable-knowledge.ts';
import type { AnswerViolation } from '../../src/navigator/navigator-answer.ts';
import { asLibrarianResponse } from '../../src/navigator/navigator-librarian.ts';
import { validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { replyOf, scriptedModel } from './scripted-model.ts';
import { openSmallKb, QUOTE } from './small-kb.ts';

const { edition, knowledge } = openSmallKb();
const QUESTION = 'How often must the boiler be descaled, and how do I do that?';
const FILE = 'care/descale.md';
const OTHER = 'Empty the water tank.';

/** The knowledge base with changed texts; without an article when its text is undefined. */
const knowledgeWith = (textOf: (text: string, id: string) => string | undefined): CitableKnowledge => ({
  ...knowledge,
  article: (id) => {
    const article = knowledge.article(id);
    const text = article && textOf(article.text, id);
    return article && text !== undefined ? { ...article, text } : undefined;
  },
});
const WITHOUT_FILE = knowledgeWith((text, id) => (id === FILE ? undefined : text));
const REWRITTEN = knowledgeWith((text) => text.replaceAll(/[a-z]/g, 'z'));
/** One sentence of an article is changed, and one of another. */
const CHANGED = knowledgeWith((text) => text.replace(OTHER, 'Empty the WATER tank.').replace(' 45 ', ' 46 '));

const reply = async (options: Partial<QuestionOptions>) => {
  const counted: AnswerViolation[] = [];
  const events: ProgressEvent[] = [];
  const { answer, metadata } = await answerQuestion(edition, QUESTION, {
    ...{ timeLeftMs: () => 5000, ...options },
    onViolations: (violations) => counted.push(...violations),
    progress: (event) => void events.push(event),
  });
  return { answer, metadata, counted, removed: events.filter(({ type }) => type === 'removed') };
};

describe('a quoted answer that breaks a rule', () => {
  it('is validated against the edition, quotes included, when nothing else is given', () => {
    const { response, violations } = answerFromEdition(edition, QUESTION);
    expect(response.sources.map(({ file }) => file)).toContain(FILE);
    expect(violations).toBeUndefined();
  });
  it('is returned without the wrong passage', () => {
    const question = 'The burrs of the grinder are cleaned with a brush';
    const whole = answerFromEdition(edition, question);
    const answer = answerFromEdition(edition, question, { knowledge: CHANGED });
    expect(whole.response.answer).toContain('by 45 degrees');
    expect(answer.response.answer).not.toContain('by 45 degrees');
    expect(answer.response.answer).toContain('by 90 degrees');
    expect(answer.response.sources.length).toBeGreaterThan(0);
    expect(answer.response.sources.length).toBeLessThan(whole.response.sources.length);
    expect(answer.violations).toContainEqual({ rule: 'quote-in-source', outcome: 'dropped' });
    expect(answer.probability).toBeLessThan(whole.probability);
    expect(validateNavigatorResponse(answer.response, CHANGED, { frame: answer.frame })).toEqual([]);
  });
  it('declines when nothing is left, and reports it in its metadata', async () => {
    const outcome = searchEdition(edition, QUESTION, { limit: 50 });
    const retrieve: QuestionOptions['retrieve'] = async () => ({ outcome, semantic: 'absent' });
    const { answer, metadata, counted } = await reply({ knowledge: REWRITTEN, retrieve });
    expect(answer).toMatchObject({ verdict: 'no-information', response: { sources: [], outOfDomain: false } });
    expect(answer.response.answer).not.toContain('60 days');
    expect(NavigatorResponse.safeParse(answer.response).success).toBe(true);
    expect(metadata.violations).toContainEqual({ rule: 'quote-in-source', outcome: 'abstained' });
    expect(counted.length).toBeGreaterThan(0);
    expect(asLibrarianResponse(answer, metadata).metadata?.violations).toEqual(metadata.violations);
  });
});

describe('an answer of a model that breaks a rule', () => {
  const ask = (given?: CitableKnowledge) => {
    const statements = [
      { text: QUOTE, from: 'How often' },
      { text: OTHER, from: OTHER },
    ];
    return reply({ ai: scriptedModel(replyOf(statements)), knowledge: given });
  };
  it('is returned without the wrong statement, which is withdrawn from the stream', async () => {
    expect((await ask()).answer.response.sources[1]?.excerpts?.[0]?.quote).toContain(OTHER);
    const { answer, metadata, removed } = await ask(CHANGED);
    expect(answer.response.answer).toContain('60 days');
    expect(answer.response.answer).not.toContain(OTHER);
    const violations = [{ rule: 'quote-in-source', outcome: 'dropped' }];
    expect(metadata).toMatchObject({ answered_by: 'model', violations });
    expect(removed).toMatchObject([{ index: 1, text: OTHER }]);
  });
  it('is replaced by quotes when nothing is left', async () => {
    const { answer, metadata, removed } = await ask(WITHOUT_FILE);
    expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'unsupported' });
    expect(metadata.violations).toContainEqual({ rule: 'file-exists', outcome: 'abstained' });
    expect(answer.response.sources.map(({ file }) => file)).not.toContain(FILE);
    expect(removed).toHaveLength(2);
  });
});
