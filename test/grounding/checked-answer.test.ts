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
  id: 'p1',
  title: 'Apollo II not hashing',
  headings: [],
  text: `## Cables\n\n${CABLES}\n\n## Cold start\n\n${COLD_START}\n\n## Sizes\n\n${SIZES}\n\nThe plugs carry 12 V.`,
};
const STATED = 'The plugs carry 12 V.';
const REJECTED = 'on the moon';

/** An answer whose last statement is rejected by the judge. */
const answerWith = async (quotes: readonly string[], text: string, lead?: string) => {
  const statement = (words: string, from: readonly string[]) => ({
    text: words,
    quotes: from.map((quote) => ({ passage: 'p1', quote })),
  });
  const statements = [
    statement(STATED, [STATED]),
    ...(lead === undefined ? [] : [statement(lead, [STATED])]),
    statement(text, quotes),
  ];
  const ai = scriptedModel({ text: JSON.stringify({ statements, verdict: 'answer', confidence: 'high' }) });
  ai.judge = judging((each) => !each.includes(REJECTED));
  const calls = startModelCalls({ ai, timeMs: 5000 });
  const options = { calls, isScreened: true, isJudgeRequired: true };
  const answer = await writeCheckedAnswer({ question: 'What now?', history: [], passages: [PASSAGE] }, options);
  calls.end();
  return 'failure' in answer ? answer.failure : answer.statements.map((each) => each.text).slice(1);
};

const steps = (list: string): string[] => list.split('\n');

describe('a list that the judge rejects', () => {
  const list = `1. Shut down ${REJECTED}.\n2. Wait.`;

  it.each<[string, readonly string[], string[]]>([
    ['the whole list, quoted in one piece', [COLD_START], [COLD_START]],
    [
      'the steps that it quotes, from the first on',
      steps(COLD_START).slice(0, 2),
      [steps(COLD_START).slice(0, 2).join('\n')],
    ],
    ['nothing, without the first step', steps(COLD_START).slice(1), []],
    ['nothing, with one step missing', [steps(COLD_START)[0] ?? '', steps(COLD_START)[2] ?? ''], []],
    ['nothing, from two procedures', [...steps(CABLES), ...steps(COLD_START)], []],
    ['one procedure, beside a single step of another', [...steps(COLD_START), steps(CABLES)[2] ?? ''], [COLD_START]],
  ])('is replaced by %s', async (_, quotes, shown) => {
    expect(await answerWith(quotes, list)).toEqual(shown);
  });

  it.each<[string, readonly string[], string[]]>([
    ['stays before the replacement', [COLD_START], ['Then do a cold start:', COLD_START]],
    ['is removed as well', steps(COLD_START).slice(1), []],
  ])('has an introduction that %s', async (_, quotes, shown) => {
    expect(await answerWith(quotes, list, 'Then do a cold start:')).toEqual(shown);
  });
});

describe('a sentence that the judge rejects', () => {
  const rows = SIZES.split('\n');

  it('is replaced by the rows of one table that it quotes, below their header', async () => {
    const text = `It weighs 2.4 kg ${REJECTED}.`;
    expect(await answerWith([rows[0] ?? '', rows[3] ?? ''], text)).toEqual([[rows[0], rows[1], rows[3]].join('\n')]);
    expect(await answerWith([rows[3] ?? '', STATED], text)).toEqual([]);
  });

  it('is not replaced by another sentence', async () => {
    expect(await answerWith([STATED], `The plugs carry 12 V ${REJECTED}.`)).toEqual([]);
  });
});

describe('a streamed answer', () => {
  const quote = (text: string) => [{ passage: 'p1', quote: text }];
  const reply = {
    statements: [
      { quotes: quote(STATED), text: STATED },
      { quotes: [], text: 'Then follow these steps:' },
      { quotes: quote(COLD_START), text: COLD_START },
      { quotes: quote(STATED), text: `The plugs carry 12 V ${REJECTED}.` },
    ],
    verdict: 'answer',
    confidence: 'high',
  };

  const write = async (modelReply: object, isStreamed: boolean) => {
    const log: string[] = [];
    const text = JSON.stringify(modelReply);
    const calls = startModelCalls({
      ai: {
        model: 'slow',
        complete: async (messages, { schema, onText } = {}) => {
          if (schema?.name === 'judged_statements') {
            const { statements } = JSON.parse(messages.at(-1)?.content ?? '') as {
              statements: { id: string; statement: string }[];
            };
            const judge = ({ id, statement }: (typeof statements)[number]) => ({
              ...{ id, reason: 'read' },
              verdict: statement.includes(REJECTED) ? 'not_stated' : 'stated',
            });
            return { text: JSON.stringify({ judgements: statements.map(judge) }) };
          }
          for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) {
            onText?.(piece);
            await new Promise((resolve) => setTimeout(resolve));
          }
          log.push('the reply is complete');
          return { text };
        },
      },
      timeMs: 5000,
    });
    const onStatement = ({ text: each }: { text: string }) => void log.push(each);
    const options = { calls, isScreened: true, ...(isStreamed ? { onStatement } : {}) };
    const answer = await writeCheckedAnswer({ question: 'What now?', history: [], passages: [PASSAGE] }, options);
    calls.end();
    return { log, answer };
  };

  it('sends each statement before the reply is complete, judged where needed, and ends with the same answer', async () => {
    const streamed = await write(reply, true);
    const shown = [STATED, 'Then follow these steps:', COLD_START];
    expect(streamed.log).toEqual([...shown, 'the reply is complete']);
    expect(streamed.answer).toEqual((await write(reply, false)).answer);
  });

  it('fails when the verdict at the end is that there is no information', async () => {
    const { answer } = await write({ ...reply, verdict: 'no_information' }, true);
    expect(answer).toEqual({ failure: 'no_answer', removed: [] });
  });
});
