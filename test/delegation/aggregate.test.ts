import { describe, expect, it } from 'vitest';
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

  it('has the confidence of the weakest', () => {
    expect(aggregate([guide, stock])).toMatchObject({ confidence: 0.8 });
    expect(aggregate([guide, stock]).partial).toBeUndefined();
  });

  it('takes an answer without a confidence as 0.6', () => {
    const unstated = branchOf('x', 'Why?', { answer: 'Because.' });
    expect(aggregate([stock, unstated]).confidence).toBe(0.6);
    expect(aggregate([stock, unstated]).partial).toBeUndefined();
  });

  it('is partial when one of them is', () => {
    expect(aggregate([stock, branchOf('x', 'Why?', { answer: 'Because.', partial: true })]).partial).toBe(true);
  });
});

describe('aggregate() of answers to the same question', () => {
  const again = branchOf('shop', 'how many are there', { answer: 'There are 13 pieces.', confidence: 0.7 });

  it('shows the same answer once, and is more confident for it', () => {
    const joined = aggregate([again, stock]);
    expect(joined.answer).toBe('*From stock, shop:*\n\nThere are 13 pieces.');
    expect(joined.confidence).toBe(0.935);
  });

  it('takes answers that differ only in citations and line breaks for the same', () => {
    const sources = [{ name: 'a.md' }, { name: 'b.md' }];
    const cited = (to: string, answer: string, sources: { name: string }[]) =>
      branchOf(to, 'How many?', { answer, sources, confidence: 0.8 });
    const joined = aggregate([
      cited('one', 'There are 13 pieces. [1]', sources),
      cited('two', 'There are\n13 pieces. [2]', sources),
    ]);
    expect(joined).toMatchObject({ answer: '*From one, two:*\n\nThere are 13 pieces. [1]', confidence: 0.88 });
  });

  it('is lifted by agreement to 0.95 at most, and never lowered', () => {
    const sure = (to: string, confidence: number) =>
      branchOf(to, 'How?', { answer: 'By hand, with care.', confidence });
    expect(aggregate([sure('a', 0.9), sure('b', 0.9), sure('c', 0.9)]).confidence).toBe(0.95);
    expect(aggregate([sure('a', 0.98), sure('b', 0.2)]).confidence).toBe(0.98);
  });

  it('shows different answers side by side under the names of their librarians, the most confident first', () => {
    const other = branchOf('shop', 'How many are there?', { answer: 'There are 15 pieces.', confidence: 0.7 });
    const joined = aggregate([other, stock]);
    expect(joined.answer).toBe('*From stock:*\n\nThere are 13 pieces.\n\n### shop\n\nThere are 15 pieces.');
    expect(joined.confidence).toBe(0.9);
    expect(Object.keys(joined.metadata ?? {})).toEqual(['parts']);
  });

  it('shows an answer before one that has no information, however confident that is', () => {
    const none = branchOf('notes', 'How many are there?', {
      answer: "I don't have information about the stock.",
      confidence: 0.99,
      partial: true,
    });
    expect(aggregate([none, stock])).toMatchObject({
      answer: '*From stock; nothing on this from notes:*\n\nThere are 13 pieces.',
      confidence: 0.9,
      partial: true,
    });
  });
});

describe('aggregate() when some fail', () => {
  const joined = aggregate([stock, failedBranch('weather', 'Does it "rain"?', 'TIMEOUT', true), guide]);

  it('answers the rest, and names what is missing and why', () => {
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
    const half = branchOf('half', 'Why?', {
      answer: 'Because of the wind.',
      error: { code: 'DATA_SOURCE_ERROR', message: 'Cannot read' },
    });
    const { answer, partial } = aggregate([half, stock]);
    expect(answer).toContain('Because of the wind.');
    expect(answer).toContain('- Something is missing from the answer of half to “Why?”: its source could not be read.');
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
    expect(joined.error).toMatchObject({
      code: 'DELEGATION_FAILED',
      recoverable: false,
      details: {
        failures: [
          { librarian: 'a', code: 'NOT_FOUND' },
          { librarian: 'b', code: 'UNAUTHORIZED' },
        ],
      },
    });
    expect(validateResponse(joined)).toMatchObject({ ok: true, warnings: [] });
  });

  it('is an error too when no librarian was asked', () => {
    expect(aggregate([]).error?.code).toBe('DELEGATION_FAILED');
  });
});

describe('the sources of a joined answer', () => {
  const a = { name: 'Guide', url: 'https://a.example/guide', relevance: 0.5 };
  const joined = aggregate([
    branchOf('one', 'A?', { answer: 'First [1], then [2]. Code: `list[1]`.', sources: [{ name: 'b.md, Install' }, a] }),
    branchOf('two', 'B?', {
      answer: 'See [1] and [2].',
      sources: [
        { ...a, name: 'The guide', relevance: 0.9 },
        { name: 'b.md, Install', relevance: 0.7 },
      ],
    }),
  ]);

  it('are named once, the best first, each with its highest relevance', () => {
    expect(joined.sources).toEqual([
      { ...a, name: 'The guide', relevance: 0.9 },
      { name: 'b.md, Install', relevance: 0.7 },
    ]);
  });

  it('stay those that each part cites, by place and by number', () => {
    expect(joined.metadata?.parts).toMatchObject([{ sources: [1, 0] }, { sources: [0, 1] }]);
    expect(joined.answer).toContain('First [2], then [1]. Code: `list[1]`.');
    expect(joined.answer).toContain('See [1] and [2].');
  });
});

describe('the limits of a joined answer', () => {
  it('shortens a part to 4,000 characters at the end of a paragraph, and says so', () => {
    const long = branchOf('long', 'A?', { answer: `${'A sentence of some words. '.repeat(40).trim()}\n\n`.repeat(20) });
    const { answer = '', metadata } = aggregate([long, stock]);
    expect(answer).toContain('some words.\n\n*Shortened: the whole answer of long is longer.*\n\n## How many');
    expect(answer.length).toBeLessThan(4400);
    expect(metadata?.parts).toMatchObject([{ answer: long.response.answer }, {}]);
  });

  it('stays within 32,000 characters, whatever comes', () => {
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
