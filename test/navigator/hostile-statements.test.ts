import { describe, expect, it } from 'vitest';
import { readRecording, recordedModel, writeOpenPrompts } from '../../src/dev/eval/recorded-model.ts';
import { answerQuestion } from '../../src/navigator/answer-question.ts';
import { cachedChunk } from '../../src/search/open-edition.ts';
import { sampleEdition as edition } from '../knowledge/retrieval/sample-edition.ts';
import cases from './hostile-statements.json' with { type: 'json' };
import withoutJudge from './hostile-without-judge.json' with { type: 'json' };
import { type Reply, scriptedModel } from './scripted-model.ts';

/** A question about the sample knowledge base, and statements of a model that cite the section whose title begins so. */
type HostileCase = (typeof cases.false)[number];
/** Statements that the cited section contradicts: negations dropped or added, rows and columns mixed, parts of two sentences joined. */
const FALSE_STATEMENTS: readonly HostileCase[] = cases.false;
/** Paraphrases of the same sections, which must not be removed. */
const TRUE_STATEMENTS: readonly HostileCase[] = cases.true;
const chunks = Array.from({ length: edition.chunkCount }, (_, at) => cachedChunk(edition, at));
/** Recorded verdicts of a language model on the judge's prompts. Set OPEN_PROMPTS to a folder to write prompts without a verdict. */
const recorded = recordedModel(readRecording('hostile'));

const textOfSection = (title: string, section: string): string =>
  chunks
    .filter(({ source, headingPath }) => source.title === title && headingPath.at(-1)?.startsWith(section))
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
    const stated = statements.map((text) => ({ quotes: [cited], text }));
    return { text: JSON.stringify({ statements: stated, verdict: 'answer', confidence: 'high' }) };
  });
  ai.judge = judge;
  const { answer, metadata } = await answerQuestion(edition, question, { ai, timeLeftMs: () => 5000 });
  expect(ai.calls.filter(({ options }) => options.schema?.name === 'answer_from_passages')).toHaveLength(1);
  const isShown = (text: string) => metadata.answered_by === 'model' && answer.response.answer.includes(text);
  return statements.map((text) => ({ text, isShown: isShown(text) }));
};
const outcomesWith = async (given: readonly HostileCase[], judge: Reply) => {
  const outcomes = (await Promise.all(given.map((each) => outcomeOf(each, judge)))).flat();
  const textsOf = (isShown: boolean) => outcomes.filter((each) => each.isShown === isShown).map(({ text }) => text);
  return { shown: textsOf(true), removed: textsOf(false) };
};

describe('statements of a model about the sample knowledge base', () => {
  it.each([
    ['are removed when the cited section contradicts them', FALSE_STATEMENTS, 80, 'removed', 'shown'],
    ['pass when they paraphrase the section', TRUE_STATEMENTS, 40, 'shown', 'removed'],
  ] as const)('%s, by the recorded judge', async (_fact, statements, least, expected, wrong) => {
    const outcomes = await outcomesWith(statements, ({ messages, options }) => {
      recorded.startQuestion();
      return recorded.complete(messages, options);
    });
    if (process.env.OPEN_PROMPTS) writeOpenPrompts(process.env.OPEN_PROMPTS, recorded.open);
    expect(recorded.open.size, 'prompts of the judge without a recorded reply').toBe(0);
    expect(outcomes[wrong]).toEqual([]);
    expect(outcomes[expected].length).toBeGreaterThanOrEqual(least);
  });
  it('pass without a judge only if they are listed', async () => {
    const noJudge: Reply = () => Promise.reject(new Error('no judge'));
    expect((await outcomesWith(FALSE_STATEMENTS, noJudge)).shown).toEqual(withoutJudge);
    expect((await outcomesWith(TRUE_STATEMENTS, noJudge)).shown.length).toBeGreaterThanOrEqual(36);
  });
  it('are removed without a judge when the section lacks one of their literals', async () => {
    // A number that no source contains, in every statement with a number.
    const changed = FALSE_STATEMENTS.map(({ statements, ...rest }) => {
      const withNumber = statements.filter((text) => /\d/.test(text));
      return { ...rest, statements: withNumber.map((text) => text.replace(/\d+(?:\.\d+)*/, '7777')) };
    }).filter(({ statements }) => statements.length > 0);
    const { shown, removed } = await outcomesWith(changed, ({ given }) => {
      throw new Error(`the judge is called for ${given.statements?.map(({ statement }) => statement).join(' ')}`);
    });
    expect(removed.length).toBeGreaterThanOrEqual(30);
    expect(shown).toEqual([]);
  });
});
