import fc from 'fast-check';
import { loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { readYamlMapping } from '../../../src/knowledge/articles/read-yaml.ts';
import { bestTime } from '../../best-time.ts';

/** What a full reader makes of it: undefined where that is no mapping, or needs more than one document. */
const fullReading = (source: string): unknown => {
  try {
    const [value = null, ...more] = loadAll(source, { maxAliases: 0 });
    if (more.length > 0) return undefined;
    if (value === null) return {};
    return typeof value === 'object' && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Numbers in other notations count as numbers, whatever they are. */
const simplified = (value: unknown): unknown => {
  if (typeof value === 'number') return 0;
  if (Array.isArray(value)) return value.map(simplified);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, simplified(each)]));
};

const READ = [
  'title: Plain words',
  'title: "Quoted: with # marks, \\"quotes\\", \\u00e9 and \\n a break"',
  "title: 'It''s quoted'",
  'title: Ends with a comment # not part of it',
  'title: a#b and c:d and http://x.example/?a=1&b=2',
  'title: Goes on\n  over two lines\n\n  and a paragraph',
  'title: >-\n  Folded\n  lines\n\n  and more\nurl: x',
  'title: >\n  Folded\n',
  'title: |\n  Kept\n    lines\n\nurl: x',
  'title: |+\n  Kept\n\n',
  'title: |-\n\nurl: x',
  'tags: [a, "b, c", \'d\', e f ]',
  'tags: []\nmore: {}',
  'tags: [\n  a,\n  b,\n  ]',
  'tags:\n  - a\n  - "b"\n  - c # comment',
  'tags:\n- a\n- b\nnext: 1',
  'seo:\n  title: x\n  deep:\n    - one: 1\n      two: 2\n    - three: 3\nlast: true',
  'list:\n  - - a\n    - b\n  - c',
  'more: {a: 1, b: [x, y], c: "z"}',
  'n: 1\nf: 1.5\ne: 1e3\nt: true\nf2: False\nnull1: ~\nnull2: null\nempty:\nneg: -3\nhex: 0x1F\noct: 0o17\ninf: .inf',
  'date: 2024-01-02\ntime: 2024-01-02T03:04:05Z\nversion: 1.2.3\nyes: yes\non: on',
  '"quoted key": 1\nkey with spaces: 2\n-dash: 3\na-b_c.d: 4',
  '# a comment\n\ntitle: x\n\n# another\n',
  '  title: indented\n  url: too',
  'title:    spaces   ',
  'title: "over\n  two lines"',
  'title: ""\nurl: \'\'',
  "title: '\n  '",
  "title: 'a\n  '",
  "title: 'a\n\n  '",
  'title: "\n\n b\n c\n "',
  "title: '\n b'",
  'key: "\n  key: "',
  "title: ' a \n b '",
  '',
  '# nothing but a comment',
  'emoji: 😀 文\npercent: 100%\nat: a@b.example\nquestion: ?x\ncolon: :x',
  'title: >-\n  a share of 5\n  % and\n  --- more\n',
  'list:\n  -\n    a: 1\n  -\n  - b',
];

const REFUSED = [
  'just words',
  '- a\n- list',
  'title: "unclosed',
  "title: 'unclosed",
  'tags: [a, b',
  'title: a: b',
  'title: x\n  y: z',
  'title: x\ntitle: y',
  'a: 1\n b: 2',
  ' a: 1\nb: 2',
  '\ttitle: x',
  'title: @x',
  'title: `x`',
  'a: *alias',
  'title: "a" b',
  'tags: [a] b',
  'a:\n  - b\n c: d',
  'one: 1\n---\ntwo: 2',
  'title: "\\q"',
  'a: b\nwords without a colon',
  'a: |x\n  text',
  'tags: [\n  a,\n]',
];

describe('readYamlMapping()', () => {
  it.each(READ)('reads as a full reader does: %j', (source) => {
    expect(fullReading(source)).toBeDefined();
    expect(simplified(readYamlMapping(source))).toEqual(simplified(fullReading(source)));
  });

  it.each(REFUSED)('refuses as a full reader does: %j', (source) => {
    expect(fullReading(source)).toBeUndefined();
    expect(readYamlMapping(source)).toBeUndefined();
  });

  it.each(['a: &x 1', 'a: !!str 1', '? a\n: b', 'a: |2\n   x', '1: a', 'a: >\n  b\n    c', 'a: [b: c]'])(
    'leaves to others what front matter does not need: %j',
    (source) => {
      expect(readYamlMapping(source)).toBeUndefined();
    },
  );

  it('reads nothing differently from a full reader', () => {
    const token = fc.constantFrom(
      ...[
        'title',
        'a',
        'b c',
        ': ',
        ':',
        ' ',
        '  ',
        '    ',
        '\n',
        '\n  ',
        '\n- ',
        '\n  - ',
        '- ',
        '# c',
        ' # c',
        '"',
        "'",
      ],
      ...[
        '[',
        ']',
        '{',
        '}',
        ', ',
        ',',
        '|',
        '>',
        '>-',
        '|+',
        '~',
        '1',
        '1.5',
        'true',
        '\\n',
        '-',
        '?',
        '&',
        '*',
        '!',
        '%',
        '\n\n',
      ],
      ...['key: ', '\nkey: ', '\n  key: ', '"x"', "'y'", '[a, b]', 'http://x', '\t'],
    );
    const source = fc.array(token, { maxLength: 14 }).map((tokens) => tokens.join(''));
    fc.assert(
      fc.property(source, (text) => {
        const read = readYamlMapping(text);
        if (read !== undefined) expect(simplified(read)).toEqual(simplified(fullReading(text)));
      }),
      { numRuns: 5000 },
    );
  }, 60_000);

  it('reads back what a writer writes', async () => {
    const { dump } = await import('js-yaml');
    const text = fc.string({ unit: 'grapheme-ascii', maxLength: 60 });
    const fields = fc.record({
      title: text,
      url: fc.webUrl(),
      devices: fc.array(text, { maxLength: 4 }),
      seo: fc.record({ description: text, index: fc.boolean() }),
    });
    let read = 0;
    fc.assert(
      fc.property(fields, (value) => {
        const found = readYamlMapping(dump(value));
        if (found === undefined) return;
        read += 1;
        expect(found).toEqual(value);
      }),
      { numRuns: 2000 },
    );
    expect(read).toBeGreaterThan(1900);
  });

  it.each([
    'a: [\n'.padEnd(16_000, '\n['),
    `a: ${'['.repeat(16_000)}`,
    `a: "${'\\'.repeat(16_000)}`,
    'a:\n'.repeat(5000),
    `a: ${"''".repeat(8000)}'`,
    ' '.repeat(16_000),
    'a: >\n'.padEnd(16_000, ' x\n'),
    `a: b${' '.repeat(15_900)}c`,
    `a: b${' #'.repeat(8000)}`,
  ])('takes hardly longer for what is made to be slow than for what is not (%#)', (source) => {
    const plain = bestTime(() => readYamlMapping('title: Pump\n'.padEnd(16_000, 'b c\n')));
    expect(bestTime(() => readYamlMapping(source))).toBeLessThan(100 * Math.max(plain, 0.1));
  });
});
