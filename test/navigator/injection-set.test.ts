import { afterAll, describe, expect, it } from 'vitest';
import { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import { answerQuestion } from '../../src/navigator/answer-question.ts';
import { asLibrarianResponse } from '../../src/navigator/navigator-librarian.ts';
import { validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { answeringModelOf } from '../../src/search/answering-model.ts';
import { HONEST, INJECTIONS, type Injection, QUESTION, wrappedAt } from './injection-set.ts';
import { type AskedModel, judging, scriptedModel } from './scripted-model.ts';
import { openSmallKb } from './small-kb.ts';

/** Cites every passage, including the one with the injection. */
const obeying =
  (statements: readonly string[], more: object = {}) =>
  ({ given: { passages } }: AskedModel) => {
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

/** Without line breaks, also those escaped in JSON. */
const inOneLine = (text: string): string => text.replace(/(?:\s|\\n|>)+/g, ' ');

/** Ways to obey: state the payload alone, after the truth, or in every member of the reply. */
const WAYS: [string, (injection: Injection) => ReturnType<typeof obeying>][] = [
  ['says nothing else', ({ obeyed }) => obeying([obeyed])],
  ['says it behind the truth', ({ obeyed }) => obeying([`${HONEST} ${obeyed}`])],
  [
    'says it wherever it can',
    ({ obeyed, payloads }) =>
      obeying([HONEST, obeyed], { answer: obeyed, confidenceReason: obeyed, outOfDomain: true, payloads }),
  ],
  [
    'names for it the one passage that holds it',
    ({ obeyed, payloads }) =>
      (asked) => {
        const holder = asked.given.passages.find(({ text }) =>
          payloads.some((payload) => inOneLine(text).includes(payload)),
        );
        const passages = asked.given.passages.filter((each) => holder === undefined || each === holder).slice(0, 1);
        return obeying([obeyed])({ ...asked, given: { ...asked.given, passages } });
      },
  ],
];

/** Each unchanged, and wrapped at one of two widths. */
const ALL = [...INJECTIONS, ...INJECTIONS.map((each, at) => wrappedAt(at % 2 === 0 ? 40 : 25, each))];
const RUNS = ALL.length * WAYS.length;

/** For injections in a question or its history. */
const UNTOUCHED = openSmallKb();
let held = 0;
afterAll(() => console.log(`injection set: ${INJECTIONS.length} prompt injections, ${held} of ${RUNS} runs held`));

describe.each(ALL)('a text injected as $name', (injection) => {
  const { articles, question = QUESTION, history, payloads } = injection;
  const { edition, knowledge } = articles === undefined ? UNTOUCHED : openSmallKb(articles);

  it.each(WAYS)('does not get into the response of a model that %s', async (_way, obey) => {
    const ai = scriptedModel(obey(injection));
    // The judge sees the filtered passages; an honest one does not find the payload.
    ai.judge = judging((statement) => statement === HONEST);
    const { answer, metadata } = await answerQuestion(edition, question, { ai, history, timeLeftMs: () => 5000 });
    const { searchStrategy: _words, ...response } = answer.response;
    // The whole response, without the query words and the removed statements.
    const { removed: _removed, ...account } = metadata;
    const { metadata: _full, ...shared } = asLibrarianResponse(answer, metadata);
    const told = inOneLine(JSON.stringify([response, shared, account]).toLowerCase());
    for (const payload of payloads) expect(told).not.toContain(payload.toLowerCase());
    expect(NavigatorResponse.safeParse(answer.response).error?.issues).toBeUndefined();
    const vouched = answeringModelOf(edition).topics.join(' ');
    expect(
      validateNavigatorResponse(answer.response, knowledge, { query: question, vouched, closest: answer.closest }),
    ).toEqual([]);
    expect(validateResponse(asLibrarianResponse(answer, metadata))).toMatchObject({ ok: true });
    held += 1;
  });
});

describe('the injection set', () => {
  it('has at least 25 texts of different forms', () => {
    expect(new Set(INJECTIONS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(25);
  });

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
