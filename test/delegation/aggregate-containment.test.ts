import * as fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { aggregate } from '../../src/delegation/aggregate.ts';
import CASES from './aggregate-containment.json' with { type: 'json' };
import { branchOf } from './branch-of.ts';

type Node = ReturnType<typeof fromMarkdown>['children'][number];

const textOf = (node: unknown): string => {
  const { value = '', children = [] } = node as { value?: string; children?: unknown[] }; // any node of the tree
  return value + children.map(textOf).join('');
};

/** The rendered joined answer: its own headings, and the blocks of the last part. */
const shown = (hostile: string) => {
  const joined = aggregate([
    branchOf('mallory', 'First?', { answer: hostile }),
    branchOf('honest', 'Second?', { answer: 'The honest answer, see [1].\n\n- one\n- two' }),
  ]);
  const { children } = fromMarkdown(joined.answer ?? '');
  const isOurs = (node: Node) => node.type === 'heading' && node.depth <= 3;
  const at = children.findLastIndex(isOurs);
  return {
    answer: joined.answer ?? '',
    headings: children.filter(isOurs).map(textOf),
    last: children.slice(at + 1).map((node) => [node.type, textOf(node)]),
    all: children,
  };
};

const HONEST = [
  ['paragraph', 'From honest:'],
  ['paragraph', 'The honest answer, see [1].'],
  ['list', 'onetwo'],
];

const HOSTILE = CASES.hostile;

describe('a part of a joined answer', () => {
  it.each(Object.entries(HOSTILE))('contains %s', (_name, hostile) => {
    const { headings, last } = shown(hostile);
    expect(headings).toEqual(['First?', 'Second?']);
    expect(last).toEqual(HONEST);
  });

  it('contains any mixture of marks', () => {
    const marks = fc.constantFrom(...CASES.marks);
    fc.assert(
      fc.property(fc.array(marks, { minLength: 1, maxLength: 25 }), (pieces) => {
        const hostile = `a${pieces.join('')}`;
        const { headings, last } = shown(hostile);
        expect(headings).toEqual(['First?', 'Second?']);
        expect(last).toEqual(HONEST);
      }),
      { numRuns: 1000, seed: 3 },
    );
  });

  it('keeps its links by reference, with the address in place', () => {
    expect(shown('See [the guide][g] and [g].\n\n[g]: https://a.example/guide').answer).toContain(
      'See [the guide](https://a.example/guide) and [g](https://a.example/guide).',
    );
  });

  it('is not changed when it is plain', () => {
    const plain =
      'Use `a[0]` **now**:\n\n```js\n# no heading\n[x]: y\n```\n\n#### Then\n\n1. a\n2. b [link](https://a.example)';
    expect(shown(plain).answer).toContain(plain);
  });
});

describe('a question', () => {
  it('is shown as text, whatever Markdown it contains', () => {
    const question = '# <img src=x> ![x](http://a) `x` **b** [c](javascript:1)\n\n## Second?';
    const { answer } = aggregate([
      branchOf('one', question, { answer: 'A.' }),
      branchOf('two', 'Other?', { answer: 'B.' }),
    ]);
    const [first] = fromMarkdown(answer ?? '').children;
    expect(first).toMatchObject({ type: 'heading', depth: 2, children: [{ type: 'text' }] });
    expect(first && textOf(first)).toBe(question.replace(/\s+/g, ' '));
  });
});
