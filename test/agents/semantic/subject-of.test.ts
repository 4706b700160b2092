import { describe, expect, it } from 'vitest';
import { subjectOf, withoutKinds } from '../../../src/agents/semantic/find-documents.ts';
import CASES from './subject-of.json' with { type: 'json' };

describe('subjectOf()', () => {
  it.each(CASES.subjects)('reads %j as a request about %j', (query, subject) => {
    expect(subjectOf(query)).toBe(subject);
  });

  it.each([
    'How often must the boiler be descaled?',
    'Which documents do I need for customs?',
    'What is on page 3?',
    'documents about',
    'Find documents about ?!',
    '钥匙在哪里？',
  ])('returns %j unchanged', (query) => {
    expect(subjectOf(query)).toBe(query);
  });

  it.each(['find all ', 'documents about ', ' ', 'the of ', 'a\n', 'what does the ', 'what does the a say about '])(
    'reads 4,000 characters of %j without backtracking',
    (piece) => {
      expect(subjectOf(piece.repeat(4000 / piece.length)).length).toBeLessThanOrEqual(4000);
    },
  );
});

describe('withoutKinds()', () => {
  it('removes the kind of text when no document uses the word', () => {
    const isUnknown = (word: string) => word !== 'guide';
    expect(withoutKinds('our Policy on returns', isUnknown)).toBe('our on returns');
    expect(withoutKinds('explain the guide on unicorns', isUnknown)).toBe('the guide on unicorns');
    expect(withoutKinds('policies', isUnknown)).toBe('policies');
  });
});
