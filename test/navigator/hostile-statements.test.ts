import { describe, expect, it } from 'vitest';
import { isSupported } from '../../src/agents/semantic/is-supported.ts';
import { answerQuestion } from '../../src/navigator/answer-question.ts';
import { FALSE_STATEMENTS, type HostileCase, TRUE_STATEMENTS } from './hostile-statements.ts';
import { openSampleKb } from './sample-kb.ts';
import { type AskedModel, scriptedModel } from './scripted-model.ts';

const edition = openSampleKb();

type Given = AskedModel['given']['passages'][number];

/** What becomes of a statement that a model makes, citing one section, whatever it is told of it. */
const outcomeOf = async ({ question, section }: HostileCase, text: string) => {
  let cited: Given | undefined;
  const ai = scriptedModel(({ given }) => {
    cited = given.passages.find((passage) => passage.section.split(' > ').at(-1)?.startsWith(section) === true);
    const statements = [{ passages: [cited?.passage], text }];
    return { text: JSON.stringify({ citations: [], statements, verdict: 'answer', confidence: 'high' }) };
  });
  const { answer, metadata } = await answerQuestion(edition, question, { ai, timeLeftMs: () => 5000 });
  if (cited === undefined) throw new Error(`${section} is not shown for ${question}`);
  const heading = [cited.title, ...cited.section.split(' > ')].join('\n');
  return {
    text,
    isOut: metadata.answered_by === 'model',
    isHigh: answer.response.confidence === 'high',
    isSummary: isSupported(`${text.replace(/\.$/, '')} [1].`, [{ heading, text: cited.text }]),
  };
};

const outcomesOf = (cases: readonly HostileCase[]) =>
  Promise.all(cases.flatMap((each) => each.statements.map((text) => outcomeOf(each, text))));

const textsOf = (outcomes: readonly { text: string }[]) => outcomes.map(({ text }) => text);

describe('statements of a model about the sample knowledge base', () => {
  it('go out in no case where the cited section does not say them, by the navigator nor by the semantic agent', async () => {
    const outcomes = await outcomesOf(FALSE_STATEMENTS);
    expect(outcomes.length).toBeGreaterThanOrEqual(80);
    expect(textsOf(outcomes.filter(({ isOut, isHigh }) => isOut && isHigh))).toEqual([]);
    expect(textsOf(outcomes.filter(({ isOut }) => isOut))).toEqual([]);
    expect(textsOf(outcomes.filter(({ isSummary }) => isSummary))).toEqual([]);
  });

  it('go out where they say the same in other words, but for those that take more than words', async () => {
    const outcomes = await outcomesOf(TRUE_STATEMENTS);
    expect(outcomes.length).toBeGreaterThanOrEqual(40);
    expect(textsOf(outcomes.filter(({ isOut }) => !isOut))).toEqual([
      // Neither "paid" nor "pay" nor "soon" stands there.
      'Refunds are paid to the original means of payment within 10 business days of arrival.',
      'You pay the postage for the way back, unless we sent the wrong item.',
      'From 2.x to 3.4.1 you cannot go in one step: install 3.0.0 first, then the current version.',
      'Mining starts again by itself as soon as the chips are below 60 °C.',
      // The support check does not see the head of the column, nor which of two sentences is meant.
      'The dashboard password is not included.',
      'We cannot see your balance.',
    ]);
  });
});
