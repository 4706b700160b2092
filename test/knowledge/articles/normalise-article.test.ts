import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ArticleRefused,
  normaliseArticle,
} from '../../../src/knowledge/articles/normalise-article.ts';
import cases from './normalise-article.json' with { type: 'json' };

const normalise = (content: string, more: object = {}) =>
  normaliseArticle(
    {
      id: 'a/b.md',
      title: 'T',
      url: 'https://kb.example/a',
      content,
      metadata: { intent: [], device: [], last_updated: '2024-01-02', author: null },
      ...more,
    },
    { articleUrl: (id) => `https://own.example/${id}` },
  );
const textOf = (content: string) => normalise(content).article.text;

describe('normaliseArticle()', () => {
  it('removes front matter, and uses it for fields that the host omits', () => {
    const { article, warnings } = normalise(
      '---\ntitle: Front\nintent: [x, y]\ndevices: Apollo\nauthor: Ann\nupdated: 2024-05-01\n---\n\nText.',
      { title: '', url: '', metadata: null },
    );
    expect(article).toEqual({
      id: 'a/b.md',
      title: 'Front',
      url: 'https://own.example/a/b.md',
      text: 'Text.',
      author: 'Ann',
      intents: ['x', 'y'],
      devices: ['Apollo'],
      lastUpdated: '2024-05-01T00:00:00.000Z',
    });
    expect(warnings).toEqual([]);
  });
  it('prefers the fields of the host to front matter, and removes it even when empty', () => {
    expect(normalise('---\ntitle: Front\n---\nText.').article.title).toBe('T');
    expect(normalise('---\n\n---\nBody.')).toMatchObject({
      article: { text: 'Body.' },
      warnings: [],
    });
  });
  it('never shows broken front matter, names it, and reads its valid lines', () => {
    const { article, warnings } = normalise('---\ntitle: "Plain"\nbad: [\n---\nBody.', {
      title: '',
    });
    expect(article.title).toBe('Plain');
    expect(article.text).toBe('Body.');
    expect(warnings).toEqual(['Left out the front matter: it is not a YAML mapping']);
  });
  it('keeps front matter without an end, and thematic breaks, as text', () => {
    const expected = {
      article: { text: 'title: x Body.' },
      warnings: [expect.stringContaining('no closing line')],
    };
    expect(normalise('---\ntitle: x\nBody.')).toMatchObject(expected);
    const rules = '---\nJust a text between rules.\n---\nMore.';
    // Under a line of text, dashes make it a heading (CommonMark 0.31.2, section 4.3).
    expect(textOf(rules)).toBe('---\n\n## Just a text between rules.\n\nMore.');
  });
  it('turns HTML into Markdown', () => {
    const html = `<!doctype html><title>x</title><body><h2>Set <b>up</b></h2><p>One&nbsp;&lt;two&gt; <code>npm i</code><br>
      <a href="https://x.example/y">ok</a> <a href="javascript:alert(1)">bad</a> <a href="/rel">rel</a></p>
      <ul><li>a<ol start="3"><li>b</li></ol></li><li><p>c</p></li></ul><pre>x\n  \`y\`</pre>
      <table><tr><th>A<th>B<tr><td>1|2<td>3</table><blockquote>q</blockquote><p># no heading</p>`;
    expect(textOf(html)).toBe(
      [
        ...[
          '## Set **up**',
          '',
          'One <two> `npm i`',
          '[ok](https://x.example/y) bad [rel](https://kb.example/rel)',
          '',
        ],
        ...['- a', '  3. b', '- c', '', '```', 'x', '  `y`', '```', ''],
        ...['| A | B |', '| - | - |', '| 1\\|2 | 3 |', '', '> q', '', '\\# no heading'],
      ].join('\n'),
    );
  });
  it.each(cases.unclosed)('closes unclosed elements: %s', (_, html, text) =>
    expect(textOf(`${html}<p></p>`)).toBe(text),
  );
  it.each([
    ...cases.textKept,
    [
      'large drawings',
      `<div>a<svg>${'<path d="M0"/>'.repeat(300)}<title>x</title></svg>b</div>`,
      'ab',
    ],
    ['large menus', `<div>a<select>${'<option>x'.repeat(300)}</select>b</div>`, 'ab'],
  ])('keeps the text of %s', (_, html, text) =>
    expect(textOf(`<div></div>${html}<p></p>`)).toBe(text),
  );
  it.each([
    ['a table in a table', '<td>1<td><table><tr><td>2<td>3</table>', /1[\s\S]*2[\s\S]*3/],
    [
      'millions of columns and rows',
      '<td colspan=99999999>text<td rowspan=99999999>b<tr><td>c',
      /text/,
    ],
  ])('reads %s', (_, cells, text) => expect(textOf(`<table><tr>${cells}</table>`)).toMatch(text));
  it.each(cases.tableCells)('keeps each row of a table on one line: %s', (cells, row) => {
    expect(textOf(`<table><tr><td>${cells}</table>`)).toBe(`${row}\n| - | - |`);
  });
  it.each(cases.unsafe)('keeps only the words of %s', (html) => expect(textOf(html)).toBe('Text.'));
  it('decodes character references', () => {
    const html =
      '<p>&lt;b&gt; &#65;&#x42; &#150; &hellip; &amp;amp; &copy 1 &lpar;&apos;&check; &constructor; &#0;&#xd800;</p>';
    expect(textOf(html)).toBe("<b> AB – … &amp; © 1 ('✓ &constructor; \ufffd\ufffd");
    expect(textOf('<p>a&#8;b &bull; &#99999999; &;</p>')).toBe('a b • \ufffd &;');
  });
  it('takes the title of a page, not of its drawings', () => {
    const html = '<!doctype html><svg><title>x</title></svg><title>A &amp; <b></title><p>Text.';
    expect(normalise(html, { title: '' }).article).toMatchObject({
      title: 'A & <b>',
      text: 'Text.',
    });
  });
  it.each([...cases.active, ...cases.becomesActive])('drops active content: %s', (content) => {
    const { article, warnings } = normalise(content);
    // What becomes active only once an inner element is dropped may be escaped instead.
    if (cases.active.includes(content)) expect(article.text.trim()).toBe('Text.');
    expect(article.text).not.toContain('<script');
    expect(article.text).toContain('Text.');
    expect(warnings).toEqual(['Dropped scripts or other active HTML from the content']);
  });
  it.each(cases.markdown)(
    'keeps what is shown as code, and reads HTML in Markdown: %s',
    (content, text) => expect(textOf(content)).toBe(text),
  );
  it('normalises line ends and control characters', () => {
    expect(textOf('\uFEFFa\r\nb\rc\u0000\u0007d\ud800')).toBe('a b cd\ufffd');
  });
  it.each([
    ['an invalid id', 'a', { id: '../etc' }, 'id has an empty, . or .. part'],
    ['a text that is too long', 'x'.repeat(500_001), {}, 'longer than 500000'],
    ['nothing', '<p> </p>', {}, 'content is empty'],
  ])('refuses %s', (_, content, more, problem) => {
    expect(() => normalise(content, more)).toThrow(ArticleRefused);
    expect(() => normalise(content, more)).toThrow(problem);
  });
  it('replaces an invalid address and date, with warnings', () => {
    const metadata = { intent: [], device: [], last_updated: 'soon', author: null };
    const { article, warnings } = normalise('a', { url: 'javascript:x', metadata });
    expect(article).toMatchObject({
      url: 'https://own.example/a/b.md',
      lastUpdated: '1970-01-01T00:00:00.000Z',
    });
    expect(warnings).toHaveLength(2);
  });
  it('throws only ArticleRefused for any text', () => {
    const piece = fc.oneof(fc.constantFrom(...cases.pieces), fc.string({ maxLength: 5 }));
    const property = fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      try {
        expect(textOf(pieces.join('')).trim()).not.toBe('');
      } catch (error) {
        expect(error).toBeInstanceOf(ArticleRefused);
      }
    });
    fc.assert(property);
  });
});
