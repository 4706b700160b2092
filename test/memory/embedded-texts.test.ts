import { describe, expect, it } from 'vitest';
import type { Memory } from '../../src/contract/memory.ts';
import { embeddedTexts } from '../../src/memory/erase-memories.ts';

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

describe('embeddedTexts()', () => {
  it('contains the trimmed content of a memory', () => {
    expect(embeddedTexts([memory('  The fan is loud.\n', { type: 'fact' })])).toEqual(['The fan is loud.']);
  });

  it('contains the standalone form of a question', () => {
    const question = memory('And the II?', { metadata: { understood_as: 'Is the fan of the Apollo II loud?' } });
    expect(embeddedTexts([question])).toEqual(['And the II?', 'Is the fan of the Apollo II loud?']);
  });

  it('contains a question combined with the previous ones of its conversation, in the order of time', () => {
    const [first, answer, second, third] = [
      memory('one', { conversation_id: 'c' }),
      memory('an answer', { conversation_id: 'c', type: 'answer' }),
      memory('two', { conversation_id: 'c', metadata: { understood_as: 'two of one' } }),
      memory('three', { conversation_id: 'c' }),
    ] as const;
    const elsewhere = memory('elsewhere', { conversation_id: 'd' });
    const texts = embeddedTexts([third, elsewhere, second, answer, first]);
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

  it('contains neighbouring questions only in combination with erased ones', () => {
    const [first, second, third] = ['one', 'two', 'three'].map((text) => memory(text, { conversation_id: 'c' }));
    if (!first || !second || !third) throw new Error('there are three');
    expect(embeddedTexts([second], [third, first]).toSorted()).toEqual(
      ['one\ntwo', 'two', 'two\nthree', 'one two\nthree'].toSorted(),
    );
    expect(embeddedTexts([first], [third, second]).toSorted()).toEqual(
      ['one', 'one\ntwo', 'one two\nthree'].toSorted(),
    );
  });

  it('contains the embedded beginning of a long question, and no text that is too long for a query', () => {
    const long = `${'word '.repeat(600)}end`;
    expect(embeddedTexts([memory(long)])).toEqual([long, long.slice(0, 2000)]);
    expect(embeddedTexts([memory('x'.repeat(4001))])).toEqual([]);
  });
});
