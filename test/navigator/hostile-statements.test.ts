import { describe, expect, it } from 'vitest';
import { readRecording, recordedModel, writeOpenPrompts } from '../../src/dev/eval/recorded-model.ts';
import { answerQuestion } from '../../src/navigator/answer-question.ts';
import { cachedChunk } from '../../src/search/open-edition.ts';
import cases from './hostile-statements.json' with { type: 'json' };
import withoutJudge from './hostile-without-judge.json' with { type: 'json' };
import { openSampleKb } from './sample-kb.ts';
import { type ScriptedModel, scriptedModel } from './scripted-model.ts';

/** A question about the sample knowledge base, and statements of a model that cite one section. */
interface HostileCase {
  question: string;
  /** Beginning of the title of the cited section. */
  section: string;
  statements: readonly string[];
}

/** Statements that the cited section contradicts: negations dropped or added, rows and columns mixed, parts of two sentences joined. */
const FALSE_STATEMENTS: readonly HostileCase[] = cases.false;
/** Paraphrases of the same sections, which must not be removed. */
const TRUE_STATEMENTS: readonly HostileCase[] = cases.true;
const edition = openSampleKb();
/** Recorded verdicts of a language model on the judge's prompts. Set OPEN_PROMPTS to a folder to write prompts without a verdict. */
const recorded = recordedModel(readRecording('hostile'));

const textOfSection = (title: string, section: string): string =>
  Array.from({ length: edition.chunkCount }, (_, at) => cachedChunk(edition, at))
    .filter(({ source, headingPath }) => source.title === title && headingPath.at(-1)?.startsWith(section))
    .map(({ text }) => text)
    .join('\n\n');

/** The statements about one section that pass the check when the model quotes all of it. */
const outcomeOf = async ({ question, section, statements }: HostileCase, judge: ScriptedModel['judge']) => {
  const ai = scriptedModel(({ given }) => {
    const passage = given.passages.find(
      ({ title, text }) => text.includes(`# ${section}`) && textOfSection(title, section) !== '',
    );
    if (passage === undefined) throw new Error(`${section} is not shown for ${question}`);
    const quotes = [{ passage: passage.passage, quote: textOfSection(passage.title, section) }];
    const stated = statements.map((text) => ({ quotes, text }));
    return { text: JSON.stringify({ statements: stated, verdict: 'answer', confidence: 'high' }) };
  });
  ai.judge = judge;
  const { answer, metadata } = await answerQuestion(edition, question, { ai, timeLeftMs: () => 5000 });
  const shown = metadata.answered_by === 'model' ? answer.response.answer : '';
  const calls = ai.calls.filter(({ options }) => options.schema?.name === 'answer_from_passages').length;
  expect(calls).toBe(1);
  return statements.map((text) => ({ text, isShown: shown.includes(text) }));
};

const outcomesWith = async (cases: readonly HostileCase[], judge: ScriptedModel['judge']) => {
  const outcomes = await Promise.all(cases.map((each) => outcomeOf(each, judge)));
  return outcomes.flat();
};

const recordedJudge: ScriptedModel['judge'] = ({ messages, options }) => {
  recorded.startQuestion();
  return recorded.complete(messages, options);
};
const noJudge: ScriptedModel['judge'] = () => Promise.reject(new Error('no judge'));
const textsOf = (outcomes: readonly { text: string }[]) => outcomes.map(({ text }) => text);

describe('statements of a model about the sample knowledge base', () => {
  it.each([
    ['are removed when the cited section contradicts them', FALSE_STATEMENTS, 80, false],
    ['pass when they paraphrase the section', TRUE_STATEMENTS, 40, true],
  ])('%s, by the recorded judge', async (_fact, statements, least, isExpected) => {
    const outcomes = await outcomesWith(statements, recordedJudge);
    expect(outcomes.length).toBeGreaterThanOrEqual(least);
    if (process.env.OPEN_PROMPTS) writeOpenPrompts(process.env.OPEN_PROMPTS, recorded.open);
    expect(recorded.open.size, 'prompts of the judge without a recorded reply').toBe(0);
    expect(textsOf(outcomes.filter(({ isShown }) => isShown !== isExpected))).toEqual([]);
  });

  it('pass without a judge only if they are listed', async () => {
    const shownOf = async (cases: readonly HostileCase[]) =>
      textsOf((await outcomesWith(cases, noJudge)).filter(({ isShown }) => isShown));
    const wrong = await shownOf(FALSE_STATEMENTS);
    expect(wrong).toEqual(withoutJudge);
    expect((await shownOf(TRUE_STATEMENTS)).length).toBeGreaterThanOrEqual(36);
  });

  it('are removed without a judge when the section lacks one of their literals', async () => {
    // A number that no source contains, in every statement with a number.
    const changed = FALSE_STATEMENTS.map((each) => ({
      ...each,
      statements: each.statements
        .filter((text) => /\d/.test(text))
        .map((text) => text.replace(/\d+(?:\.\d+)*/, '7777')),
    })).filter(({ statements }) => statements.length > 0);
    const outcomes = await outcomesWith(changed, ({ given }) => {
      throw new Error(`the judge is called for ${given.statements?.map(({ statement }) => statement).join(' ')}`);
    });
    expect(outcomes.length).toBeGreaterThanOrEqual(30);
    expect(textsOf(outcomes.filter(({ isShown }) => isShown))).toEqual([]);
  });
});
