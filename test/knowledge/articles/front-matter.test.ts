import fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { splitFrontMatter } from '../../../src/knowledge/articles/front-matter.ts';

const split = (source: string) => splitFrontMatter(`---\n${source}\n---\nBody.`);
const NOT_A_MAPPING = 'Kept the front matter as text: it is not a YAML mapping';

describe('splitFrontMatter()', () => {
  it.each([
    ['title: Plain words', 'Plain words'],
    [
      'title: "Quoted: with # marks, \\"quotes\\", \\u00e9 and \\n a break"',
      'Quoted: with # marks, "quotes", é and a break',
    ],
    ["title: 'It''s quoted'", "It's quoted"],
    ['title: Ends with a comment # not part of it', 'Ends with a comment'],
    ['title: a#b and c:d and http://x.example/?a=1&b=2', 'a#b and c:d and http://x.example/?a=1&b=2'],
    ['title: Goes on\n  over two lines\n\n  and a paragraph', 'Goes on over two lines and a paragraph'],
    ['title: >-\n  Folded\n  lines\n\n  and more\nurl: x', 'Folded lines and more'],
    ['title: |+\n  Kept\n    lines\n\n', 'Kept lines'],
    ['title: 2024-01-02', '2024-01-02'],
    ['title: !!str 1.5', '1.5'],
    ['# a comment\n\ntitle: x\n\n# another\n', 'x'],
    ['title: 😀 文 100% a@b.example ?x :x', '😀 文 100% a@b.example ?x :x'],
    ['title: x\n__proto__: { url: y }', 'x'],
    ['title: 1.5', undefined],
    ['title: [a]', undefined],
    ['title: ~', undefined],
    ['title: "  "', undefined],
  ])('reads the title of %j', (source, title) => {
    expect(split(source)).toMatchObject({
      front: { title, url: source.includes('\nurl') ? 'x' : undefined },
      body: 'Body.',
      warnings: [],
    });
  });

  it.each([
    '[a, "b", c ]',
    '[\n  a,\n  b,\n  c,\n  ]',
    '\n  - a\n  - "b" # comment\n  - c',
    "\n- a\n- 'b'\n- c\n- [d]\n- 1",
  ])('reads a list written as %j', (list) => {
    expect(split(`intent: ${list}`).front.intents).toEqual(['a', 'b', 'c']);
  });

  it('reads back what a YAML writer writes', () => {
    const text = fc.stringMatching(/^[!-~]([ -~]{0,80}[!-~])?$/).map((words) => words.replace(/\s+/g, ' '));
    fc.assert(
      fc.property(fc.record({ title: text, url: fc.webUrl(), devices: fc.array(text, { maxLength: 4 }) }), (fields) => {
        expect(split(dump(fields).trimEnd()).front).toMatchObject(fields);
      }),
    );
  });

  it.each([
    'title: "unclosed',
    "title: 'unclosed",
    'tags: [a, b',
    'title: a: b',
    'title: x\n  y: z',
    'title: x\ntitle: y',
    'a: 1\n b: 2',
    ' a: 1\nb: 2',
    'title: @x',
    'title: `x`',
    'a: &x [1]\nb: [*x, *x]',
    'a: *alias',
    'a: !thing x',
    'a: !!js/function "x"',
    'a: !!binary eA==',
    'title: "a" b',
    'a:\n  - b\n c: d',
    'one: 1\n--- # next\ntwo: 2',
    'title: "\\q"',
    'a: b\nwords without a colon',
    'a: |x\n  text',
    `a: ${'['.repeat(16_000)}`,
    'a: [\n'.padEnd(16_000, '\n['),
    `a: "${'\\'.repeat(16_000)}`,
    'a:\n'.repeat(5000),
    `a: ${"''".repeat(7990)}'`,
    'x: {a: '.repeat(2000),
    `a: ${'&a '.repeat(5000)}x`,
  ])('keeps as text what is not a YAML mapping: %.40j', (source) => {
    const { body, warnings } = split(source);
    expect(body).toBe(`\`\`\`\`\`yaml\n${source}\n\`\`\`\`\`\n\nBody.`);
    expect(warnings).toEqual([NOT_A_MAPPING]);
  });
});
