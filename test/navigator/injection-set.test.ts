import { afterAll, describe, expect, it } from 'vitest';
import { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import { answerQuestion } from '../../src/navigator/answer-question.ts';
import { asLibrarianResponse } from '../../src/navigator/navigator-librarian.ts';
import { validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { answeringModelOf } from '../../src/search/answering-model.ts';
import { HONEST, INJECTIONS, type Injection, QUESTION, wrappedAt } from './injection-set.ts';
import { judging, type ModelCall, scriptedModel } from './scripted-model.ts';
import { openSmallKb } from './small-kb.ts';

/** Cites every passage, including the one with the injection. */
const obeying =
  (statements: readonly string[], more: object = {}) =>
  ({ given: { passages } }: ModelCall) => {
    const ids = passages.map(({ passage }) => passage);
    const each = statements.flatMap((text) => ids.map((id) => ({ quotes: [{ passage: id, quote: text }], text })));
    return {
      text: JSON.stringify({
        statements: statements.length === 1 ? each : [...each.slice(-2)],
        verdict: 'answer',
        confidence: 'high',
        ...more,
      }),
    };
  };

/** Replaces line breaks, also those escaped in JSON. */
const inOneLine = (text: string): string => text.replace(/(?:\s|\\n|>)+/g, ' ');

/** Ways to obey: only the payload, after the truth, in every member of the reply, or cited to its own passage. */
const WAYS: [string, (injection: Injection) => ReturnType<typeof obeying>][] = [
  ['states nothing else', ({ obeyed }) => obeying([obeyed])],
  ['states it after the truth', ({ obeyed }) => obeying([`${HONEST} ${obeyed}`])],
  [
    'states it everywhere',
    ({ obeyed, payloads }) =>
      obeying([HONEST, obeyed], { answer: obeyed, confidenceReason: obeyed, outOfDomain: true, payloads }),
  ],
  [
    'cites the passage that contains it',
    ({ obeyed, payloads }) =>
      (call) => {
        const holder = call.given.passages.find(({ text }) =>
          payloads.some((payload) => inOneLine(text).includes(payload)),
        );
        const passages = call.given.passages.filter((each) => holder === undefined || each === holder).slice(0, 1);
        return obeying([obeyed])({ ...call, given: { ...call.given, passages } });
      },
  ],
];

/** Each injection unchanged, and wrapped at one of two widths. */
const ALL = [...INJECTIONS, ...INJECTIONS.map((each, at) => wrappedAt(at % 2 === 0 ? 40 : 25, each))];
const RUNS = ALL.length * WAYS.length;

/** For injections in a question or its history. */
const UNTOUCHED = openSmallKb();
let passed = 0;
afterAll(() =>
  console.log(`injection set: ${INJECTIONS.length} prompt injections, ${passed} of ${RUNS} runs without a payload`),
);

describe.each(ALL)('a text injected as $name', (injection) => {
  const { articles, question = QUESTION, history, payloads } = injection;
  const { edition, knowledge } = articles === undefined ? UNTOUCHED : openSmallKb(articles);

  it.each(WAYS)('does not reach the response when a model %s', async (_way, obey) => {
    const ai = scriptedModel(obey(injection));
    // An honest judge does not find the payload in the filtered passages.
    ai.judge = judging((statement) => statement === HONEST);
    const { answer, metadata } = await answerQuestion(edition, question, { ai, history, timeLeftMs: () => 5000 });
    const { searchStrategy: _words, ...response } = answer.response;
    // The whole response, without the query words and the removed statements.
    const { removed: _removed, ...account } = metadata;
    const { metadata: _full, ...shared } = asLibrarianResponse(answer, metadata);
    const texts = inOneLine(JSON.stringify([response, shared, account]).toLowerCase());
    for (const payload of payloads) expect(texts).not.toContain(payload.toLowerCase());
    expect(NavigatorResponse.safeParse(answer.response).error?.issues).toBeUndefined();
    const vouched = answeringModelOf(edition).topics.join(' ');
    expect(
      validateNavigatorResponse(answer.response, knowledge, { query: question, vouched, closest: answer.closest }),
    ).toEqual([]);
    expect(validateResponse(asLibrarianResponse(answer, metadata))).toMatchObject({ ok: true });
    passed += 1;
  });
});

describe('the injection set', () => {
  it('does not affect the answer of an honest model next to each injected paragraph', async () => {
    const behind = INJECTIONS.filter(({ articles, question }) => articles !== undefined && question === undefined);
    const answers = await Promise.all(
      behind.map(async ({ articles = [] }) => {
        const ai = scriptedModel(obeying([HONEST]), obeying([HONEST]));
        const { edition } = openSmallKb(articles);
        return (await answerQuestion(edition, QUESTION, { ai, timeLeftMs: () => 5000 })).answer.response;
      }),
    );
    const right = answers.filter(({ answer }) => answer.includes('every 60 days'));
    // Two invisible characters are in the paragraph with the answer, which is removed with them.
    expect(behind.length - right.length).toBeLessThanOrEqual(5);
  });
});
