import { describe, expect, it } from 'vitest';
import { validateNavigatorResponse } from '../../../src/answering/write/validate-navigator-response.ts';
import { NavigatorResponse } from '../../../src/contract/core/navigator-response.ts';
import { validateResponse } from '../../../src/contract/core/validate-response.ts';
import { answerQuestion } from '../../../src/librarians/navigator/answer-question.ts';
import { asLibrarianResponse } from '../../../src/librarians/navigator/navigator-librarian.ts';
import { INJECTIONS, type Injection, wrappedAt } from './injection-set.ts';
import { judging, type ModelCall, scriptedModel, seeking } from './scripted-model.ts';
import { OFTEN, openSmallKb, QUOTE } from './small-kb.ts';

/** Cites every passage, including the one with the injection. */
const obeying =
  (statements: readonly string[], more: object = {}) =>
  ({ given: { passages } }: ModelCall) => {
    const each = statements.flatMap((text) =>
      passages.map(({ passage }) => ({ part: 1, quotes: [{ passage, quote: text }], text })),
    );
    const stated = statements.length === 1 ? each : each.slice(-2);
    const parts = [{ asked: 'descaling', passages: ['p1'], answered: 'yes' }];
    return {
      text: JSON.stringify({ parts, statements: stated, missing: '', related: [], ...more }),
    };
  };

/** Replaces line breaks, also those escaped in JSON. */
const inOneLine = (text: string): string => text.replace(/(?:\s|\\n|>)+/g, ' ');

/** Ways to obey: only the payload, after the truth, in every member of the reply, or cited to its own passage. */
const WAYS: [string, (injection: Injection) => ReturnType<typeof obeying>][] = [
  ['states nothing else', ({ obeyed }) => obeying([obeyed])],
  ['states it after the truth', ({ obeyed }) => obeying([`${QUOTE} ${obeyed}`])],
  [
    'states it everywhere',
    ({ obeyed, payloads }) =>
      obeying([QUOTE, obeyed], {
        answer: obeyed,
        confidenceReason: obeyed,
        outOfDomain: true,
        payloads,
      }),
  ],
  [
    'says that it is missing, and asked for',
    ({ obeyed }) => {
      const parts = [
        { asked: 'descaling', passages: ['p1'], answered: 'yes' },
        { asked: obeyed, passages: [], answered: 'no' },
      ];
      return obeying([QUOTE], { parts, missing: obeyed });
    },
  ],
  [
    'cites the passage that contains it',
    ({ obeyed, payloads }) =>
      (call) => {
        const { passages } = call.given;
        const holder = passages.find(({ text }) =>
          payloads.some((payload) => inOneLine(text).includes(payload)),
        );
        return obeying([obeyed])({
          ...call,
          given: { ...call.given, passages: [holder ?? passages[0]!] },
        });
      },
  ],
];

/** Each injection unchanged, and wrapped at one of two widths. */
const ALL = [
  ...INJECTIONS,
  ...INJECTIONS.map((each, at) => wrappedAt(at % 2 === 0 ? 40 : 25, each)),
];
/** A knowledge base for each injection; an unchanged one for those in a question or its history. */
const BASES = new Map(ALL.map(({ articles }) => [articles, openSmallKb(articles)]));
const baseOf = ({ articles }: Injection) => BASES.get(articles)!;

describe.each(ALL)('a text injected as $name', (injection) => {
  const { question = OFTEN, history, payloads } = injection;
  const { edition, knowledge } = baseOf(injection);

  it.each(WAYS)('does not reach the response when a model %s', async (_way, obey) => {
    const ai = scriptedModel(obey(injection));
    // An honest judge does not find the payload in the filtered passages.
    ai.judge = judging((statement) => statement === QUOTE);
    ai.queries = seeking('descale the boiler');
    const { answer, metadata } = await answerQuestion(edition, question, {
      ai,
      history,
      timeLeftMs: () => 5000,
    });
    const librarian = asLibrarianResponse(answer, metadata);
    // The whole response, without the query words and the removed statements.
    const { searchStrategy: _words, ...response } = answer.response;
    const { removed: _removed, ...account } = metadata;
    const { metadata: _full, ...shared } = librarian;
    const texts = inOneLine(JSON.stringify([response, shared, account]).toLowerCase());
    for (const payload of payloads) expect(texts).not.toContain(payload.toLowerCase());
    expect(NavigatorResponse.safeParse(answer.response).error?.issues).toBeUndefined();
    const about = { query: question, frame: answer.frame };
    expect(validateNavigatorResponse(answer.response, knowledge, about)).toEqual([]);
    expect(validateResponse(librarian)).toMatchObject({ ok: true });
  });
});
it('the injection set does not affect the answer of an honest model next to each injected paragraph', async () => {
  const behind = INJECTIONS.filter(
    ({ articles, question }) => articles !== undefined && question === undefined,
  );
  const answers = await Promise.all(
    behind.map(async (injection) => {
      const options = { ai: scriptedModel(obeying([QUOTE])), timeLeftMs: () => 5000 };
      return (await answerQuestion(baseOf(injection).edition, OFTEN, options)).answer.response
        .answer;
    }),
  );
  // Two invisible characters are in the paragraph with the answer, which is removed with them.
  expect(answers.filter((answer) => !answer.includes('every 60 days')).length).toBeLessThanOrEqual(
    5,
  );
});
