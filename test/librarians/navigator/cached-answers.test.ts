import { expect, it } from 'vitest';
import { answerFromEdition } from '../../../src/answering/write/answer-from-edition.ts';
import type { Edition } from '../../../src/knowledge/edition/open-edition.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import {
  answerQuestion,
  type QuestionOptions,
} from '../../../src/librarians/navigator/answer-question.ts';
import { replyOf, scriptedModel } from '../../answering/write/scripted-model.ts';
import { OFTEN, openSmallKb, QUOTE } from '../../answering/write/small-kb.ts';

const reply = (edition: Edition, question: string, options: Partial<QuestionOptions> = {}) =>
  answerQuestion(edition, question, { timeLeftMs: () => 5000, ...options });
const answerTo = async (...given: Parameters<typeof reply>) => (await reply(...given)).answer;

it('computes the answer of answerFromEdition() once for the same question', async () => {
  const { edition } = openSmallKb();
  const answer = await answerTo(edition, OFTEN);
  expect(answer).toEqual(answerFromEdition(edition, OFTEN));
  expect(await answerTo(edition, OFTEN)).toBe(answer);
});
it('separates questions with another device, history or edition', async () => {
  const [{ edition }, other] = [openSmallKb(), openSmallKb()];
  const answers = [
    await answerTo(edition, OFTEN),
    await answerTo(other.edition, OFTEN),
    await answerTo(edition, OFTEN, { devices: ['Barista I'] }),
    await answerTo(edition, 'How often?', { history: [{ speaker: 'user', text: OFTEN }] }),
    await answerTo(edition, 'How often?', {
      history: [{ speaker: 'user', text: 'How do I descale the boiler?' }],
    }),
  ];
  expect(new Set(answers).size).toBe(5);
});
it('reads a question that stands alone without the conversation', async () => {
  const { edition } = openSmallKb();
  const history = [{ speaker: 'user' as const, text: 'Barista II' }];
  expect(await answerTo(edition, OFTEN, { history })).toBe(await answerTo(edition, OFTEN));
});
it('returns frozen answers', async () => {
  const { response } = await answerTo(openSmallKb().edition, OFTEN);
  expect(() => response.sources.pop()).toThrow(TypeError);
  expect(() => Object.assign(response.sources[0]?.excerpts?.[0] ?? {}, { quote: '' })).toThrow(
    TypeError,
  );
});
it('caches 256 answers, and drops the least recently used', async () => {
  const { edition } = openSmallKb();
  const [first, second] = [
    await answerTo(edition, 'boiler 0'),
    await answerTo(edition, 'boiler 1'),
  ];
  for (let at = 2; at < 256; at++) await answerTo(edition, `boiler ${at}`);
  expect(await answerTo(edition, 'boiler 0')).toBe(first);
  await answerTo(edition, 'boiler 256');
  expect(await answerTo(edition, 'boiler 0')).toBe(first);
  expect(await answerTo(edition, 'boiler 1')).not.toBe(second);
});
it('does not cache the answer to a very long question', async () => {
  const { edition } = openSmallKb();
  const long = `${OFTEN} ${'please '.repeat(200)}`;
  expect(await answerTo(edition, long)).not.toBe(await answerTo(edition, long));
});
it.each([
  ['late', { degraded: ['embeddings'] }, 2],
  ['failed', { degraded: ['embeddings'] }, 2],
  ['used', {}, 1],
  ['absent', {}, 1],
] as const)(
  'caches no answer whose embeddings were late or failed: %s',
  async (semantic, metadata, searches) => {
    const { edition } = openSmallKb();
    let calls = 0;
    const retrieve: QuestionOptions['retrieve'] = async (...search) => {
      calls += 1;
      return { outcome: searchEdition(...search), semantic };
    };
    const [first, second] = [
      await reply(edition, OFTEN, { retrieve }),
      await reply(edition, OFTEN, { retrieve }),
    ];
    expect(first.metadata).toEqual(metadata);
    expect(second.answer.response).toEqual(answerFromEdition(edition, OFTEN).response);
    expect([first.answer === second.answer, calls]).toEqual([searches === 1, searches]);
  },
);
it('answerQuestion() does not cache the answer of a model', async () => {
  const { edition } = openSmallKb();
  const ai = scriptedModel(replyOf([{ text: QUOTE, from: 'How often' }]));
  // The answer and the judge each time.
  for (const calls of [2, 4]) {
    await reply(edition, OFTEN, { ai });
    expect(ai.calls).toHaveLength(calls);
  }
});
