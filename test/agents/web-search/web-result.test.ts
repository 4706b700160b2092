import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanUrl, plainText, uniqueUrls } from '../../../src/agents/web-search/web-result.ts';

describe('plainText()', () => {
  it.each([
    ['The <strong>iPhone 17</strong> &amp; its case', 'The iPhone 17 & its case'],
    ['a < b and c > d', 'a < b and c > d'],
    ['line\none\r\n\ttwo', 'line one two'],
    ['<img src=x onerror=alert(1)>Hi', 'Hi'],
    ['Hi<img src=x onerror=alert(1)', 'Hi'],
    ['<scr<b>ipt>alert(1)</scr</b>ipt>', 'alert(1)'],
    ['<script>alert(1)</script>Hi', 'Hi'],
    ['&lt;img src=x onerror=alert(1)&gt;Hi', 'Hi'],
    ['&#x202e;gnp.exe', 'gnp.exe'],
    ['a\u202eb\u2066c\u200bd\u00ade\ufefff', 'abcdef'],
    ['nul\u0000 bell\u0007 esc\u001b[31m', 'nul bell esc[31m'],
    ['tags \u{e0041}\u{e0042} hidden', 'tags hidden'],
    ['see https://evil.example/?q=1 now', 'see … now'],
    ['see www.evil.example/x or javascript:alert(1) or me@evil.example', 'see … or … or …'],
    ['[x](data:text/html;base64,AAAA)', '[x](…'],
    ['half \ud83d', 'half'],
  ])('reads %j as %j', (text, plain) => {
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
    const piece = fc.constantFrom(
      '<',
      '>',
      '&lt;',
      '&#60;',
      '&amp;lt;',
      'img',
      '/',
      '!',
      ' ',
      '\u202e',
      '\n',
      'a',
      '"',
    );
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
  it.each([
    ['https://shop.example/p?id=1&utm_source=google&utm_medium=cpc&gclid=abc', 'https://shop.example/p?id=1'],
    ['https://shop.example/p?fbclid=1&srsltid=2', 'https://shop.example/p'],
    ['https://shop.example/p#:~:text=iPhone', 'https://shop.example/p'],
    ['https://shop.example/p#reviews', 'https://shop.example/p#reviews'],
    [' HTTPS://Shop.Example/A?b=c%20d ', 'https://shop.example/A?b=c%20d'],
    ['http://shop.example', 'http://shop.example/'],
  ])('cleans %s to %s', (text, clean) => {
    expect(cleanUrl(text)).toBe(clean);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,hi',
    'file:///etc/passwd',
    'ftp://shop.example/',
    '//shop.example/p',
    '/p/1',
    'shop.example',
    'https://',
    'https://amazon.example@evil.example/',
    'https://u:p@evil.example/',
    `https://shop.example/${'a'.repeat(3000)}`,
    'java\nscript:alert(1)',
    '',
  ])('rejects %j', (text) => {
    expect(cleanUrl(text)).toBeUndefined();
  });

  it('removes duplicates, up to the limit', () => {
    const urls = ['https://a.example/', undefined, 'https://b.example/', 'https://a.example/', 'https://c.example/'];
    expect(uniqueUrls(urls, 2)).toEqual(['https://a.example/', 'https://b.example/']);
  });
});
