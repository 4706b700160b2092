import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanUrl, uniqueUrls, webResult } from '../../../src/librarians/web-search/web-search.ts';
import CASES from './web-result.json' with { type: 'json' };

const snippetOf = (snippet: string) => webResult({ title: 'Result', snippet })?.snippet;

describe('the text of a result', () => {
  it.each([...CASES.plain, ['half \ud83d', 'half']])('reads %j as %j', (text, plain) => {
    expect(snippetOf(text)).toBe(plain);
  });
  it('never cuts a surrogate pair', () =>
    expect(webResult({ title: 'Result', condition: '😀'.repeat(50) })?.condition).toBe(
      `${'😀'.repeat(29)}…`,
    ));
  it('removes every tag, control and bidirectional character', () => {
    const piece = fc.constantFrom(...CASES.pieces);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const plain = snippetOf(pieces.join(''));
        expect(plain).not.toMatch(/<[a-z/!?]|[\u202a-\u202e\u2066-\u2069\n]/i);
      }),
    );
  });
  it.each<[string, string]>([
    ['one word', 'x'.repeat(1e6)],
    ['opening signs', '<'.repeat(1e6)],
    ['open tags', '<a'.repeat(5e5)],
    ['open references', '&lt'.repeat(3e5)],
    ['mail addresses', 'a@'.repeat(5e5)],
    ['scripts', '<script>'.repeat(1e5)],
    ...[2, 5, 50, 500].map((depth): [string, string] => [
      'nested tags',
      `${'<b'.repeat(depth)}${'>'.repeat(depth)}text`,
    ]),
  ])('bounds a megabyte of %s, and leaves no tag', (_, text) => {
    const plain = webResult({ title: text })?.title ?? '';
    expect([plain.length <= 300, /<[a-z]/.test(plain)]).toEqual([true, false]);
  });
});

const ADDRESSES = [...CASES.clean, ...CASES.rejected.map((text) => [text, undefined])];
it.each(ADDRESSES)('cleans the address %j to %s', (text, clean) =>
  expect(cleanUrl(text as string)).toBe(clean),
);
it('removes duplicate addresses, up to the limit', () => {
  const urls = [
    'https://a.example/',
    undefined,
    'https://b.example/',
    'https://a.example/',
    'https://c.example/',
  ];
  expect(uniqueUrls(urls, 2)).toEqual(['https://a.example/', 'https://b.example/']);
});
