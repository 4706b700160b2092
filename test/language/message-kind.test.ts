import { expect, it } from 'vitest';
import { digestOfFitted } from '../../research/eval/message-rows.ts';
import { readKind, runsOf, sentencesOf } from '../../src/language/message-kind.ts';
import model from '../../src/language/message-kinds.json' with { type: 'json' };

it('is fitted on the messages as they are (node research/eval/fit-messages.ts)', () => {
  expect(model.fittedOn).toBe(digestOfFitted());
});
it('readKind() gives probabilities that sum to 1, and reads nothing into a text without words', () => {
  const sum = Object.values(readKind('Thanks, that helped')).reduce(
    (total, each) => total + each,
    0,
  );
  expect(sum).toBeCloseTo(1);
  expect(readKind(' ... ').other).toBe(1);
});
it('readKind() reads typing without capitals and diacritics, and drawn-out letters, alike', () => {
  expect(readKind('Ça sent le brûlé')).toEqual(readKind('ca sent le brule'));
  expect(readKind('Dankeeee')).toEqual(readKind('danke'));
});
it('sentencesOf() keeps numbers whole and splits text without spaces', () => {
  expect(sentencesOf('It is 3.5.1. Why? 冒烟了。怎么办？\nBye')).toEqual([
    'It is 3.5.1.',
    'Why?',
    '冒烟了。',
    '怎么办？',
    'Bye',
  ]);
});
it('runsOf() gives each run of words of a longer text', () => {
  expect(runsOf('a b c', 2)).toEqual(['a b', 'b c']);
  expect(runsOf('a b', 2)).toEqual([]);
});
