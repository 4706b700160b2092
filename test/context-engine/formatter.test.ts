import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { CharacterTokenizer, cl100k, loadTokenizer, type Tokenizer } from '../../src/ai/tokenizer.ts';
import { ContextFormatter, cutText } from '../../src/context-engine/build-context.ts';
import { DEFAULT_TEMPLATES, renderMemory, withMetadata } from '../../src/context-engine/registry.ts';
import type { ContextTemplate } from '../../src/contract/context-engine.ts';
import type { SearchResult } from '../../src/contract/memory.ts';
import { memoryOf, wordsOf } from './memory-storage.ts';

const resultsOf = (...contents: string[]): SearchResult[] =>
  contents.map((content, at) => ({ memory: memoryOf(`m${at}`, { content }), score: 1 - at / 1000 }));
const { chat, detailed, summary } = DEFAULT_TEMPLATES;
const NOTHING = { context: '', tokenCount: 0, memories: [] };
const characters = new ContextFormatter(new CharacterTokenizer());

describe('ContextFormatter.format()', () => {
  it('joins header, memories with separators, and footer', () => {
    expect(characters.format(resultsOf('one', 'two'), chat, 1000)).toEqual({
      context: 'Relevant context from past conversations:\n\n- one\n- two\n',
      tokenCount: 14,
      memories: resultsOf('one', 'two'),
      truncated: false,
      template: 'chat',
    });
    expect(characters.format(resultsOf('one', 'two'), summary, 1000).context).toBe('Key information:\none | two');
  });

  it('is empty, without header and footer, when there are no memories', () => {
    expect(characters.format([], chat, 1000)).toEqual({ ...NOTHING, truncated: false, template: 'chat' });
  });

  it('omits the lowest ranked memories first, and reports it', () => {
    const results = resultsOf('a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40));
    const { context, memories, truncated } = characters.format(results, summary, 27);
    expect(context).toBe(`Key information:\n${'a'.repeat(40)} | ${'b'.repeat(40)}`);
    expect([memories.map(({ memory }) => memory.id), truncated]).toEqual([['m0', 'm1'], true]);
  });

  it('omits all memories ranked below one that does not fit', () => {
    const { memories } = characters.format(resultsOf('short', 'x'.repeat(4000), 'short'), summary, 100);
    expect(memories.map(({ memory }) => memory.id)).toEqual(['m0']);
  });

  it('uses the budget up to its last token', () => {
    const budget = Math.ceil(('Key information:\n'.length + 43) / 4);
    for (const [length, truncated] of [
      [43, false],
      [44, true],
    ] as const)
      expect(characters.format(resultsOf('a'.repeat(length)), summary, budget)).toMatchObject({ truncated });
  });

  it('cuts the best memory after a word when it is too long even alone', () => {
    const content = 'The quick brown fox jumps over the lazy dog. '.repeat(20).trim();
    const { context, memories, truncated, tokenCount } = characters.format(resultsOf(content, 'short'), summary, 30);
    expect(context).toMatch(/^Key information:\nThe quick brown .*\w…$/);
    expect(content.startsWith(context.slice('Key information:\n'.length, -1))).toBe(true);
    expect(content.charAt(context.length - 'Key information:\n'.length - 1)).toMatch(/[ .]/);
    expect([truncated, memories.length, tokenCount > 20]).toEqual([true, 1, true]);
  });

  it('is empty when not even the start of a memory fits with header and footer', () => {
    expect(characters.format(resultsOf('a'.repeat(400)), chat, 11)).toMatchObject({ ...NOTHING, truncated: true });
  });
  it('estimates tokens with its tokenizer', () => expect(characters.estimateTokens('abcde')).toBe(2));

  it('writes the same text again from the memories that truncateToFit returns', () => {
    const results = resultsOf('a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40));
    const kept = characters.truncateToFit(results, chat, 30);
    expect(kept).toHaveLength(1);
    expect(characters.format(kept, chat, 30).context).toBe(characters.format(results, chat, 30).context);
  });
});

/** Counts that do not add up: two for each word, one for each blank line, and more where texts are joined. */
const wordTokenizer: Tokenizer = {
  count: (text) => 2 * wordsOf(text).length + (text.match(/\n\n/g)?.length ?? 0),
  encode: () => [],
  decode: () => '',
};
/** The square root: the sum of the parts is far too high. */
const concave: Tokenizer = { ...wordTokenizer, count: (text) => Math.ceil(Math.sqrt(text.length) * 3) };
/** The square: the sum of the parts is far too low. */
const convex: Tokenizer = { ...wordTokenizer, count: (text) => Math.ceil(text.length ** 1.5 / 40) };

const anyText = fc.oneof(
  fc.lorem({ maxCount: 60 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
  fc.constantFrom('a'.repeat(900), '漢字'.repeat(200), '😀'.repeat(150), '{{type}} $& '.repeat(30), ' x'.repeat(300)),
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
  const tokenizers: Record<string, () => Tokenizer | Promise<Tokenizer>> = {
    'tokens of gpt-4': () => loadTokenizer('gpt-4', [cl100k]),
    characters: () => new CharacterTokenizer(),
    words: () => wordTokenizer,
    'a count that grows slower than the text': () => concave,
    'a count that grows faster than the text': () => convex,
  };

  describe.each(Object.entries(tokenizers))('in %s', (_, make) => {
    let tokenizer: Tokenizer;
    beforeAll(async () => {
      tokenizer = await make();
    });

    it('is never exceeded, and the reported figures are exact', () => {
      fc.assert(
        fc.property(
          fc.array(anyText, { maxLength: 25 }),
          anyTemplate,
          fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 1500 })),
          (contents, template, budget) => {
            const results = resultsOf(...contents);
            const built = new ContextFormatter(tokenizer).format(results, template, budget);
            expect(built.tokenCount).toBe(tokenizer.count(built.context));
            expect(built.tokenCount).toBeLessThanOrEqual(budget);
            expect(built.memories).toEqual(results.slice(0, built.memories.length));
            expect(built.truncated || built.memories.length === results.length).toBe(true);
            expect(built.context.isWellFormed()).toBe(true);
            if (!built.truncated && results.length > 0) {
              const { header = '', separator, footer = '' } = template;
              const memories = results.map((result) => renderMemory(withMetadata(template, undefined), result));
              expect(built.context).toBe(header + memories.join(separator) + footer);
            }
          },
        ),
        { numRuns: 400 },
      );
    });
  });

  it('includes another memory only when the whole text fits', () => {
    fc.assert(
      fc.property(
        fc.array(anyText, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 20, max: 800 }),
        (contents, budget) => {
          const results = resultsOf(...contents);
          const { memories } = characters.format(results, chat, budget);
          if (memories.length === 0 || memories.length === results.length) return;
          const more = results.slice(0, memories.length + 1).map((result) => renderMemory(chat, result));
          expect(characters.estimateTokens(`${chat.header}${more.join(chat.separator)}${chat.footer}`)).toBeGreaterThan(
            budget,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('needs a few counts of the whole text, and one of each memory that may fit', () => {
    let counted = 0;
    const counting: Tokenizer = {
      ...wordTokenizer,
      count: (text) => {
        counted += text.length;
        return Math.ceil(text.length / 4);
      },
    };
    const results = resultsOf(...Array.from({ length: 1000 }, (_, at) => `Memory ${at}. ${'word '.repeat(20)}`));
    const { context } = new ContextFormatter(counting).format(results, chat, 10_000);
    expect(context.length).toBeGreaterThan(39_000);
    expect(counted).toBeLessThan(5 * context.length);
  });
});

describe('cutText()', () => {
  it.each([
    ['one two three', 9, 'one two…'],
    ['one two three', 7, 'one two…'],
    ['one two three', 13, 'one two three'],
    ['one two three', 2, 'on…'],
    ['   three', 2, ''],
    ['word', 0, ''],
    ['😀😀', 3, '😀…'],
    ['😀😀', 1, ''],
  ])('cuts %j to %d as %j', (text, maxLength, expected) => expect(cutText(text, maxLength)).toBe(expected));

  it('never splits a surrogate pair or lengthens a text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, maxLength) => {
        const cut = cutText(text, maxLength);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(Math.max(text.length <= maxLength ? text.length : 0, maxLength + 1));
      }),
    );
  });
});
