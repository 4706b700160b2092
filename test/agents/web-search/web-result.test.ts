import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanUrl, plainText, uniqueUrls } from '../../../src/agents/web-search/web-search.ts';
import CASES from './web-result.json' with { type: 'json' };

describe('plainText()', () => {
  it.each([...CASES.plain, ['half \ud83d', 'half']])('reads %j as %j', (text, plain) => {
    expect(plainText(text, 200)).toBe(plain);
  });

  it('removes tags that are nested in tags, however deep', () => {
    for (const depth of [2, 4, 5, 50, 400])
      expect(plainText(`${'<b'.repeat(depth)}${'>'.repeat(depth)}text`, 2000)).not.toMatch(/<[a-z]/);
  });

  it('respects its limit and never cuts a surrogate pair', () => {
    expect(plainText('😀'.repeat(50), 10)).toBe('😀😀😀😀…');
    expect(plainText('x'.repeat(1_000_000), 10)).toBe('xxxxxxxxx…');
  });

  it('removes every tag, control and bidirectional character', () => {
    const piece = fc.constantFrom(...CASES.pieces);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const plain = plainText(pieces.join(''), 500);
        expect(plain).not.toMatch(/<[a-z/!?]|[\u202a-\u202e\u2066-\u2069\n]/i);
      }),
    );
  });

  it.each([
    ['opening signs', '<'.repeat(1e6)],
    ['open tags', '<a'.repeat(5e5)],
    ['open references', '&lt'.repeat(3e5)],
    ['mail addresses', 'a@'.repeat(5e5)],
    ['scripts', '<script>'.repeat(1e5)],
    ['nested tags', '<a'.repeat(500) + '>'.repeat(500)],
  ])('bounds a megabyte of %s', (_, text) => {
    expect(plainText(text, 300).length).toBeLessThanOrEqual(300);
  });
});

describe('cleanUrl()', () => {
  it.each(CASES.clean)('cleans %s to %s', (text, clean) => {
    expect(cleanUrl(text)).toBe(clean);
  });

  it.each(CASES.rejected)('rejects %j', (text) => {
    expect(cleanUrl(text)).toBeUndefined();
  });

  it('removes duplicates, up to the limit', () => {
    const urls = ['https://a.example/', undefined, 'https://b.example/', 'https://a.example/', 'https://c.example/'];
    expect(uniqueUrls(urls, 2)).toEqual(['https://a.example/', 'https://b.example/']);
  });
});
