import { describe, expect, it } from 'vitest';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { cachedAnswer } from '../../src/navigator/answer-question.ts';
import { openSmallKb } from './small-kb.ts';

const QUESTION = 'How do I descale the boiler?';

describe('cachedAnswer()', () => {
  it('returns the answer of answerFromEdition(), the first time and later', () => {
    const { edition } = openSmallKb();
    const expected = answerFromEdition(edition, QUESTION);
    expect(cachedAnswer(edition, QUESTION)).toEqual(expected);
    expect(cachedAnswer(edition, QUESTION)).toEqual(expected);
  });

  it('computes the answer to the same question once', () => {
    const { edition } = openSmallKb();
    expect(cachedAnswer(edition, QUESTION)).toBe(cachedAnswer(edition, QUESTION));
  });

  it('separates questions with another device, history, filter or edition', () => {
    const [{ edition }, other] = [openSmallKb(), openSmallKb()];
    const answers = [
      cachedAnswer(edition, QUESTION),
      cachedAnswer(other.edition, QUESTION),
      cachedAnswer(edition, QUESTION, { devices: ['Barista I'] }),
      cachedAnswer(edition, QUESTION, { history: [{ speaker: 'user', text: 'Barista II' }] }),
      cachedAnswer(edition, QUESTION, { filter: { device: 'Barista II' } }),
    ];
    expect(new Set(answers).size).toBe(5);
  });

  it('returns frozen answers', () => {
    const { response } = cachedAnswer(openSmallKb().edition, QUESTION);
    expect(() => response.sources.pop()).toThrow(TypeError);
    expect(() => Object.assign(response.sources[0]?.excerpts?.[0] ?? {}, { quote: '' })).toThrow(TypeError);
  });

  it('caches 256 answers, and drops the least recently used', () => {
    const { edition } = openSmallKb();
    const [first, second] = [cachedAnswer(edition, 'boiler 0'), cachedAnswer(edition, 'boiler 1')];
    for (let at = 2; at < 256; at++) cachedAnswer(edition, `boiler ${at}`);
    expect(cachedAnswer(edition, 'boiler 0')).toBe(first);
    cachedAnswer(edition, 'boiler 256');
    expect(cachedAnswer(edition, 'boiler 0')).toBe(first);
    expect(cachedAnswer(edition, 'boiler 1')).not.toBe(second);
  });

  it('does not cache the answer to a very long question', () => {
    const { edition } = openSmallKb();
    const long = `${QUESTION} ${'please '.repeat(200)}`;
    expect(cachedAnswer(edition, long)).not.toBe(cachedAnswer(edition, long));
  });
});
