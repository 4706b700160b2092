import { describe, expect, it } from 'vitest';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { answerQuestion, type QuestionOptions } from '../../src/navigator/answer-question.ts';
import type { Edition } from '../../src/search/open-edition.ts';
import { openSmallKb } from './small-kb.ts';

const QUESTION = 'How do I descale the boiler?';

const cachedAnswer = async (edition: Edition, question: string, options: Partial<QuestionOptions> = {}) =>
  (await answerQuestion(edition, question, { timeLeftMs: () => 1000, ...options })).answer;

describe('answerQuestion() without a model', () => {
  it('computes the answer of answerFromEdition() once for the same question', async () => {
    const { edition } = openSmallKb();
    const answer = await cachedAnswer(edition, QUESTION);
    expect(answer).toEqual(answerFromEdition(edition, QUESTION));
    expect(await cachedAnswer(edition, QUESTION)).toBe(answer);
  });

  it('separates questions with another device, history or edition', async () => {
    const [{ edition }, other] = [openSmallKb(), openSmallKb()];
    const answers = [
      await cachedAnswer(edition, QUESTION),
      await cachedAnswer(other.edition, QUESTION),
      await cachedAnswer(edition, QUESTION, { devices: ['Barista I'] }),
      await cachedAnswer(edition, QUESTION, { history: [{ speaker: 'user', text: 'Barista II' }] }),
    ];
    expect(new Set(answers).size).toBe(4);
  });

  it('returns frozen answers', async () => {
    const { response } = await cachedAnswer(openSmallKb().edition, QUESTION);
    expect(() => response.sources.pop()).toThrow(TypeError);
    expect(() => Object.assign(response.sources[0]?.excerpts?.[0] ?? {}, { quote: '' })).toThrow(TypeError);
  });

  it('caches 256 answers, and drops the least recently used', async () => {
    const { edition } = openSmallKb();
    const [first, second] = [await cachedAnswer(edition, 'boiler 0'), await cachedAnswer(edition, 'boiler 1')];
    for (let at = 2; at < 256; at++) await cachedAnswer(edition, `boiler ${at}`);
    expect(await cachedAnswer(edition, 'boiler 0')).toBe(first);
    await cachedAnswer(edition, 'boiler 256');
    expect(await cachedAnswer(edition, 'boiler 0')).toBe(first);
    expect(await cachedAnswer(edition, 'boiler 1')).not.toBe(second);
  });

  it('does not cache the answer to a very long question', async () => {
    const { edition } = openSmallKb();
    const long = `${QUESTION} ${'please '.repeat(200)}`;
    expect(await cachedAnswer(edition, long)).not.toBe(await cachedAnswer(edition, long));
  });
});
