import { describe, expect, it } from 'vitest';
import { openFolder } from '../../../research/eval/answer-bases.ts';
import { closeWordsIn } from '../../../src/answering/passages/word-closeness.ts';
import { entryText } from '../../../src/knowledge/edition/text-table.ts';
import { stem } from '../../../src/language/stem.ts';
import { shippedWordVectors } from '../../../tools/run/shipped-word-vectors.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../../tools/sample/files.ts';

const dot = (one: Float32Array = new Float32Array(), other: Float32Array = one): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

describe('closeWordsIn()', () => {
  const { edition } = openFolder('sample', SAMPLE_KNOWLEDGE_BASE);
  const { terms } = edition.index;
  const stems = Array.from({ length: terms.count }, (_, term) => entryText(terms, term));

  it.each(['price', 'broken', 'heat', 'refund', 'wireless'])(
    'finds every word of the edition close to: %s',
    (word) => {
      const vectors = shippedWordVectors();
      const asked = new Set([stem(word)]);
      const vector = vectors.vectorOf(asked);
      const expected = stems
        .filter((each) => !asked.has(each))
        .map((each) => ({
          word: each,
          closeness: (dot(vectors.vectorOf([each]), vector) - 0.3) / 0.7,
        }))
        .filter(({ closeness }) => closeness > 0)
        .sort((one, other) => other.closeness - one.closeness);
      expect(expected.length).toBeGreaterThan(3);
      expect(closeWordsIn(edition, vectors)(asked)).toEqual([
        { word: stem(word), closeness: 1 },
        ...expected,
      ]);
    },
  );
  it('finds the forms of a word alone without vectors', () => {
    const words = closeWordsIn(edition)(new Set([stem('refund'), 'refnd']));
    expect(words).toEqual([stem('refund'), 'refnd'].map((word) => ({ word, closeness: 1 })));
  });
});
