import { describe, expect, it } from 'vitest';
import { bannedWordsIn, openingsIn } from '../../../tools/release/check-words.ts';

const BANNED = [{ word: 'told', say: 'reported', allowed: ['tools/sample/'] }];

describe('bannedWordsIn()', () => {
  it.each([
    '/** What is told. */',
    'const toldCache = 1;',
    'const isTold = true;',
    'TOLD\ntold by',
  ])('finds a banned word in %j', (text) => {
    expect(bannedWordsIn('src/a.ts', text, BANNED)).toEqual([
      expect.stringMatching(/^src\/a\.ts:\d: “told” is banned: say reported$/),
    ]);
  });
  it.each(['untold', 'toldings', 'retold stories'])('passes %j, which is another word', (text) => {
    expect(bannedWordsIn('src/a.ts', text, BANNED)).toEqual([]);
  });
  it('passes the places that the list allows', () => {
    expect(bannedWordsIn('tools/sample/shop.ts', 'told', BANNED)).toEqual([]);
  });
});

describe('openingsIn()', () => {
  it.each(['/** Of a page, in bytes. */', 'f();\n/**\n * Where it is.\n */', 'f(); // Of both.'])(
    'finds %j',
    (text) => {
      expect(openingsIn('src/a.ts', text)).toEqual([
        expect.stringMatching(/^src\/a\.ts:\d: a comment begins with “/),
      ]);
    },
  );
  it.each([
    '/** Officially. */',
    '// The longest\n  // Of both counts.',
    '/**\n * The length\n * Of it. */',
  ])('passes %j', (text) => {
    expect(openingsIn('src/a.ts', text)).toEqual([]);
  });
});
