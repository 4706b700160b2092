import { describe, expect, it } from 'vitest';
import type { Memory } from '../../src/contract/memory.ts';
import { askedTexts } from '../../src/memory/erase-memories.ts';

let minute = 0;
const memory = (content: string, changes: Partial<Memory> = {}): Memory => ({
  id: content.slice(0, 20).replace(/\s/g, '-'),
  workspace_id: 'acme',
  type: 'question',
  content,
  confidence: 1,
  created_at: new Date(Date.UTC(2026, 0, 1, 0, minute++)).toISOString(),
  ...changes,
});

describe('askedTexts()', () => {
  it('is what a memory says, trimmed as questions are', () => {
    expect(askedTexts([memory('  The fan is loud.\n', { type: 'fact' })])).toEqual(['The fan is loud.']);
  });

  it('is also how a question was understood', () => {
    const question = memory('And the II?', { metadata: { understood_as: 'Is the fan of the Apollo II loud?' } });
    expect(askedTexts([question])).toEqual(['And the II?', 'Is the fan of the Apollo II loud?']);
  });

  it('is also a question behind the one before it in its conversation, in the order of time', () => {
    const [first, answer, second, third] = [
      memory('one', { conversation_id: 'c' }),
      memory('an answer', { conversation_id: 'c', type: 'answer' }),
      memory('two', { conversation_id: 'c', metadata: { understood_as: 'two of one' } }),
      memory('three', { conversation_id: 'c' }),
    ] as const;
    const elsewhere = memory('elsewhere', { conversation_id: 'd' });
    const texts = askedTexts([third, elsewhere, second, answer, first]);
    expect(texts.filter((text) => text.includes('\n')).toSorted()).toEqual(
      [
        'one\ntwo',
        'one\ntwo of one',
        'two\nthree',
        'two of one\nthree',
        'one two\nthree',
        'one two of one\nthree',
      ].toSorted(),
    );
  });

  it('has what stands around what is erased in no other way', () => {
    const [first, second, third] = ['one', 'two', 'three'].map((text) => memory(text, { conversation_id: 'c' }));
    if (!first || !second || !third) throw new Error('there are three');
    expect(askedTexts([second], [third, first]).toSorted()).toEqual(
      ['one\ntwo', 'two', 'two\nthree', 'one two\nthree'].toSorted(),
    );
    expect(askedTexts([first], [third, second]).toSorted()).toEqual(['one', 'one\ntwo', 'one two\nthree'].toSorted());
  });

  it('is of a long question the part that is embedded too, and nothing of what is longer than any', () => {
    const long = `${'word '.repeat(600)}end`;
    expect(askedTexts([memory(long)])).toEqual([long, long.slice(0, 2000)]);
    expect(askedTexts([memory('x'.repeat(4001))])).toEqual([]);
  });
});
