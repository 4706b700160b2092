import { describe, expect, it } from 'vitest';
import { readMarkdown } from '../../src/documents/read-markdown.ts';

/** What a dialect reads as a mark outside of code. */
const MARKS = [
  '{role-name}',
  '{kbd}',
  '{ref}',
  '{.class}',
  '{#id}',
  '{: .no }',
  '{a.b}',
  '$\u007bx}',
  '#{x}',
  '%{x}',
  '{{x}',
  '{',
  '}',
  '{{ value }}',
  '{% if x %}',
  '{%raw%}',
  '{{< x >}}',
  '{{#if}}',
  '{{!-- x --}}',
  '{# x #}',
  '{/* c */}',
  '<!-- c -->',
  '%% c %%',
  '<b>',
  '<Tab>',
  '</div>',
  '<username>',
  '<https://a.example>',
  '[[Link]]',
  '![[Embed]]',
  '[x](y)',
  '[^1]',
  '[toc]',
  '[code]',
  '==mark==',
  '^^ins^^',
  '~~del~~',
  'H~2~O',
  'x^2^',
  '{++a++}',
  '{>>a<<}',
  ':smile:',
  ':::note',
  '!!! note',
  '$x$',
  '$$x$$',
  '\\(x\\)',
  '&amp;',
  '**b**',
  'import x from "y"',
  '<<< @/x',
  '--8<--',
];

const SPANS = {
  'a sentence': (mark: string) => `Use \`${mark}\` and \`c\` with \`d\` now.`,
  'the end of a longer name': (mark: string) => `\`pre/${mark}\` der \`labels\` ist`,
  'an item': (mark: string) => `- \`c\`: \`p ${mark} q\`, \`${mark}\``,
  'a cell': (mark: string) => `| a | b |\n| - | - |\n| \`${mark}\` | \`c\` |`,
  'a heading': (mark: string) => `## The \`${mark}\` title`,
};

const BLOCKS = {
  'a fence': (mark: string) => `\`\`\`\nA\n${mark}\nB ${mark} C\n\`\`\``,
  'a fence with a language': (mark: string) => `~~~yaml\nk: ${mark}\n${mark}\n~~~`,
  'a fence in an item': (mark: string) => `- item\n\n  \`\`\`\n  ${mark}\n  \`\`\`\n- two`,
  'a fence in a quote': (mark: string) => `> \`\`\`\n> ${mark}\n> \`\`\``,
};

describe.each([
  { kind: 'Markdown', isMdx: false },
  { kind: 'MDX', isMdx: true },
])('marks of dialects in code of $kind', ({ isMdx }) => {
  const lost = (write: (mark: string) => string): string[] =>
    MARKS.filter((mark) => {
      const { text } = readMarkdown(`# Title\n\n${write(mark)}\n`, { isMdx });
      return !text.includes(mark);
    });
  it.each(Object.entries({ ...SPANS, ...BLOCKS }))('stay as they are in %s', (_, write) =>
    expect(lost(write)).toEqual([]),
  );
});

it('stay as they are in indented code, but for those that may close what is open', () => {
  const { text } = readMarkdown(
    '# Title\n\nRun it.\n\n    a[index] {role-name} `b` {.class}\n    if [[ -f $x$ ]] ==b==\n',
  );
  expect(text).toContain('a[index] {role-name} `b` {.class}\nif [[ -f $x$ ]] ==b==');
});
