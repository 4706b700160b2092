import { describe, expect, it } from 'vitest';
import { writeCheckedAnswer } from '../../src/grounding/checked-answer.ts';
import { startModelCalls } from '../../src/grounding/model-calls.ts';
import { judging, scriptedModel } from '../navigator/scripted-model.ts';

const CABLES = '1. Switch the supply off.\n2. Pull out both plugs and check them.\n3. Push both in until they click.';
const COLD_START =
  '1. Shut down and switch the supply off.\n2. Wait for 30 seconds.\n3. Switch on and wait for 15 minutes.';
const SIZES =
  '| | Apollo | Apollo II |\n| --- | --- | --- |\n| Size | 10 x 14 cm | 11 x 15 cm |\n| Weight | 1.9 kg | 2.4 kg |\n| Ports | 1 | 2 |';
const PASSAGE = {
  ...{ id: 'p1', title: 'Apollo II not hashing', headings: [] },
  text: `## Cables\n\n${CABLES}\n\n## Cold start\n\n${COLD_START}\n\n## Sizes\n\n${SIZES}\n\nThe plugs carry 12 V.`,
};
const STATED = 'The plugs carry 12 V.';
const REJECTED = 'on the moon';
const THEN = 'Then do a cold start:';

const statement = (text: string, ...quotes: readonly string[]) => ({
  text,
  quotes: quotes.map((quote) => ({ passage: 'p1', quote })),
});

/** The answer that a model streams in small pieces; the judge rejects a part of it. */
const write = async (
  statements: readonly ReturnType<typeof statement>[],
  { verdict = 'answer', ...options }: { verdict?: string; isJudgeRequired?: boolean; isStreamed?: boolean } = {},
) => {
  const log: string[] = [];
  const text = JSON.stringify({ statements, verdict, confidence: 'high' });
  const ai = scriptedModel(async ({ options: { onText } }) => {
    for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) {
      onText?.(piece);
      if (options.isStreamed) await new Promise((resolve) => setTimeout(resolve));
    }
    log.push('the reply is complete');
    return { text };
  });
  ai.judge = judging((each) => !each.includes(REJECTED));
  const calls = startModelCalls({ ai, timeMs: 5000 });
  const onStatement = (each: { text: string }) => void log.push(each.text);
  const answer = await writeCheckedAnswer(
    { question: 'What now?', history: [], passages: [PASSAGE] },
    {
      ...{ calls, isScreened: true, ...(options.isJudgeRequired && { isJudgeRequired: true }) },
      ...(options.isStreamed && { onStatement }),
    },
  );
  calls.end();
  return { log, answer, texts: 'failure' in answer ? [answer.failure] : answer.statements.map((each) => each.text) };
};

/** What is shown behind a statement that is stated, when the judge rejects the last statement. */
const shownFor = async (rejected: string, quotes: readonly string[], lead?: string) => {
  const leads = lead === undefined ? [] : [statement(lead, STATED)];
  const statements = [statement(STATED, STATED), ...leads, statement(rejected, ...quotes)];
  return (await write(statements, { isJudgeRequired: true })).texts.slice(1);
};

const cables = CABLES.split('\n');
const [first = '', second = '', third = ''] = COLD_START.split('\n');
const all = [first, second, third];

it.each<[string, readonly string[], string[], string?]>([
  ['is replaced by the whole list, quoted in one piece', [COLD_START], [COLD_START]],
  ['is replaced by the steps that it quotes, from the first on', [first, second], [`${first}\n${second}`]],
  ['is replaced by nothing, without the first step', [second, third], []],
  ['is replaced by nothing, with one step missing', [first, third], []],
  ['is replaced by nothing, from two procedures', [...cables, ...all], []],
  ['is replaced by one procedure, beside a single step of another', [...all, cables[2] ?? ''], [COLD_START]],
  ['has an introduction that stays before the replacement', [COLD_START], [THEN, COLD_START], THEN],
  ['has an introduction that is removed as well', [second, third], [], THEN],
])('a list that the judge rejects %s', async (_, quotes, shown, lead) => {
  expect(await shownFor(`1. Shut down ${REJECTED}.\n2. Wait.`, quotes, lead)).toEqual(shown);
});

const [head = '', line = '', , weight = ''] = SIZES.split('\n');
it.each([
  ['the rows of one table that it quotes, below their header', [head, weight], [`${head}\n${line}\n${weight}`]],
  ['nothing, from a row and a sentence', [weight, STATED], []],
  ['nothing, from another sentence', [STATED], []],
])('a sentence that the judge rejects is replaced by %s', async (_, quotes, shown) => {
  expect(await shownFor(`It weighs 2.4 kg ${REJECTED}.`, quotes)).toEqual(shown);
});

describe('a streamed answer', () => {
  const lead = statement('Then:');
  const rejected = statement(`The plugs carry 12 V ${REJECTED}.`, STATED);
  const statements = [statement(STATED, STATED), lead, statement(COLD_START, COLD_START), rejected];

  it('sends each statement before the reply is complete, judged where needed, and ends with the same answer', async () => {
    const streamed = await write(statements, { isStreamed: true });
    expect(streamed.log).toEqual([STATED, lead.text, COLD_START, 'the reply is complete']);
    expect(streamed.answer).toEqual((await write(statements)).answer);
  });
  it('fails when the verdict at the end is that there is no information', async () => {
    const { answer } = await write(statements, { verdict: 'no_information', isStreamed: true });
    expect(answer).toEqual({ failure: 'no_answer', removed: [] });
  });
});
