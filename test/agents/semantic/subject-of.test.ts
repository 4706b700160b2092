import { describe, expect, it } from 'vitest';
import { subjectOf, withoutKinds } from '../../../src/agents/semantic/subject-of.ts';
import { bestTime } from '../../best-time.ts';

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
  ])('takes %j for a request about %j', (query, subject) => {
    expect(subjectOf(query)).toBe(subject);
  });

  it.each([
    'How often must the boiler be descaled?',
    'Which documents do I need for customs?',
    'What is on page 3?',
    'documents about',
    'Find documents about ?!',
    '钥匙在哪里？',
  ])('leaves %j as it is', (query) => {
    expect(subjectOf(query)).toBe(query);
  });

  it('is quick whatever it is given', () => {
    const pieces = [
      'find all ',
      'documents about ',
      ' ',
      'the of ',
      'a\n',
      'what does the ',
      'what does the a say about ',
    ];
    const time = bestTime(() => pieces.map((piece) => subjectOf(piece.repeat(4000 / piece.length))));
    expect(time).toBeLessThan(200);
  });
});

describe('withoutKinds()', () => {
  it('leaves out what kind of text is wanted, where no document uses the word', () => {
    const isUnknown = (word: string) => word !== 'guide';
    expect(withoutKinds('our Policy on returns', isUnknown)).toBe('our on returns');
    expect(withoutKinds('explain the guide on unicorns', isUnknown)).toBe('the guide on unicorns');
    expect(withoutKinds('policies', isUnknown)).toBe('policies');
  });
});
