import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../../src/contract/error-info.ts';
import { JoinedAnswer, LibrarianResponse, Source } from '../../src/contract/response.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import { aggregate } from '../../src/delegation/aggregate.ts';
import type { Branch } from '../../src/runtime/delegates.ts';
import CASES from './aggregate-pieces.json' with { type: 'json' };

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(...CASES.pieces, '\ud800'),
);
const short = fc
  .array(piece, { minLength: 1, maxLength: 20 })
  .map((pieces) => pieces.join(''))
  .filter((text) => /\S/.test(text));
const long = fc
  .tuple(piece, fc.integer({ min: 1, max: 3000 }))
  .map(([text, times]) => `x${text}\n`.repeat(times).slice(0, 32_000));
const text = fc.oneof({ weight: 6, arbitrary: short }, { weight: 1, arbitrary: long });
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const source = fc
  .record({
    name: fc.oneof(
      fc.constantFrom('a.md', 'b.md, Install'),
      fc.string({ minLength: 1, maxLength: 500 }).filter((name) => /\S/.test(name)),
    ),
    url: some(fc.constantFrom('https://a.example/', 'https://b.example/', '/relative')),
    relevance: some(fc.double({ min: 0, max: 1, noNaN: true })),
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
const response = fc
  .record({
    answer: some(text),
    error: some(error),
    sources: some(fc.array(source, { maxLength: 50 })),
    confidence: some(fc.double({ min: 0, max: 1, noNaN: true })),
    partial: some(fc.boolean()),
    metadata: some(metadata),
  })
  .filter(({ answer, error: failure }) => answer !== undefined || failure !== undefined)
  .map((each) => LibrarianResponse.parse(JSON.parse(JSON.stringify(each))));
const branch: fc.Arbitrary<Branch> = fc
  .record({
    query: fc.oneof(
      fc.constantFrom('How?', 'how', 'When?'),
      text.map((question) => question.slice(0, 4000)),
    ),
    to: fc.constantFrom('navigator', 'semantic', 'weather', 'x'.repeat(48)),
    response,
  })
  .map((each) => ({ ...each, request: { to: each.to } }));

/** Only letters: Markdown may change marks, spaces and numbers. */
const lettersOf = (markdown: string): string => markdown.replace(/[^\p{L}]/gu, '');

/** Whether the joined answer contains each word, or says where it was dropped. */
const isAccountedFor = (joined: string, own: string): boolean => {
  const letters = lettersOf(joined);
  if ((own.match(/\p{L}+/gu) ?? []).every((word) => letters.includes(word))) return true;
  return /\*Shortened: |\*From .*; nothing on this from|^- I found nothing about/m.test(joined);
};

describe('aggregate() of any branches', () => {
  it('gives a valid Response that drops nothing silently', () => {
    fc.assert(
      fc.property(fc.array(branch, { maxLength: 8 }), (branches) => {
        const joined = aggregate(branches);
        const [only] = branches;
        if (branches.length === 1) {
          expect(joined).toBe(only?.response);
          return;
        }
        const valid = validateResponse(joined);
        expect(valid.ok ? valid.warnings.filter(({ path }) => path !== 'answer') : valid.issues).toEqual([]);
        expect(valid.ok && valid.value).toEqual(joined);
        if (branches.length > 0) expect(JoinedAnswer.safeParse(joined.metadata).error?.issues ?? []).toEqual([]);
        const isAnswered = joined.answer !== undefined;
        if (isAnswered) expect(joined.confidence).toBeTypeOf('number');
        if (isAnswered && branches.some((each) => each.response.error !== undefined)) expect(joined.partial).toBe(true);
        for (const { response: own } of branches)
          if (isAnswered && own.answer !== undefined)
            expect(isAccountedFor(joined.answer ?? '', own.answer)).toBe(true);
        const keys = (joined.sources ?? []).map(({ url, name }) => url ?? `name ${name}`);
        expect(new Set(keys).size).toBe(keys.length);
        const relevances = (joined.sources ?? []).map(({ relevance }) => relevance ?? -1);
        expect(relevances).toEqual(relevances.toSorted((one, other) => other - one));
      }),
      { numRuns: 300, seed: 20_261_121 },
    );
  });
});
