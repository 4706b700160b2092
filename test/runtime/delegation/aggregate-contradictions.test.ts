import { describe, expect, it } from 'vitest';
import { aggregate } from '../../../src/runtime/delegation/aggregate.ts';
import { branchOf } from './branch-of.ts';
import { DEVELOPMENT_PAIRS, HELD_OUT_PAIRS, type LabelledPair } from './contradiction-pairs.ts';

const isFlagged = ({ question, one, other }: LabelledPair): boolean => {
  const joined = aggregate([
    branchOf('one', question ?? 'The first question?', { answer: one, confidence: 0.9 }),
    branchOf('other', question ?? 'Another question?', { answer: other, confidence: 0.8 }),
  ]);
  return joined.metadata?.contradictions !== undefined;
};

const judge = (pairs: readonly LabelledPair[]) => {
  const flagged = pairs.filter(isFlagged);
  const right = flagged.filter(({ contradicts }) => contradicts).length;
  return { precision: right / flagged.length, recall: right / pairs.filter(({ contradicts }) => contradicts).length };
};

describe('the contradictions that aggregate() tells', () => {
  it.each(DEVELOPMENT_PAIRS.map((pair) => [pair.contradicts ? 'is one' : 'is none', pair] as const))(
    '%s: $one | $other',
    (_label, pair) => {
      expect(isFlagged(pair)).toBe(pair.contradicts);
    },
  );

  it('are all real, and at least nine in ten, on pairs that the rules were not written with', () => {
    const { precision, recall } = judge(HELD_OUT_PAIRS);
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(recall).toBeGreaterThanOrEqual(0.9);
  });
});

describe('contradicting answers', () => {
  const joined = aggregate([
    branchOf('books', 'What is the VAT rate?', { answer: 'The VAT rate is 13 %. See a.md.', confidence: 0.9 }),
    branchOf('taxes', 'what is the VAT rate', { answer: 'The VAT rate is 15 %.', confidence: 0.7 }),
  ]);

  it('are both quoted, with who said them', () => {
    expect(joined.answer).toMatch(
      /^## The librarians disagree\n\n13 % or 15 %:\n\n- books: “The VAT rate is 13 %\.”\n- taxes: “The VAT rate is 15 %\.”/,
    );
    expect(joined.answer).toContain('### taxes says otherwise\n\nThe VAT rate is 15 %.');
  });

  it('are named in the metadata', () => {
    expect(joined.metadata?.contradictions).toEqual([
      {
        statements: [
          { librarian: 'books', text: 'The VAT rate is 13 %.' },
          { librarian: 'taxes', text: 'The VAT rate is 15 %.' },
        ],
        values: ['13 %', '15 %'],
      },
    ]);
  });

  it('make the whole less sure than the weaker of them, and partial', () => {
    expect(joined).toMatchObject({ confidence: 0.35, partial: true });
  });

  it('are not told of one that only has no information', () => {
    const { metadata } = aggregate([
      branchOf('one', 'How much?', { answer: 'The case costs 29 EUR.' }),
      branchOf('two', 'How much?', { answer: "I don't have information about what the case costs." }),
    ]);
    expect(metadata?.contradictions).toBeUndefined();
  });
});
