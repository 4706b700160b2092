import { describe, expect, it } from 'vitest';
import { cachedChunk } from '../../../src/knowledge/edition/open-edition.ts';
import { answerQuestion } from '../../../src/librarians/navigator/answer-question.ts';
import { sampleEdition as edition } from '../../support/retrieval/sample-edition.ts';
import cases from './hostile-statements.json' with { type: 'json' };
import { judging, type Reply, scriptedModel } from './scripted-model.ts';

/** A question about the sample knowledge base, and statements of a model that cite the section whose title begins so. */
type HostileCase = (typeof cases.false)[number];
/** Statements that the cited section contradicts: negations dropped or added, rows and columns mixed, parts of two sentences joined. */
const FALSE_STATEMENTS: readonly HostileCase[] = cases.false;
/** Paraphrases of the same sections, which must not be removed. */
const TRUE_STATEMENTS: readonly HostileCase[] = cases.true;
const chunks = Array.from({ length: edition.chunkCount }, (_, at) => cachedChunk(edition, at));

const textOfSection = (title: string, section: string): string =>
  chunks
    .filter(
      ({ source, headingPath }) =>
        source.title === title && headingPath.at(-1)?.startsWith(section),
    )
    .map(({ text }) => text)
    .join('\n\n');

/** The statements about one section, and those that pass the check when the model quotes all of the section. */
const outcomeOf = async ({ question, section, statements }: HostileCase, judge: Reply) => {
  const ai = scriptedModel(({ given }) => {
    const cited = given.passages
      .filter(({ text }) => text.includes(`# ${section}`))
      .map(({ passage, title }) => ({ passage, quote: textOfSection(title, section) }))
      .find(({ quote }) => quote !== '');
    if (cited === undefined) throw new Error(`${section} is not shown for ${question}`);
    const stated = statements.map((text) => ({ part: 1, quotes: [cited], text }));
    const parts = [{ asked: question, passages: [cited.passage], answered: 'yes' }];
    return { text: JSON.stringify({ parts, statements: stated, missing: '', related: [] }) };
  });
  ai.judge = judge;
  const { answer, metadata } = await answerQuestion(edition, question, {
    ai,
    timeLeftMs: () => 5000,
  });
  expect(
    ai.calls.filter(({ options }) => options.schema?.name === 'answer_from_passages'),
  ).toHaveLength(1);
  const isShown = (text: string) =>
    metadata.answered_by === 'model' && answer.response.answer.includes(text);
  return statements.map((text) => ({ text, isShown: isShown(text) }));
};
const outcomesWith = async (given: readonly HostileCase[], judge: Reply) => {
  const outcomes = (await Promise.all(given.map((each) => outcomeOf(each, judge)))).flat();
  const textsOf = (isShown: boolean) =>
    outcomes.filter((each) => each.isShown === isShown).map(({ text }) => text);
  return { shown: textsOf(true), removed: textsOf(false) };
};

const noJudge: Reply = () => Promise.reject(new Error('no judge'));

describe('statements of a model about the sample knowledge base', () => {
  it('reach the judge when they paraphrase the section, and pass when it agrees', async () => {
    const { shown, removed } = await outcomesWith(
      TRUE_STATEMENTS,
      judging(() => true),
    );
    expect(removed).toEqual([]);
    expect(shown.length).toBeGreaterThanOrEqual(40);
  });
  it('reach the judge with a doubt mostly when the cited section contradicts them', async () => {
    const doubted = async (given: readonly HostileCase[]) => {
      const doubts: string[] = [];
      await outcomesWith(given, (call) => {
        doubts.push(...call.given.statements.map(({ doubt }) => doubt));
        return judging(() => false)(call);
      });
      return doubts.filter((doubt) => doubt !== '').length / doubts.length;
    };
    expect(await doubted(FALSE_STATEMENTS)).toBeGreaterThan(
      (await doubted(TRUE_STATEMENTS)) + 0.05,
    );
  });
  it('are removed without a judge when they contradict the section, and unless they are its own sentences', async () => {
    expect((await outcomesWith(FALSE_STATEMENTS, noJudge)).shown).toEqual([]);
    const units = TRUE_STATEMENTS.map((each) => ({
      ...each,
      statements: each.statements.slice(0, 1),
    }));
    expect((await outcomesWith(units, noJudge)).removed.length).toBeGreaterThan(0);
  });
  it('are removed without asking the judge when the section lacks one of their numbers', async () => {
    // A number that no source contains, in every statement with a number.
    const changed = FALSE_STATEMENTS.map(({ statements, ...rest }) => {
      const withNumber = statements.filter((text) => /\d/.test(text));
      return {
        ...rest,
        statements: withNumber.map((text) => text.replace(/\d+(?:\.\d+)*/, '7777')),
      };
    }).filter(({ statements }) => statements.length > 0);
    const { shown, removed } = await outcomesWith(changed, ({ given }) => {
      throw new Error(
        `the judge is called for ${given.statements.map(({ statement }) => statement).join(' ')}`,
      );
    });
    expect(removed.length).toBeGreaterThanOrEqual(30);
    expect(shown).toEqual([]);
  });
});
