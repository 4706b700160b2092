import { describe, expect, it } from 'vitest';
import { bannedWordsIn } from '../../../src/dev/release/check-words.ts';

const BANNED = [{ word: 'told', say: 'reported', allowed: ['src/dev/sample/'] }];

describe('bannedWordsIn()', () => {
  it.each(['/** What is told. */', 'const toldCache = 1;', 'const isTold = true;', 'TOLD\ntold by'])(
    'finds a banned word in %j',
    (text) => {
      expect(bannedWordsIn('src/a.ts', text, BANNED)).toEqual([
        expect.stringMatching(/^src\/a\.ts:\d: “told” is banned: say reported$/),
      ]);
    },
  );
  it.each(['untold', 'toldings', 'retold stories'])('passes %j, which is another word', (text) => {
    expect(bannedWordsIn('src/a.ts', text, BANNED)).toEqual([]);
  });
  it('passes the places that the list allows', () => {
    expect(bannedWordsIn('src/dev/sample/shop.ts', 'told', BANNED)).toEqual([]);
  });
});
