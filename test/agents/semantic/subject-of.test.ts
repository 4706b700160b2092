import { describe, expect, it } from 'vitest';
import { subjectOf, withoutKinds } from '../../../src/agents/semantic/subject-of.ts';

describe('subjectOf()', () => {
  it.each([
    ['Find documents about network configuration', 'network configuration'],
    ['Which articles cover overheating?', 'overheating'],
    ['Show me the documentation for the power supply', 'the power supply'],
    ['Search the knowledge base for pool settings', 'pool settings'],
    ['Summarise what our documents say about backups', 'backups'],
    ['What documentation do we have on shipping?', 'shipping'],
    ['Find everything that is written about the status light', 'the status light'],
    ['I am looking for a document that describes the installation', 'the installation'],
    ['Could you please list all guides on firmware updates.', 'firmware updates'],
    ['Which of our help pages deal with payments?', 'payments'],
    ['What does the return policy say about used devices?', 'the return policy, used devices'],
  ])('reads %j as a request about %j', (query, subject) => {
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
