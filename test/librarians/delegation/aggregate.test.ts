import * as fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../../../src/contract/core/error-info.ts';
import { JoinedAnswer, LibrarianResponse, Source } from '../../../src/contract/core/response.ts';
import { validateResponse } from '../../../src/contract/core/validate-response.ts';
import { aggregate } from '../../../src/librarians/delegation/aggregate.ts';
import type { Branch } from '../../../src/platform/context/delegates.ts';
import CONTAINED from './aggregate-containment.json' with { type: 'json' };
import CASES from './aggregate-pieces.json' with { type: 'json' };

const branchOf = (to: string, query: string, response: LibrarianResponse | string): Branch => ({
  request: { to, query },
  query,
  to,
  response: typeof response === 'string' ? { answer: response } : response,
});
const failed = (to: string, query: string, code: ErrorCode, recoverable = false): Branch =>
  branchOf(to, query, { error: { code, message: 'Cannot answer', recoverable } });

const stock = branchOf('stock', 'How many are there?', {
  answer: 'There are 13 pieces.',
  confidence: 0.9,
});
const guide = branchOf('guide', 'How do I mount it?', {
  answer: 'Use four screws.',
  confidence: 0.8,
});

it('aggregate() of one branch is its response, unchanged, and of none an error', () => {
  expect(aggregate([stock])).toBe(stock.response);
  expect(aggregate([]).error?.code).toBe('DELEGATION_FAILED');
});

describe('aggregate() of answers to different questions', () => {
  it('shows each under its question, in the order of the requests', () => {
    const mounting = '## How do I mount it?\n\n*From guide:*\n\nUse four screws.';
    const counting = '## How many are there?\n\n*From stock:*\n\nThere are 13 pieces.';
    expect(aggregate([guide, stock]).answer).toBe(`${mounting}\n\n${counting}`);
  });
  it.each<[string, LibrarianResponse, number, boolean | undefined]>([
    ['has the confidence of the weakest', guide.response, 0.8, undefined],
    ['takes an answer without a confidence as 0.6', { answer: 'Because.' }, 0.6, undefined],
    ['is partial when one of them is', { answer: 'Because.', partial: true }, 0.6, true],
  ])('%s', (_, response, confidence, partial) => {
    const joined = aggregate([stock, branchOf('x', 'Why?', response)]);
    expect([joined.confidence, joined.partial]).toEqual([confidence, partial]);
  });
});

describe('aggregate() of answers to the same question', () => {
  const QUESTION = 'How many are there?';

  it('shows the same answer once, with more confidence', () => {
    const again = branchOf('shop', 'how many are there', {
      answer: 'There are 13 pieces.',
      confidence: 0.7,
    });
    const answer = '*From stock, shop:*\n\nThere are 13 pieces.';
    expect(aggregate([again, stock])).toMatchObject({ answer, confidence: 0.935 });
  });
  it('treats answers that differ only in citations and line breaks as equal', () => {
    const cited = (to: string, answer: string) =>
      branchOf(to, QUESTION, {
        answer,
        sources: [{ name: 'a.md' }, { name: 'b.md' }],
        confidence: 0.8,
      });
    const joined = aggregate([
      cited('one', 'There are 13 pieces. [1]'),
      cited('two', 'There are\n13 pieces. [2]'),
    ]);
    expect(joined).toMatchObject({
      answer: '*From one, two:*\n\nThere are 13 pieces. [1]',
      confidence: 0.88,
    });
  });
  it.each([
    ['at most 0.95', [0.9, 0.9, 0.9], 0.95],
    ['never less', [0.98, 0.2], 0.98],
  ])('is raised by agreement to %s', (_, confidences, expected) => {
    const sure = confidences.map((confidence, at) =>
      branchOf(`l${at}`, 'How?', { answer: 'By hand.', confidence }),
    );
    expect(aggregate(sure).confidence).toBe(expected);
  });
  it('shows different answers under the names of their librarians, the most confident first', () => {
    const joined = aggregate([
      branchOf('shop', QUESTION, { answer: 'There are 15.', confidence: 0.7 }),
      stock,
    ]);
    expect(joined.answer).toBe(
      '*From stock:*\n\nThere are 13 pieces.\n\n### shop\n\nThere are 15.',
    );
    expect([joined.confidence, Object.keys(joined.metadata ?? {})]).toEqual([0.9, ['parts']]);
  });
  it('shows an answer before one without information, however confident that is', () => {
    const lacking = {
      answer: "I don't have information about the stock.",
      confidence: 0.99,
      partial: true,
    };
    const answer = '*From stock; nothing on this from notes:*\n\nThere are 13 pieces.';
    const joined = aggregate([branchOf('notes', QUESTION, lacking), stock]);
    expect(joined).toMatchObject({ answer, confidence: 0.9, partial: true });
  });
});

describe('aggregate() when some fail', () => {
  it('answers the rest, names what is missing with the reason, and lowers the confidence by its share', () => {
    const joined = aggregate([stock, failed('weather', 'Does it "rain"?', 'TIMEOUT', true), guide]);
    const gap = '- No answer to “Does it "rain"?” from weather: it did not answer in time.';
    expect(joined.answer).toContain(`\n\n## Not answered\n\n${gap}`);
    expect(joined.answer?.endsWith(gap)).toBe(true);
    const parts = [{ librarian: 'stock' }, { error: { code: 'TIMEOUT' } }, {}];
    expect(joined).toMatchObject({ partial: true, confidence: 0.533, metadata: { parts } });
  });
  it('reports an error beside an answer in the same way', () => {
    const error = { code: 'DATA_SOURCE_ERROR' as const, message: 'Cannot read' };
    const { answer, partial } = aggregate([
      branchOf('half', 'Why?', { answer: 'Because of the wind.', error }),
      stock,
    ]);
    const missing =
      '- Something is missing from the answer of half to “Why?”: it is not available.';
    for (const text of ['Because of the wind.', missing]) expect(answer).toContain(text);
    expect(partial).toBe(true);
  });
});

describe('aggregate() when all fail', () => {
  it('keeps the code that all have in common', () => {
    const { error, answer } = aggregate([
      failed('a', 'A?', 'TIMEOUT'),
      failed('b', 'B?', 'TIMEOUT', true),
    ]);
    expect(answer).toBeUndefined();
    expect(error).toMatchObject({
      code: 'TIMEOUT',
      recoverable: true,
      suggestion: expect.any(String),
    });
  });
  it('is DELEGATION_FAILED otherwise, and names each', () => {
    const { error } = aggregate([
      failed('a', 'A?', 'NOT_FOUND'),
      failed('b', 'B?', 'UNAUTHORIZED'),
    ]);
    const failures = [
      { librarian: 'a', code: 'NOT_FOUND' },
      { librarian: 'b', code: 'UNAUTHORIZED' },
    ];
    expect(error).toMatchObject({
      code: 'DELEGATION_FAILED',
      recoverable: false,
      details: { failures },
    });
  });
});
it('the sources of a joined answer are named once, the best first, and match the citations of each part', () => {
  const a = { name: 'Guide', url: 'https://a.example/guide', relevance: 0.5 };
  const [best, install] = [{ ...a, name: 'The guide', relevance: 0.9 }, { name: 'b.md, Install' }];
  const second = [best, { ...install, relevance: 0.7 }];
  const joined = aggregate([
    branchOf('one', 'A?', {
      answer: 'First [1], then [2]. Code: `list[1]`.',
      sources: [install, a],
    }),
    branchOf('two', 'B?', { answer: 'See [1] and [2].', sources: second }),
  ]);
  expect(joined.sources).toEqual(second);
  expect(joined.metadata?.parts).toMatchObject([{ sources: [1, 0] }, { sources: [0, 1] }]);
  expect(joined.answer).toContain('First [2], then [1]. Code: `list[1]`.');
  expect(joined.answer).toContain('See [1] and [2].');
});

describe('the limits of a joined answer', () => {
  it('shortens the longest parts to 4,000 characters in total at the end of a paragraph, with a link to the rest', () => {
    const sources = [{ name: 'Everything', url: 'https://docs.example.com/all' }];
    const whole = `${'A sentence of some words. '.repeat(40).trim()}\n\n`.repeat(20);
    const { answer = '', metadata } = aggregate([
      branchOf('long', 'A?', { answer: whole, sources }),
      stock,
    ]);
    const link = 'Read on in [Everything](https://docs.example.com/all).';
    expect(answer).toContain(
      `words.\n\n*Shortened: the whole answer is longer. ${link}*\n\n## How many`,
    );
    expect(answer.length).toBeLessThanOrEqual(4000);
    expect(metadata?.parts).toMatchObject([{ answer: whole }, {}]);
  });
  it('stays within 32,000 characters for any input', () => {
    const branches = Array.from({ length: 8 }, (_, at) =>
      branchOf(`${'x'.repeat(46)}${at}`, `${'*'.repeat(3990)}${at}`, {
        answer:
          `${'*'.repeat(280)} pump costs ${at} EUR. ${'Words and words. '.repeat(1800)}`.slice(
            0,
            32_000,
          ),
        error: { code: 'TIMEOUT', message: 'Cannot' },
        metadata: { large: 'x'.repeat(200_000) },
      }),
    );
    const joined = aggregate(branches);
    expect(validateResponse(joined).ok).toBe(true);
    expect(joined.answer?.length).toBeLessThanOrEqual(32_000);
  });
  it('keeps the metadata of each part without its trace, and drops the largest first', () => {
    const small = { navigator: { confidence: 'high' } };
    const { parts } = aggregate([
      branchOf('one', 'A?', { answer: 'A.', metadata: { ...small, trace: { traceId: 'x' } } }),
      branchOf('two', 'B?', { answer: 'B.', metadata: { rows: 'x'.repeat(150_000) } }),
      branchOf('three', 'C?', { answer: 'C.', metadata: { rows: 'x'.repeat(100_000) } }),
    ]).metadata as { parts: object[] };
    expect(parts).toMatchObject([{ metadata: small }, { answer: 'B.' }, { metadata: {} }]);
    expect([parts[1], JSON.stringify(parts)]).toEqual([
      expect.not.objectContaining({ metadata: expect.anything() }),
      expect.not.stringContaining('trace'),
    ]);
  });
  it.each(['[', '`', 'a@', ']:', '\n', '```\n', '1.', '- '])(
    'joins two answers of 31,000 characters that repeat %j',
    { timeout: 5000 },
    (mark) => {
      const answer = `x${mark.repeat(31_000 / mark.length)}`;
      const joined = aggregate([branchOf('a', 'Q?', answer), branchOf('b', 'Q?', `${answer}y`)]);
      expect(joined.answer?.length).toBeLessThanOrEqual(32_000);
    },
  );
});

describe('a part of a joined answer', () => {
  type Node = ReturnType<typeof fromMarkdown>['children'][number];
  const textOf = (node: unknown): string => {
    const { value = '', children = [] } = node as { value?: string; children?: unknown[] }; // any node of the tree
    return value + children.map(textOf).join('');
  };
  const isOurs = (node: Node) => node.type === 'heading' && node.depth <= 3;
  const joinedWith = (hostile: string): string =>
    aggregate([
      branchOf('mallory', 'First?', hostile),
      branchOf('honest', 'Second?', 'The honest answer, see [1].\n\n- one\n- two'),
    ]).answer ?? '';

  /** The rendered joined answer has our headings alone, and the whole last part. */
  const expectContained = (hostile: string) => {
    const { children } = fromMarkdown(joinedWith(hostile));
    expect(children.filter(isOurs).map(textOf)).toEqual(['First?', 'Second?']);
    const last = children.slice(children.findLastIndex(isOurs) + 1);
    expect(last.map((node) => [node.type, textOf(node)])).toEqual([
      ['paragraph', 'From honest:'],
      ['paragraph', 'The honest answer, see [1].'],
      ['list', 'onetwo'],
    ]);
  };

  it.each(Object.entries(CONTAINED.hostile))('contains %s', (_name, hostile) =>
    expectContained(hostile),
  );
  it('contains any mixture of marks', () => {
    const marks = fc.array(fc.constantFrom(...CONTAINED.marks), { minLength: 1, maxLength: 25 });
    const property = fc.property(marks, (pieces) => expectContained(`a${pieces.join('')}`));
    fc.assert(property, { numRuns: 1000, seed: 3 });
  });
  it('keeps its links by reference, with the address in place, and plain Markdown as it is', () => {
    const link = 'See [the guide](https://a.example/guide) and [g](https://a.example/guide).';
    expect(joinedWith('See [the guide][g] and [g].\n\n[g]: https://a.example/guide')).toContain(
      link,
    );
    const code = '```js\n# no heading\n[x]: y\n```';
    const plain = `Use \`a[0]\` **now**:\n\n${code}\n\n#### Then\n\n1. a\n2. b [link](https://a.example)`;
    expect(joinedWith(plain)).toContain(plain);
  });
  it('has its question as text above it, whatever Markdown that contains', () => {
    const question = '# <img src=x> ![x](http://a) `x` **b** [c](javascript:1)\n\n## Second?';
    const { answer } = aggregate([
      branchOf('one', question, 'A.'),
      branchOf('two', 'Other?', 'B.'),
    ]);
    const [first] = fromMarkdown(answer ?? '').children;
    expect(first).toMatchObject({ type: 'heading', depth: 2, children: [{ type: 'text' }] });
    expect(textOf(first)).toBe(question.replace(/\s+/g, ' '));
  });
});

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(...CASES.pieces, '\ud800'),
);
const isVisible = (text: string) => /\S/.test(text);
const short = fc.array(piece, { minLength: 1, maxLength: 20 }).map((pieces) => pieces.join(''));
const long = fc
  .tuple(piece, fc.integer({ min: 1, max: 3000 }))
  .map(([text, times]) => `x${text}\n`.repeat(times).slice(0, 32_000));
const text = fc.oneof(
  { weight: 6, arbitrary: short.filter(isVisible) },
  { weight: 1, arbitrary: long },
);
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const share = some(fc.double({ min: 0, max: 1, noNaN: true }));
const anyName = fc.string({ minLength: 1, maxLength: 500 }).filter(isVisible);
const source = fc
  .record({
    name: fc.oneof(fc.constantFrom('a.md', 'b.md, Install'), anyName),
    url: some(fc.constantFrom('https://a.example/', 'https://b.example/', '/relative')),
    relevance: share,
  })
  .map((each) => Source.parse(each));
const error = fc.record({
  code: fc.constantFrom(...ErrorCode.options),
  message: fc.constantFrom('Cannot', 'x'.repeat(2000)),
  recoverable: fc.boolean(),
});
const nested = (depth: number): unknown => (depth === 0 ? 1 : { in: nested(depth - 1) });
const metadata = fc.oneof(
  fc.constant({ navigator: { answer: 'x' }, trace: { traceId: 'x', hops: [] } }),
  fc.integer({ min: 1, max: 15 }).map((depth) => ({ deep: nested(depth) })),
  fc.integer({ min: 1, max: 255_000 }).map((length) => ({ large: 'x'.repeat(length) })),
);
const sources = fc.array(source, { maxLength: 50 });
const reported = { confidence: share, partial: some(fc.boolean()), metadata: some(metadata) };
const response = fc
  .record({ answer: some(text), error: some(error), sources: some(sources), ...reported })
  .filter(({ answer, error: failure }) => answer !== undefined || failure !== undefined)
  .map((each) => LibrarianResponse.parse(JSON.parse(JSON.stringify(each))));
const query = fc.oneof(
  fc.constantFrom('How?', 'how', 'When?'),
  text.map((question) => question.slice(0, 4000)),
);
const to = fc.constantFrom('navigator', 'semantic', 'weather', 'x'.repeat(48));
const branch = fc
  .record({ query, to, response })
  .map((each): Branch => ({ ...each, request: { to: each.to } }));

/** Whether the joined answer contains each word, or says where it was dropped. Markdown may change marks, spaces and numbers. */
const isAccountedFor = (joined: string, own: string): boolean => {
  const letters = joined.replace(/[^\p{L}]/gu, '');
  if ((own.match(/\p{L}+/gu) ?? []).every((word) => letters.includes(word))) return true;
  return /\*Shortened: |\*From .*; nothing on this from|^- I found nothing about/m.test(joined);
};

it('aggregate() of any branches gives a valid Response that drops nothing silently', () => {
  const branches = fc.array(branch, { maxLength: 8 }).filter(({ length }) => length !== 1);
  const property = fc.property(branches, (branches) => {
    const joined = aggregate(branches);
    const valid = validateResponse(joined);
    expect(
      valid.ok ? valid.warnings.filter(({ path }) => path !== 'answer') : valid.issues,
    ).toEqual([]);
    expect(valid.ok && valid.value).toEqual(joined);
    if (branches.length > 0)
      expect(JoinedAnswer.safeParse(joined.metadata).error?.issues ?? []).toEqual([]);
    if (joined.answer !== undefined) {
      expect(joined.confidence).toBeTypeOf('number');
      if (branches.some((each) => each.response.error !== undefined))
        expect(joined.partial).toBe(true);
      for (const { response: own } of branches)
        expect(isAccountedFor(joined.answer, own.answer ?? '')).toBe(true);
    }
    const keys = (joined.sources ?? []).map(({ url, name }) => url ?? `name ${name}`);
    expect(new Set(keys).size).toBe(keys.length);
    const relevances = (joined.sources ?? []).map(({ relevance }) => relevance ?? -1);
    expect(relevances).toEqual(relevances.toSorted((one, other) => other - one));
  });
  fc.assert(property, { numRuns: 300, seed: 20_261_121 });
});
