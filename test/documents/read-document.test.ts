import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundMarks } from '../../src/documents/bound-marks.ts';
import { readIndented, withLoneDefinitions } from '../../src/documents/indented-blocks.ts';
import { readDocument } from '../../src/documents/read-document.ts';
import { readHtml } from '../../src/documents/read-html.ts';
import cases from './read-document.json' with { type: 'json' };

const textOf = (content: string, path = 'a.md') => readDocument(content, { path }).text;

it.each(cases.html)('%s', (_, html, text) => {
  expect(readHtml(html, { isPage: false, language: 'en' }).text).toBe(text);
});
it.each(cases.pages)('%s', (_, html, title, text) => {
  expect(readDocument(html, { path: 'a.html', base: 'https://kb.example/a' })).toMatchObject({
    title,
    text,
  });
});
it.each(cases.markdown)('reads %s', (_, path, markdown, text) =>
  expect(textOf(markdown, path)).toBe(text),
);
it.each(cases.fragments)('reads a fragment of HTML: %j', (html, text) =>
  expect(textOf(html, 'kb-001')).toBe(text),
);

describe('the title of a document', () => {
  it.each([
    [
      'not a comment in code',
      '```sh\n# stop first\n```\n\nCleaning\n========\n\nText.',
      'Cleaning',
    ],
    ['with the signs of its name', '# Use it with C#\n\nText.', 'Use it with C#'],
    [
      'of another level where it opens the text and has no equal',
      '## Cleaning\n\n### Once a year\n\nText.',
      'Cleaning',
    ],
    ['never one of several', '## Before\n\nText.\n\n## After\n\nText.', undefined],
    ['without the marks of Markdown', '# Set `x` **up** {#id}\n\nText.', 'Set x up'],
  ])('is its heading, %s', (_, markdown, title) =>
    expect(readDocument(markdown).title).toBe(title),
  );
});

describe('a page of HTML', () => {
  const page = (head: string, body: string): string =>
    `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;
  it.each([
    [
      'leads elsewhere',
      page('<meta http-equiv="Refresh" content="3;URL=\'/new/\'">', '<a href=/new/>x</a>'),
      'it only leads to /new/',
    ],
    [
      'leads elsewhere by a script',
      page('<script>window.location.replace("/new")</script>', '<p>Moved.'),
      'it only leads to /new',
    ],
    [
      'says that it does not exist',
      page('<title>Seite nicht gefunden – Acme</title>', '<p>Sorry.'),
      'it says that it does not exist',
    ],
    [
      'is one',
      page(
        '<title>Codes</title><script>if (x) location.href = "/y"</script>',
        '<h1>404 codes</h1>',
      ),
      undefined,
    ],
    ['is a fragment', '<p>A</p><meta http-equiv="refresh" content="0;url=/x">', undefined],
  ])('is no article where it %s', (_, html, why) =>
    expect(readDocument(html, { path: 'a.html' }).noArticle).toBe(why),
  );
  it.each([
    '<meta property="article:modified_time" content="2023-07-01">',
    '<script type="application/ld+json">{"@graph":[{"dateModified":"2023-07-01"}]}</script>',
    '<meta name="last-modified" content="2023-07-01">',
  ])('says when it was changed: %s', (head) => {
    expect(readDocument(page(head, '<p>x'), { path: 'a.html' }).lastUpdated).toBe(
      '2023-07-01T00:00:00.000Z',
    );
  });
});

describe('what a document is written in', () => {
  it('is HTML by its ending, whatever it begins with', () => {
    expect(textOf('Turn <b>it</b>.\n\n    on', 'a.html')).toBe('Turn **it**. on');
  });
  it('is plain CommonMark where the source says so: no HTML, no dialect', () => {
    const text = 'Use <b>, {{ x }} and :::note in <username>.\n\n%% x %%\n\n- \\*a\\*';
    expect(readDocument(text, { path: 'a.html', format: 'commonmark' }).text).toBe(text);
  });
});

describe('warnings', () => {
  it.each([
    ['a diagram', '```mermaid\na\n```\n\nx', 'Left out 1 diagram: they are drawn from code'],
    [
      'unknown values',
      'Port {{ site.port }}.',
      '1 value that only the site generator knows is shown as …',
    ],
    [
      'a comment without an end',
      'Text.\n\n<!-- a\n\nb',
      'A comment that is never closed hides the rest of the article',
    ],
  ])('name %s', (_, markdown, warning) =>
    expect(readDocument(markdown).warnings).toEqual([warning]),
  );
});

const unescaped = (markdown: string): string => markdown.replaceAll('\\', '');

it('is read alike when it is read again: canonical Markdown stays as it is', () => {
  const pieces = fc.constantFrom(
    ...'<p>|</p>|<b>|</b>|<i>|</i>|<code>|</code>|<ul><li>|</ul>|<h2>|</h2>|<pre>|</pre>|<blockquote>|</blockquote>|<table><tr><td>|<td>|</table>|a|b c|*|_|`|[x]|(y)|&lt;u&gt;|#|1.| '.split(
      '|',
    ),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
      const once = readDocument(`<p>x</p>${parts.join('')}`, { format: 'html' }).text;
      const twice = readDocument(once, { format: 'commonmark' }).text;
      expect(unescaped(readDocument(twice, { format: 'commonmark' }).text)).toBe(unescaped(twice));
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ['comments', '<!-- -->'],
  ['footnotes', '[^1] '],
  ['braces', '{'],
  ['template tags', '{% note %}'],
  ['openings of components', '<A '],
  ['containers', ':::note\n'],
  ['grids', '+-+-+\n| |'],
  ['questions', '**a?** b\n\n'],
])('reads 200,000 characters of %s in linear time', (_, piece) => {
  for (const path of ['a.md', 'a.mdx']) {
    const before = process.cpuUsage();
    readDocument(piece.repeat(200_000 / piece.length) + '\n\n[^1]: x', { path });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000, path).toBeLessThan(4000);
  }
});
it.each([
  ['the info of a fence', 'a.md', `\`\`\`${'a'.repeat(500_000)}=\nb\n\`\`\``],
  ['closing brackets', 'a.html', `<p>${']'.repeat(500_000)}</p>`],
])('reads 500,000 characters of %s in linear time', (_, path, content) => {
  const before = process.cpuUsage();
  readDocument(content, { path });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(4000);
});
it.each([
  ['a note', '!!! note', (lines: string[]) => readIndented(lines, 0)],
  ['a definition below a heading', '# A\n\n: One.\n', withLoneDefinitions],
])('reads 300,000 lines of %s', (_, start, read) => {
  expect(read([...start.split('\n'), ...Array<string>(300_000).fill('    a')]).at(-1)).not.toBe(
    '    a',
  );
});

describe('plain text', () => {
  it('takes a line with # above an empty line for a heading, and no comment', () => {
    const { title, text } = readDocument(
      '# Geese\n\nThey fly.\n\n## Food ##\n\nGrass.\n\n# not a title\nbut a comment',
      {
        path: 'a.txt',
      },
    );
    expect([title, text]).toEqual([
      'Geese',
      expect.stringMatching(/^# Geese\n\nThey fly\.\n\n## Food\n\nGrass\.\n\n\\# not a title/),
    ]);
  });
  it('joins wrapped lines, and has headings, lists and columns', () => {
    const text = `Set up the pump

This manual is about the pump. It explains how you set the pump up, how you
clean it, and what you do when it does not start.

Before you begin
================

You need:
- oil, which you get in every shop that sells tools, and a cloth to wipe off
  what is too much
    * for winter: 5W
- water

1. Open the lid.

2. Fill it.

Address
-------

Acme Pumps
Main Street 5

Model        Volume
A1           5 l

* * *
<user> and *stars* stay.`;
    expect(readDocument(text, { path: 'a.txt' })).toMatchObject({
      title: 'Set up the pump',
      text: `# Set up the pump

This manual is about the pump. It explains how you set the pump up, how you clean it, and what you do when it does not start.

## Before you begin

You need:

- oil, which you get in every shop that sells tools, and a cloth to wipe off what is too much
  - for winter: 5W
- water

1. Open the lid.
2. Fill it.

### Address

Acme Pumps
Main Street 5

\`\`\`
Model        Volume
A1           5 l
\`\`\`

<user> and \\*stars\\* stay.`,
    });
  });
  it.each([
    [
      'that is wrapped without spaces',
      `${'あ'.repeat(40)}\n${'い'.repeat(40)}\n終わり。`,
      `${'あ'.repeat(40)}${'い'.repeat(40)}終わり。`,
    ],
    [
      'with titles between lines',
      '=====\nPump\n=====\n\nText.\n\nCare\n....\n\nMore.',
      '# Pump\n\nText.\n\n## Care\n\nMore.',
    ],
    ['that begins with a sentence', 'Hold SET.\n\nLet go.', 'Hold SET.\n\nLet go.'],
    ['with numbers that begin again', '3) Stop.\n4) Go.\n1) Stop.', '3) Stop.\n4) Go.\n\n1. Stop.'],
  ])('is read %s', (_, text, expected) => {
    expect(readDocument(text, { path: 'a.txt' }).text.replace(/^(\d)\)/gm, '$1.')).toBe(
      expected.replace(/^(\d)\)/gm, '$1.'),
    );
  });
});

it.each([
  ['paragraphs', 'a.md', 'a\n\n'],
  ['headings', 'a.md', '# a\n'],
  ['tags that are never closed', 'a.md', '{% '],
  ['comments that are never closed', 'a.md', '{% comment %}'],
  ['lines', 'a.txt', 'a\n'],
  ['items', 'a.txt', '- a\n'],
])('reads 500,000 characters of %s in bounded time, and loses none', (_, path, piece) => {
  const before = process.cpuUsage();
  const { text, warnings } = readDocument(piece.repeat(500_000 / piece.length), { path });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(8000);
  const letters = piece.replace(/[^a-z]/g, '');
  if (letters === 'a') expect(text.match(/a/g)).toHaveLength(Math.floor(500_000 / piece.length));
  if (path === 'a.md' && letters === 'a')
    expect(warnings).toEqual([expect.stringMatching(/^Reduced the last \d+ characters/)]);
});
it('repeats the address of a definition no longer than the text is long', () => {
  const linked = (places: number) =>
    readDocument(`[a]: https://a.example/${'b'.repeat(1000)}\n\n${'See [a].\n\n'.repeat(places)}`);
  const few = linked(80);
  expect(few.text.match(/https:/g)).toHaveLength(80);
  expect(few.warnings).toEqual([]);
  const many = linked(2000);
  expect(many.text.match(/See/g)).toHaveLength(2000);
  expect(many.text.length).toBeLessThan(200_000);
  expect(many.warnings).toEqual([
    'Left out addresses of links: repeated, they are longer than the text',
  ]);
});
it('keeps as plain text what comes after a block, where there are too many marks', () => {
  const { text, rest, warnings } = boundMarks(`${'a\n'.repeat(6)}\nb <i> &amp;\n\n- c`, {
    max: 6,
    inline: /-/g,
  });
  expect([text, rest]).toEqual(
    ['a\n'.repeat(6), 'b <i> &amp; - c'].map((each, at) =>
      at === 0 ? each : expect.stringContaining('- c'),
    ),
  );
  expect(rest).toContain('<i>');
  expect(warnings).toEqual([
    'Reduced the last 17 characters to plain text: the document has more than 6 lines and marks',
  ]);
  expect(boundMarks('a|'.repeat(100), { max: 10, inline: /\|/g }).text).toHaveLength(73);
});

it('reads 9,000 of each element in linear time', () => {
  for (const name of [
    'button',
    'a',
    'sup',
    'p',
    'li',
    'td',
    'summary',
    'kbd',
    'img',
    'del',
    'label',
    'dt',
  ]) {
    const before = process.cpuUsage();
    readHtml(`<div>${`<${name}>x</${name}>`.repeat(9000)}</div>`, { isPage: true });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000, name).toBeLessThan(3000);
  }
});

it('makes no text much longer by what a dialect writes for its marks', () => {
  const notes = ':::note\na\n:::\n'.repeat(30_000);
  expect(readDocument(notes, { path: 'a.md' }).text.length).toBeLessThan(1.2 * notes.length);
});

it('reads a list of plain text whole, however long', () => {
  const list = Array.from({ length: 4500 }, (_, at) => `- a${at}`).join('\n');
  expect(readDocument(`${list}\n\nEnd.`, { path: 'a.txt' }).text).toBe(`${list}\n\nEnd.`);
});
