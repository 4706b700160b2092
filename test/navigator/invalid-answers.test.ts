import { describe, expect, it, vi } from 'vitest';
import type { ProgressEvent } from '../../src/contract/ask.ts';
import { sampleQuestions } from '../../src/dev/bench/http.ts';
import { openEntries } from '../../src/dev/eval/answer-bases.ts';
import { sampleEntries } from '../../src/dev/eval/sample.ts';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { answerQuestion, type QuestionOptions } from '../../src/navigator/answer-question.ts';
import type { CitableKnowledge } from '../../src/navigator/citable-knowledge.ts';
import type { AnswerViolation } from '../../src/navigator/navigator-answer.ts';
import { type Violation, validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { knowledgeIn } from './knowledge-in.ts';
import { replyOf, scriptedModel } from './scripted-model.ts';
import { openSmallKb, QUOTE } from './small-kb.ts';

const { edition, knowledge } = openSmallKb();
const QUESTION = 'How often must the boiler be descaled, and how do I do that?';
const FILE = 'care/descale.md';
const OTHER = 'Empty the water tank.';
/** The knowledge base with other texts. */
const REWRITTEN: CitableKnowledge = {
  ...knowledge,
  article: (id) => {
    const article = knowledge.article(id);
    return article && { ...article, text: article.text.replaceAll(/[a-z]/g, 'z') };
  },
};

/** What the validation of the next answer of a model finds; what it really finds when undefined. */
let found: Violation[] | undefined;
vi.mock('../../src/navigator/validate-navigator-response.ts', async (original) => {
  const real = await original<typeof import('../../src/navigator/validate-navigator-response.ts')>();
  return {
    ...real,
    validateNavigatorResponse: (...given: Parameters<typeof real.validateNavigatorResponse>) =>
      found ?? real.validateNavigatorResponse(...given),
  };
});

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
  const ask = async (violations?: Violation[]) => {
    const statements = [
      { text: QUOTE, from: 'How often' },
      { text: OTHER, from: OTHER },
    ];
    found = violations;
    return reply({ ai: scriptedModel(replyOf(statements)) }).finally(() => {
      found = undefined;
    });
  };
  it('is replaced by quotes, and its statements are withdrawn from the stream', async () => {
    expect((await ask()).metadata).toMatchObject({ answered_by: 'model' });
    const { answer, metadata, counted, removed } = await ask([{ rule: 'file-exists', file: FILE }]);
    expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'unsupported' });
    expect(metadata.violations).toEqual([{ rule: 'file-exists', outcome: 'abstained' }]);
    expect(counted).toEqual(metadata.violations);
    expect(answer.verdict).toBe('answer');
    expect(removed).toMatchObject([
      { index: 0, text: QUOTE },
      { index: 1, text: OTHER },
    ]);
  });
  it('is returned without an alternative that does', async () => {
    const { metadata, removed } = await ask([{ rule: 'file-exists', alternative: 0 }]);
    expect(metadata).toMatchObject({
      answered_by: 'model',
      violations: [{ rule: 'file-exists', outcome: 'dropped' }],
    });
    expect(removed).toEqual([]);
  });
});
