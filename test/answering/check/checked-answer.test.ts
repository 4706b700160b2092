import { describe, expect, it } from 'vitest';
import { writeCheckedAnswer } from '../../../src/answering/check/checked-answer.ts';
import { startModelCalls } from '../../../src/answering/model/model-calls.ts';
import { judging, scriptedModel } from '../write/scripted-model.ts';

const STEPS =
  '1. Switch the supply off.\n2. Pull out both plugs and check them.\n3. Push both in until they click.';
const PASSAGE = {
  id: 'p1',
  title: 'Apollo II not hashing',
  headings: [],
  text: `## Cables\n\n${STEPS}\n\nThe plugs carry 12 V.`,
};
const STATED = 'The plugs carry 12 V.';
const REJECTED = 'on the moon';
const PARTS = [{ asked: 'what now', passages: ['p1'], answered: 'yes' }];

const statement = (text: string, ...quotes: readonly string[]) => ({
  part: 1,
  text,
  quotes: quotes.map((quote) => ({ passage: 'p1', quote })),
});

/** The answer that a model streams in small pieces; the judge rejects a part of it. */
const write = async (
  statements: readonly ReturnType<typeof statement>[],
  {
    parts = PARTS,
    isStreamed = false,
    hasJudge = true,
    keep,
  }: {
    parts?: object[];
    isStreamed?: boolean;
    hasJudge?: boolean;
    keep?: (statement: string) => string;
  } = {},
) => {
  const log: string[] = [];
  const text = JSON.stringify({ parts, statements, missing: '', related: [] });
  const ai = scriptedModel(async ({ options: { onText } }) => {
    for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) {
      onText?.(piece);
      if (isStreamed) await new Promise((resolve) => setTimeout(resolve));
    }
    log.push('the reply is complete');
    return { text };
  });
  ai.judge = hasJudge ? judging((each) => !each.includes(REJECTED), keep) : { finish: 'refused' };
  const calls = startModelCalls({ ai, timeMs: 5000 });
  const onStatement = (each: { text: string }) => void log.push(each.text);
  const answer = await writeCheckedAnswer(
    { question: 'What now?', history: [], passages: [PASSAGE] },
    { calls, isScreened: true, ...(isStreamed && { onStatement }) },
  );
  calls.end();
  const judged = ai.calls.filter(
    ({ options }) => options.schema?.name === 'judged_statements',
  ).length;
  return { log, answer, judged };
};

describe('a streamed answer', () => {
  const lead = statement('Do this:', STEPS);
  const rejected = statement(`The plugs carry 12 V ${REJECTED}.`, STATED);
  const statements = [statement(STATED, STATED), lead, statement(STEPS, STEPS), rejected];

  it('sends the first statements before the reply is complete, judged, and ends with the same answer', async () => {
    const streamed = await write(statements, { isStreamed: true });
    const plain = await write(statements);
    expect(streamed.log).toEqual([STATED, 'the reply is complete', lead.text, STEPS]);
    expect(streamed.answer).toEqual(plain.answer);
    expect(plain.judged).toBe(1);
    expect(streamed.judged).toBeLessThanOrEqual(3);
  });
  it('sends nothing of a part that the model answers with no', async () => {
    const parts = [{ asked: 'what now', passages: [], answered: 'no' }];
    const { answer, log } = await write(statements, { parts, isStreamed: true });
    expect(answer).toEqual({
      failure: 'no_answer',
      removed: [],
      related: [],
      ticket: expect.anything(),
    });
    expect(log).toEqual(['the reply is complete']);
  });
});

describe('a part whose first statement is removed', () => {
  const rejected = statement(`The plugs carry 12 V ${REJECTED}.`, STATED);
  const textsOf = ({ answer }: Awaited<ReturnType<typeof write>>) =>
    'statements' in answer ? answer.statements.map(({ text }) => text) : answer;

  it.each([false, true])(
    'loses what explains that statement (streamed: %s)',
    async (isStreamed) => {
      const parts = [...PARTS, { asked: 'how many volts', passages: ['p1'], answered: 'yes' }];
      const second = { ...statement(STATED, STATED), part: 2 };
      const written = await write([rejected, statement(STEPS, STEPS), second], {
        parts,
        isStreamed,
      });
      expect(textsOf(written)).toEqual([STATED]);
      expect(written.answer.removed.map(({ reason }) => reason)).toEqual([
        expect.stringMatching(/^the judge: /),
        'nothing is left of what it explains',
      ]);
      expect(written.answer).toMatchObject({ parts: [{ state: 'open' }, { state: 'answered' }] });
    },
  );
  it('leaves nothing of an answer in one part, and says that a judge has refused it', async () => {
    const { answer } = await write([rejected, statement(STEPS, STEPS)]);
    expect(answer).toMatchObject({ failure: 'unsupported', isJudged: true });
  });
  it('loses no more when a later statement is removed', async () => {
    const written = await write([statement(STATED, STATED), rejected, statement(STEPS, STEPS)]);
    expect(textsOf(written)).toEqual([STATED, STEPS]);
  });
});

describe('a statement with a number that no passage has', () => {
  const invented = statement('The plugs carry 48 V, so switch the supply off.', STATED);
  const textsOf = ({ answer }: Awaited<ReturnType<typeof write>>) =>
    'statements' in answer ? answer.statements.map(({ text }) => text) : answer;

  it.each([false, true])('is replaced by what it quotes (streamed: %s)', async (isStreamed) => {
    const written = await write([invented, statement('Push in both plugs.', STEPS)], {
      isStreamed,
    });
    expect(textsOf(written)).toEqual([STATED, 'Push in both plugs.']);
    expect(written.answer.removed).toEqual([
      { text: invented.text, reason: expect.stringContaining('number "48"') },
    ]);
    expect(written.judged).toBe(1);
  });
  it('is removed when nothing else is left, without a judge', async () => {
    const { answer, judged } = await write([invented]);
    expect(answer).toMatchObject({ failure: 'unsupported' });
    expect(judged).toBe(0);
  });
  it('is removed in another language than its quote', async () => {
    const german = statement('Die Stecker führen immer 48 V, also schalte sie ab.', STATED);
    const written = await write([statement('Push in both plugs.', STEPS), german]);
    expect(textsOf(written)).toEqual(['Push in both plugs.']);
  });
});

it('answers two parts by one sentence that both quote, where the judge fails', async () => {
  const parts = [...PARTS, { asked: 'how many volts', passages: ['p1'], answered: 'yes' }];
  const volts = { ...statement('It is 12 V.', STATED), part: 2 };
  const { answer } = await write([statement('Look for plugs with 12 V.', STATED), volts], {
    parts,
    hasJudge: false,
  });
  expect(answer).toMatchObject({
    statements: [{ text: STATED }],
    parts: [{ state: 'answered' }, { state: 'answered' }],
  });
});

describe('a step that the judge refuses', () => {
  const [first = '', second = '', third = ''] = STEPS.split('\n');
  const steps = (...texts: readonly string[]) =>
    [first, second, third].map((quote, at) => statement(texts[at] ?? '', quote));
  const textsOf = ({ answer }: Awaited<ReturnType<typeof write>>) =>
    'statements' in answer ? answer.statements.map(({ text }) => text) : answer;

  it.each([false, true])('is shown as the article has it (streamed: %s)', async (isStreamed) => {
    const written = await write(
      steps('Turn the supply off.', `Pull the plugs ${REJECTED}.`, 'Then push them back in.'),
      { isStreamed },
    );
    expect(textsOf(written)).toEqual(['Turn the supply off.', second, 'Then push them back in.']);
    expect(written.answer.removed).toEqual([
      { text: `Pull the plugs ${REJECTED}.`, reason: expect.stringMatching(/^the judge: /) },
    ]);
  });
  it('is shown as the article has it when the judge leaves it out of a list', async () => {
    const list = statement(STEPS.replace('Pull out', 'Pull slowly out'), STEPS);
    const keep = () => [first, third].join('\n');
    expect(textsOf(await write([list], { keep }))).toEqual([STEPS]);
  });
  it('is removed with the others of its list, and where another statement quotes it', async () => {
    expect(
      await write(steps(`Off ${REJECTED}.`, `Pull ${REJECTED}.`, `Push ${REJECTED}.`)),
    ).toMatchObject({ answer: { failure: 'unsupported' } });
    const twice = [statement('Pull both plugs.', second), statement(`Pull ${REJECTED}.`, second)];
    expect(textsOf(await write(twice))).toEqual(['Pull both plugs.']);
  });
});
