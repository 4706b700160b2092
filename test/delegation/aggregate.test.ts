import { describe, expect, it } from 'vitest';
import type { LibrarianResponse } from '../../src/contract/response.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import { aggregate } from '../../src/delegation/aggregate.ts';
import { branchOf, failedBranch } from './branch-of.ts';

const stock = branchOf('stock', 'How many are there?', { answer: 'There are 13 pieces.', confidence: 0.9 });
const guide = branchOf('guide', 'How do I mount it?', { answer: 'Use four screws.', confidence: 0.8 });

describe('aggregate() of one branch', () => {
  it('is its response, unchanged', () => {
    expect(aggregate([stock])).toBe(stock.response);
  });
});

describe('aggregate() of answers to different questions', () => {
  it('shows each under its question, in the order of the requests', () => {
    expect(aggregate([guide, stock]).answer).toBe(
      '## How do I mount it?\n\n*From guide:*\n\nUse four screws.\n\n## How many are there?\n\n*From stock:*\n\nThere are 13 pieces.',
    );
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
  const again = branchOf('shop', 'how many are there', { answer: 'There are 13 pieces.', confidence: 0.7 });

  it('shows the same answer once, with more confidence', () => {
    const joined = aggregate([again, stock]);
    expect(joined.answer).toBe('*From stock, shop:*\n\nThere are 13 pieces.');
    expect(joined.confidence).toBe(0.935);
  });

  it('treats answers that differ only in citations and line breaks as equal', () => {
    const sources = [{ name: 'a.md' }, { name: 'b.md' }];
    const cited = (to: string, answer: string, sources: { name: string }[]) =>
      branchOf(to, 'How many?', { answer, sources, confidence: 0.8 });
    const two = cited('two', 'There are\n13 pieces. [2]', sources);
    const joined = aggregate([cited('one', 'There are 13 pieces. [1]', sources), two]);
    expect(joined).toMatchObject({ answer: '*From one, two:*\n\nThere are 13 pieces. [1]', confidence: 0.88 });
  });

  it('is raised by agreement to at most 0.95, and never lowered', () => {
    const sure = (to: string, confidence: number) =>
      branchOf(to, 'How?', { answer: 'By hand, with care.', confidence });
    expect(aggregate([sure('a', 0.9), sure('b', 0.9), sure('c', 0.9)]).confidence).toBe(0.95);
    expect(aggregate([sure('a', 0.98), sure('b', 0.2)]).confidence).toBe(0.98);
  });

  it('shows different answers under the names of their librarians, the most confident first', () => {
    const other = branchOf('shop', 'How many are there?', { answer: 'There are 15 pieces.', confidence: 0.7 });
    const joined = aggregate([other, stock]);
    expect(joined.answer).toBe('*From stock:*\n\nThere are 13 pieces.\n\n### shop\n\nThere are 15 pieces.');
    expect(joined.confidence).toBe(0.9);
    expect(Object.keys(joined.metadata ?? {})).toEqual(['parts']);
  });

  it('shows an answer before one without information, however confident that is', () => {
    const lacking = { answer: "I don't have information about the stock.", confidence: 0.99, partial: true };
    const answer = '*From stock; nothing on this from notes:*\n\nThere are 13 pieces.';
    const joined = aggregate([branchOf('notes', 'How many are there?', lacking), stock]);
    expect(joined).toMatchObject({ answer, confidence: 0.9, partial: true });
  });
});

describe('aggregate() when some fail', () => {
  const joined = aggregate([stock, failedBranch('weather', 'Does it "rain"?', 'TIMEOUT', true), guide]);

  it('answers the rest, and names what is missing with the reason', () => {
    expect(joined.answer).toMatch(
      /\n\n## Not answered\n\n- No answer to “Does it "rain"\?” from weather: it did not answer in time\.$/,
    );
    expect(joined.partial).toBe(true);
    expect(joined.metadata?.parts).toMatchObject([{ librarian: 'stock' }, { error: { code: 'TIMEOUT' } }, {}]);
  });

  it('lowers the confidence by the share of questions without an answer', () => {
    expect(joined.confidence).toBe(0.533);
  });

  it('reports an error beside an answer in the same way', () => {
    const error = { code: 'DATA_SOURCE_ERROR' as const, message: 'Cannot read' };
    const { answer, partial } = aggregate([branchOf('half', 'Why?', { answer: 'Because of the wind.', error }), stock]);
    const missing = '- Something is missing from the answer of half to “Why?”: its source could not be read.';
    for (const text of ['Because of the wind.', missing]) expect(answer).toContain(text);
    expect(partial).toBe(true);
  });
});

describe('aggregate() when all fail', () => {
  it('keeps the code that all have in common', () => {
    const { error, answer } = aggregate([failedBranch('a', 'A?', 'TIMEOUT'), failedBranch('b', 'B?', 'TIMEOUT', true)]);
    expect(answer).toBeUndefined();
    expect(error).toMatchObject({ code: 'TIMEOUT', recoverable: true, suggestion: expect.any(String) });
  });

  it('is DELEGATION_FAILED otherwise, and names each', () => {
    const joined = aggregate([failedBranch('a', 'A?', 'NOT_FOUND'), failedBranch('b', 'B?', 'UNAUTHORIZED')]);
    const NOT_FOUND = { librarian: 'a', code: 'NOT_FOUND' };
    const details = { failures: [NOT_FOUND, { librarian: 'b', code: 'UNAUTHORIZED' }] };
    expect(joined.error).toMatchObject({ code: 'DELEGATION_FAILED', recoverable: false, details });
    expect(validateResponse(joined)).toMatchObject({ ok: true, warnings: [] });
  });

  it('is an error too when no librarian was asked', () => {
    expect(aggregate([]).error?.code).toBe('DELEGATION_FAILED');
  });
});

describe('the sources of a joined answer', () => {
  const a = { name: 'Guide', url: 'https://a.example/guide', relevance: 0.5 };
  const [best, guide, install] = [{ ...a, name: 'The guide', relevance: 0.9 }, a, { name: 'b.md, Install' }];
  const second = [best, { ...install, relevance: 0.7 }];
  const joined = aggregate([
    branchOf('one', 'A?', { answer: 'First [1], then [2]. Code: `list[1]`.', sources: [install, guide] }),
    branchOf('two', 'B?', { answer: 'See [1] and [2].', sources: second }),
  ]);

  it('are named once, the best first, each with its highest relevance', () => {
    expect(joined.sources).toEqual(second);
  });

  it('match the citations of each part, by place and by number', () => {
    expect(joined.metadata?.parts).toMatchObject([{ sources: [1, 0] }, { sources: [0, 1] }]);
    expect(joined.answer).toContain('First [2], then [1]. Code: `list[1]`.');
    expect(joined.answer).toContain('See [1] and [2].');
  });
});

describe('the limits of a joined answer', () => {
  it('shortens the longest parts to 4,000 characters in total at the end of a paragraph, with a link to the rest', () => {
    const sources = [{ name: 'Everything', url: 'https://docs.example.com/all' }];
    const whole = `${'A sentence of some words. '.repeat(40).trim()}\n\n`.repeat(20);
    const long = branchOf('long', 'A?', { answer: whole, sources });
    const { answer = '', metadata } = aggregate([long, stock]);
    expect(answer).toContain(
      'some words.\n\n*Shortened: the whole answer of long is longer. Read on in [Everything](https://docs.example.com/all).*\n\n## How many',
    );
    expect(answer.length).toBeLessThanOrEqual(4000);
    expect(metadata?.parts).toMatchObject([{ answer: long.response.answer }, {}]);
  });

  it('stays within 32,000 characters for any input', () => {
    const branches = Array.from({ length: 8 }, (_, at) =>
      branchOf(`${'x'.repeat(46)}${at}`, `${'*'.repeat(3990)}${at}`, {
        answer: `${'*'.repeat(280)} pump costs ${at} EUR. ${'Words and words. '.repeat(1800)}`.slice(0, 32_000),
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
    const parts = aggregate([
      branchOf('one', 'A?', { answer: 'A.', metadata: { ...small, trace: { traceId: 'x' } } }),
      branchOf('two', 'B?', { answer: 'B.', metadata: { rows: 'x'.repeat(150_000) } }),
      branchOf('three', 'C?', { answer: 'C.', metadata: { rows: 'x'.repeat(100_000) } }),
    ]).metadata?.parts;
    expect(parts).toMatchObject([{ metadata: small }, { answer: 'B.' }, { metadata: {} }]);
    expect(JSON.stringify(parts)).not.toContain('trace');
    expect(JSON.stringify(parts).length).toBeLessThan(110_000);
  });

  it.each(['[', '`', 'a@', ']:', '\n', '```\n', '1.', '- '])(
    'joins two answers of 31,000 characters that repeat %j',
    { timeout: 5000 },
    (mark) => {
      const answer = `x${mark.repeat(31_000 / mark.length)}`;
      const joined = aggregate([branchOf('a', 'Q?', { answer }), branchOf('b', 'Q?', { answer: `${answer}y` })]);
      expect(joined.answer?.length).toBeLessThanOrEqual(32_000);
    },
  );
});
