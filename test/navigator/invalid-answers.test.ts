import { describe, expect, it } from 'vitest';
import type { ProgressEvent } from '../../src/contract/ask.ts';
import { sampleQuestions } from '../../src/dev/bench/http.ts';
import { openEntries } from '../../src/dev/eval/answer-bases.ts';
import { sampleEntries } from '../../src/dev/eval/sample.ts';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { answerQuestion, type QuestionOptions } from '../../src/navigator/answer-question.ts';
import type { CitableKnowledge } from '../../src/navigator/citable-knowledge.ts';
import type { AnswerViolation } from '../../src/navigator/navigator-answer.ts';
import { validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { knowledgeIn } from './knowledge-in.ts';
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

describe('an answer of quotes', () => {
  it('breaks no rule of the contract, for any question to the sample knowledge base', () => {
    const sample = openEntries('sample', sampleEntries()).edition;
    const about = knowledgeIn(sample);
    const broken = sampleQuestions().flatMap((query) => {
      const { response, frame } = answerFromEdition(sample, query);
      return validateNavigatorResponse(response, about, { query, frame }).map(({ rule, words }) => [
        query,
        rule,
        words,
      ]);
    });
    expect(broken).toEqual([]);
  });
  it('breaks one when its article has another text', () => {
    const { response, frame } = answerFromEdition(edition, QUESTION);
    const rules = validateNavigatorResponse(response, REWRITTEN, { query: QUESTION, frame }).map(({ rule }) => rule);
    expect(rules).toContain('quote-in-source');
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
    expect(answer.verdict).toBe('answer');
    expect(removed).toHaveLength(2);
  });
});
