import { describe, expect, it } from 'vitest';
import { sampleQuestions } from '../../../research/bench/http.ts';
import { openEntries } from '../../../research/eval/answer-bases.ts';
import { sampleEntries } from '../../../research/eval/sample.ts';
import { answerFromEdition } from '../../../src/answering/write/answer-from-edition.ts';
import type { CitableKnowledge } from '../../../src/answering/write/citable-knowledge.ts';
import type { AnswerViolation } from '../../../src/answering/write/navigator-answer.ts';
import { validateNavigatorResponse } from '../../../src/answering/write/validate-navigator-response.ts';
import type { ProgressEvent } from '../../../src/contract/core/ask.ts';
import {
  answerQuestion,
  type QuestionOptions,
} from '../../../src/librarians/navigator/answer-question.ts';
import { knowledgeIn } from './knowledge-in.ts';
import { replyOf, scriptedModel } from './scripted-model.ts';
import { ARTICLES, openSmallKb, QUOTE } from './small-kb.ts';

const { edition, knowledge } = openSmallKb();
const QUESTION = 'How often must the boiler be descaled, and how do I do that?';
const FILE = 'care/descale.md';
/** The knowledge base with other texts. */
const REWRITTEN: CitableKnowledge = {
  ...knowledge,
  article: (id) => {
    const article = knowledge.article(id);
    return article && { ...article, text: article.text.replaceAll(/[a-z]/g, 'z') };
  },
};

const reply = async (options: Partial<QuestionOptions>, base = edition) => {
  const counted: AnswerViolation[] = [];
  const events: ProgressEvent[] = [];
  const { answer, metadata } = await answerQuestion(base, QUESTION, {
    timeLeftMs: () => 5000,
    ...options,
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
    const rules = validateNavigatorResponse(response, REWRITTEN, { query: QUESTION, frame }).map(
      ({ rule }) => rule,
    );
    expect(rules).toContain('quote-in-source');
  });
});

describe('an answer of a model that breaks a rule', () => {
  it('is replaced by quotes, and its statements are withdrawn from the stream', async () => {
    const ai = () => scriptedModel(replyOf([{ text: QUOTE, from: QUOTE }]));
    expect((await reply({ ai: ai() })).metadata).toMatchObject({ answered_by: 'model' });
    // Once the answer is written, the edition no longer knows which one it is.
    let isWritten = false;
    let reads = 0;
    const damaged = {
      ...edition,
      get id() {
        reads += 1;
        return isWritten ? `unknown-${reads}` : edition.id;
      },
    };
    const writer = ai();
    const complete: typeof writer.complete = async (...call) => {
      const result = await writer.complete(...call);
      isWritten = true;
      return result;
    };
    const { answer, metadata, counted, removed } = await reply(
      { ai: { ...writer, complete } },
      damaged,
    );
    expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'unsupported' });
    expect(metadata.violations).toEqual([{ rule: 'edition-named', outcome: 'abstained' }]);
    expect(counted).toEqual(metadata.violations);
    expect(answer.verdict).toBe('answer');
    expect(removed).toMatchObject([{ index: 0, text: QUOTE }]);
  });
});

describe('an answer from an article with a name that is shown in part', () => {
  const LONG = `How often the boiler must be descaled ${'in hard water '.repeat(60)}`;
  it.each([
    ['title', (text: string) => ({ title: LONG, text })],
    ['heading', (text: string) => ({ text: text.replace(/^(#+) .*$/gm, `$1 ${LONG}`) })],
  ])('breaks no rule: a long %s', async (_, changed) => {
    const articles = ARTICLES.map((article) =>
      article.id === FILE ? { ...article, url: '', ...changed(article.text) } : article,
    );
    const { edition: long } = openSmallKb(articles);
    const { metadata } = await reply(
      { ai: scriptedModel(replyOf([{ text: QUOTE, from: QUOTE }])) },
      long,
    );
    expect(metadata).toMatchObject({ answered_by: 'model' });
    expect((await reply({}, long)).answer.verdict).toBe('answer');
  });
});
