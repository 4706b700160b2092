import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CharacterTokenizer,
  cl100k,
  loadTokenizer,
  type Tokenizer,
} from '../../../src/ai/tokenizer.ts';
import type { ContextTemplate } from '../../../src/contract/wire/context-engine.ts';
import type { SearchResult } from '../../../src/contract/wire/memory.ts';
import { ContextFormatter, cutText } from '../../../src/memory/context-engine/build-context.ts';
import {
  DEFAULT_TEMPLATES,
  renderMemory,
  withMetadata,
} from '../../../src/memory/context-engine/registry.ts';
import { memoryOf, wordsOf } from './engine-for-test.ts';

const resultsOf = (...contents: string[]): SearchResult[] =>
  contents.map((content, at) => ({
    memory: memoryOf(`m${at}`, { content }),
    score: 1 - at / 1000,
  }));
const { chat, detailed, summary } = DEFAULT_TEMPLATES;
const characters = new ContextFormatter(new CharacterTokenizer());

describe('ContextFormatter.format()', () => {
  it.each([
    [
      'header, memories with separators, and footer',
      ['one', 'two'],
      chat,
      1000,
      '- one\n- two\n',
      14,
      2,
    ],
    ['a header without a footer', ['one', 'two'], summary, 1000, 'one | two', 7, 2],
    [
      'no memory after one that does not fit',
      ['one', 'x'.repeat(4000), 'two'],
      summary,
      100,
      'one',
      5,
      1,
    ],
    ['memories up to the last token', ['a'.repeat(43)], summary, 15, 'a'.repeat(43), 15, 1],
  ])('writes %s', (_, contents, template, budget, text, tokenCount, included) => {
    const memories = resultsOf(...contents).slice(0, included);
    expect(characters.format(resultsOf(...contents), template, budget)).toEqual({
      context: template.header + text,
      tokenCount,
      memories,
      truncated: included < contents.length,
      template: template.name,
    });
  });
  it.each([
    ['there are no memories', [], 1000],
    ['not even the start of one fits', ['a'.repeat(400)], 11],
  ])('is empty, without header and footer, when %s', (_, contents, budget) => {
    const nothing = { context: '', tokenCount: 0, memories: [], template: 'chat' };
    expect(characters.format(resultsOf(...contents), chat, budget)).toEqual({
      ...nothing,
      truncated: budget === 11,
    });
  });
  it('cuts the best memory after a word when it is too long even alone', () => {
    const content = 'The quick brown fox jumps over the lazy dog. '.repeat(20).trim();
    const { context, memories, truncated, tokenCount } = characters.format(
      resultsOf(content, 'short'),
      summary,
      30,
    );
    const [text = '', ...more] = context.slice('Key information:\n'.length).split('…');
    expect([content.startsWith(text), more, truncated, memories.length]).toEqual([
      true,
      [''],
      true,
      1,
    ]);
    expect(content.charAt(text.length)).toMatch(/[ .]/);
    expect(tokenCount).toBeGreaterThan(20);
  });
  it('writes the same text again from the memories that truncateToFit() returns', () => {
    const results = resultsOf('a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40));
    const kept = characters.truncateToFit(results, chat, 30);
    expect(kept).toHaveLength(1);
    expect(characters.format(kept, chat, 30).context).toBe(
      characters.format(results, chat, 30).context,
    );
  });
});

/** Counts that do not add up: two for each word, one for each blank line, and more where texts are joined. */
const wordTokenizer: Tokenizer = {
  count: (text) => 2 * wordsOf(text).length + (text.match(/\n\n/g)?.length ?? 0),
  encode: () => [],
  decode: () => '',
};
const anyText = fc.oneof(
  fc.lorem({ maxCount: 60 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
  fc.constantFrom(
    'a'.repeat(900),
    '漢字'.repeat(200),
    '😀'.repeat(150),
    '{{type}} $& '.repeat(30),
    ' x'.repeat(300),
  ),
);
const anyPiece = fc.oneof(
  fc.constantFrom('', '\n', '\n\n', ' | ', 'a', '- ', '…'),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);
const anyTemplate: fc.Arbitrary<ContextTemplate> = fc.oneof(
  fc.constantFrom(chat, detailed, summary),
  fc.record({
    name: fc.constant('any'),
    header: anyPiece,
    footer: anyPiece,
    separator: anyPiece,
    memoryFormat: fc.constantFrom(
      '{{content}}',
      '{{content}}{{content}}',
      '[{{type}}]{{score}} {{content}}.',
      '{{type}}',
    ),
    includeMetadata: fc.boolean(),
  }),
);

describe('a token budget', () => {
  describe.each<[string, () => Tokenizer | Promise<Tokenizer>]>([
    ['tokens of gpt-4', () => loadTokenizer('gpt-4', [cl100k])],
    ['characters', () => new CharacterTokenizer()],
    ['words', () => wordTokenizer],
    // The sum of the parts is far too high, or far too low.
    [
      'a square root',
      () => ({ ...wordTokenizer, count: (text) => Math.ceil(Math.sqrt(text.length) * 3) }),
    ],
    ['a power', () => ({ ...wordTokenizer, count: (text) => Math.ceil(text.length ** 1.5 / 40) })],
  ])('in %s', (_, make) => {
    let tokenizer: Tokenizer;
    beforeAll(async () => {
      tokenizer = await make();
    });
    it('is never exceeded, the reported figures are exact, and one memory more would not fit', () => {
      fc.assert(
        fc.property(
          fc.array(anyText, { maxLength: 25 }),
          anyTemplate,
          fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 1500 })),
          (contents, template, budget) => {
            const results = resultsOf(...contents);
            const built = new ContextFormatter(tokenizer).format(results, template, budget);
            const { length } = built.memories;
            expect(built.tokenCount).toBe(tokenizer.count(built.context));
            expect(built.tokenCount).toBeLessThanOrEqual(budget);
            expect(built.memories).toEqual(results.slice(0, length));
            expect(built.truncated || length === results.length).toBe(true);
            expect(built.context.isWellFormed()).toBe(true);
            const { header = '', separator, footer = '' } = template;
            const wholeTextOf = (count: number) => {
              const texts = results
                .slice(0, count)
                .map((one) => renderMemory(withMetadata(template, undefined), one));
              return header + texts.join(separator) + footer;
            };
            if (length > 1 || (length === 1 && !built.truncated))
              expect(built.context).toBe(wholeTextOf(length));
            // Only where more text never has fewer tokens.
            if (length > 0 && length < results.length && tokenizer instanceof CharacterTokenizer)
              expect(tokenizer.count(wholeTextOf(length + 1))).toBeGreaterThan(budget);
          },
        ),
        { numRuns: 400 },
      );
    });
  });
  it('needs a few counts of the whole text, and one of each memory that may fit', () => {
    let counted = 0;
    const count = (text: string) => {
      counted += text.length;
      return Math.ceil(text.length / 4);
    };
    const results = resultsOf(
      ...Array.from({ length: 1000 }, (_, at) => `Memory ${at}. ${'word '.repeat(20)}`),
    );
    const { context } = new ContextFormatter({ ...wordTokenizer, count }).format(
      results,
      chat,
      10_000,
    );
    expect(context.length).toBeGreaterThan(39_000);
    expect(counted).toBeLessThan(5 * context.length);
  });
});
it.each([
  ['one two three', 9, 'one two…'],
  ['one two three', 7, 'one two…'],
  ['one two three', 13, 'one two three'],
  ['one two three', 2, 'on…'],
  ['   three', 2, ''],
  ['word', 0, ''],
  ['😀😀', 3, '😀…'],
  ['😀😀', 1, ''],
])('cutText() cuts %j to %d as %j', (text, maxLength, expected) =>
  expect(cutText(text, maxLength)).toBe(expected),
);
