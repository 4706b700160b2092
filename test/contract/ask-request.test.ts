import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AskRequest, LibrarianAskRequest, NavigateRequest } from '../../src/contract/ask.ts';
import { Query } from '../../src/contract/names.ts';
import { itRefuses, itTakes } from './it-refuses.ts';

const ASK = {
  query: 'How do I reset my Apollo?',
  librarian: 'navigator',
  workspace_id: 'default',
  conversation_id: 'c-1',
  metadata: { page: { url: '/start' } },
  timeout_ms: 2000,
};

describe('AskRequest', () => {
  itTakes(AskRequest, { 'a full request': ASK, 'a bare question': { query: 'Why?' } });
  itRefuses(AskRequest, ASK, [
    ['an empty query', 'query', '', /^is empty$/],
    ['only white space', 'query', ' \n\t', /^is empty$/],
    ['100,000 characters', 'query', 'a'.repeat(100_000), /longer than 4000/],
    ['only control characters', 'query', '\u0000\u0007\u200b', /no visible/],
    ['an unknown member', 'qurey', 'x', /not a known member/],
    ['an address as librarian', 'librarian', 'http://x', /librarian id/],
    ['a path as workspace', 'workspace_id', '../other', /workspace id/],
    ['a long conversation id', 'conversation_id', 'x'.repeat(129), /1 to 128 visible/],
    ['a timeout of 0', 'timeout_ms', 0, />=1/],
    ['a timeout of an hour', 'timeout_ms', 3_600_000, /<=300000/],
    ['half a millisecond', 'timeout_ms', 1.5, /int/],
    ['large metadata', 'metadata', { a: 'x'.repeat(16_000) }, /larger than 16000/],
    ['metadata as text', 'metadata', 'x', /expected record/],
  ]);
});

describe('LibrarianAskRequest', () => {
  itTakes(LibrarianAskRequest, {
    'a question': { query: 'Why?' },
    'one with metadata': { query: 'Why?', metadata: {} },
  });
  itRefuses(LibrarianAskRequest, { query: 'Why?' }, [
    ['a user in the body', 'user', { id: 'user:root' }, /not a known member/],
    ['a chain in the body', 'delegationChain', [], /not a known member/],
  ]);
});

describe('NavigateRequest', () => {
  itRefuses(NavigateRequest, { query: 'Why?' });
});

describe('Query', () => {
  it('is trimmed, and may be Chinese, a symbol or exactly 4,000 characters long', () => {
    expect(Query.parse('  Why?\n')).toBe('Why?');
    expect(Query.parse('如何重置？')).toBe('如何重置？');
    expect(Query.parse('?')).toBe('?');
    expect(Query.parse(` ${'a'.repeat(4000)} `)).toHaveLength(4000);
  });

  it('is within its bounds, and unchanged when parsed again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        const { success, data = '' } = Query.safeParse(text);
        if (!success) return;
        expect(data.length).toBeGreaterThan(0);
        expect(Query.parse(data)).toBe(data);
      }),
    );
  });
});
