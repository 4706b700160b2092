import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import fc from 'fast-check';
import { getEncodingNameForModel, type TiktokenModel } from 'js-tiktoken';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100kRanks from 'js-tiktoken/ranks/cl100k_base';
import o200kRanks from 'js-tiktoken/ranks/o200k_base';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  CharacterTokenizer,
  cl100k,
  encodingOfModel,
  loadTokenizer,
  o200k,
  TiktokenTokenizer,
} from '../../src/ai/tokenizer.ts';
import { bundle } from '../../tools/build/bundle-function.ts';
import { oneWorker } from '../platform/storage/worker-for-test.ts';

const IN_WORKERD = fileURLToPath(new URL('tokenizer-in-workerd.ts', import.meta.url));

/** A new instance of the module, as in a new isolate: loaded vocabularies are shared within one. */
const withoutVocabularies = async () => {
  vi.resetModules();
  return import('../../src/ai/tokenizer.ts');
};

describe('TiktokenTokenizer before its vocabulary is loaded', () => {
  it.each([
    ['gpt-4', cl100kRanks],
    ['gpt-3.5-turbo', cl100kRanks],
    ['gpt-4o', o200kRanks],
  ])('loads it at first use in Node.js: %s', async (model, ranks) => {
    const { TiktokenTokenizer } = await withoutVocabularies();
    const text = 'If your Apollo shows 0 H/s, first check the pool: 漢字 🙂';
    const expected = new Tiktoken(ranks).encode(text);
    expect(new TiktokenTokenizer(model).count(text)).toBe(expected.length);
    expect(new TiktokenTokenizer(model).encode(text)).toEqual(expected);
    expect(new TiktokenTokenizer(model).decode(expected)).toBe(text);
  });
  it.each([
    ['gpt-4', cl100kRanks],
    ['gpt-4o', o200kRanks],
  ])('loads it at first use in workerd: %s', async (model, ranks) => {
    const worker = oneWorker(await bundle(IN_WORKERD));
    onTestFinished(() => worker.dispose());
    const text = 'If your Apollo shows 0 H/s, first check the pool: 漢字 🙂';
    const tokens = new Tiktoken(ranks).encode(text);
    const body = JSON.stringify({ model, text });
    const response = await worker.dispatchFetch('http://localhost/', { method: 'POST', body });
    expect(await response.json()).toEqual({ count: tokens.length, tokens, text });
  });
  it('throws instead of approximating where nothing can be loaded at once', async () => {
    const { outputFiles } = await build({
      entryPoints: [IN_WORKERD],
      bundle: true,
      format: 'esm',
      write: false,
      external: ['./vocabularies/*'],
    });
    const worker = oneWorker(outputFiles[0]?.text ?? '');
    onTestFinished(() => worker.dispose());
    const body = JSON.stringify({ model: 'gpt-4', text: 'text' });
    const response = await worker.dispatchFetch('http://localhost/', { method: 'POST', body });
    expect(await response.json()).toMatchObject({ name: 'VocabularyNotLoaded' });
  });
  it('refuses a model with an unknown vocabulary', () => {
    expect(() => new TiktokenTokenizer('llama-3')).toThrow(RangeError);
  });
});

describe('loadTokenizer()', () => {
  it('retries after a vocabulary could not be read', async () => {
    const { loadTokenizer } = await withoutVocabularies();
    const load = async (): Promise<never> => Promise.reject(new Error('cut off'));
    await expect(loadTokenizer('gpt-4', [{ encoding: 'cl100k_base', load }])).rejects.toThrow(
      'cut off',
    );
    expect((await loadTokenizer('gpt-4', [cl100k])).count('hello world')).toBe(2);
  });
  it('reads a vocabulary once', async () => {
    await loadTokenizer('gpt-4', [cl100k]);
    const load = async (): Promise<never> => Promise.reject(new Error('read twice'));
    await expect(
      loadTokenizer('gpt-3.5-turbo', [{ encoding: 'cl100k_base', load }]),
    ).resolves.toBeDefined();
  });
  it.each(['llama-3', 'text-davinci-003', 'gpt-5'])(
    'approximates for %s without its vocabulary',
    async (model) => {
      expect(await loadTokenizer(model, [cl100k])).toBeInstanceOf(CharacterTokenizer);
    },
  );
  it('makes every tokenizer of the encoding ready', async () => {
    const tokenizer = new TiktokenTokenizer('gpt-4-turbo');
    await loadTokenizer('text-embedding-3-small', [cl100k]);
    expect(tokenizer.encode('hello world')).toEqual([15339, 1917]);
  });
});

describe('encodingOfModel()', () => {
  const MODELS = [
    'gpt-4 gpt-4-32k-0613 gpt-4-turbo-2024-04-09 gpt-3.5-turbo gpt-35-turbo text-embedding-ada-002',
    'text-embedding-3-large gpt-4o gpt-4o-mini-2024-07-18 chatgpt-4o-latest gpt-4.1-nano',
    'gpt-4.5-preview gpt-5-mini o1-preview o3 o4-mini',
  ].flatMap((names) => names.split(' ')) as TiktokenModel[]; // each is tried in js-tiktoken
  it.each(MODELS)('has the encoding of js-tiktoken for %s', (model) => {
    expect(encodingOfModel(model)).toBe(getEncodingNameForModel(model));
    expect(encodingOfModel(`ft:${model}:team::1`)).toBe(getEncodingNameForModel(model));
  });
  it.each([
    ['openai/gpt-4o', 'o200k_base'],
    ['openai/gpt-4-turbo', 'cl100k_base'],
    ['@cf/openai/gpt-oss-120b', 'o200k_base'],
    ...['llama3.1', '@cf/meta/llama-3.1-8b-instruct', 'gpt-4/other', 'text-davinci-003'].map(
      (model) => [model],
    ),
    ...['claude', '', 'my-gpt-4'].map((model) => [model]),
  ])('has for %j the encoding %s', (model = '', encoding) =>
    expect(encodingOfModel(model)).toBe(encoding),
  );
});

const ENCODINGS = [
  {
    name: 'cl100k_base',
    model: 'gpt-4',
    vocabulary: cl100k,
    reference: () => new Tiktoken(cl100kRanks),
  },
  {
    name: 'o200k_base',
    model: 'gpt-4o',
    vocabulary: o200k,
    reference: () => new Tiktoken(o200kRanks),
  },
];

/** Words, code, blanks and any Unicode, since tokens depend on adjacent characters. */
const TEXT = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.stringMatching(/^[A-Za-z ]{0,20}$/),
      fc.stringMatching(/^[ \t\r\n]{0,8}$/),
      fc.constantFrom("don't", 'WE’LL', '\uFEFF', '漢字かな', '👩‍👩‍👧', '{"a":[1,2]}', '١٢٣٤', 'é'),
      fc.constantFrom('==='.repeat(9), 'aaaa'.repeat(8)),
      fc.constantFrom('<|endoftext|>', '<|fim_prefix|>', '<|im_start|>', '<|endofprompt|>'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

describe.each(ENCODINGS)('TiktokenTokenizer with $name', ({ model, vocabulary, reference }) => {
  const tokenizer = new TiktokenTokenizer(model);
  let tiktoken: Tiktoken;
  beforeAll(async () => {
    await loadTokenizer(model, [vocabulary]);
    tiktoken = reference();
  });
  it('has the tokens of js-tiktoken for any text, and decodes them to the same text', () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        const expected = tiktoken.encode(text, [], []);
        expect(tokenizer.encode(text)).toEqual(expected);
        expect(tokenizer.count(text)).toBe(expected.length);
        expect(tokenizer.decode(expected)).toBe(text.toWellFormed());
      }),
      { numRuns: 400 },
    );
  });
  it('has the same tokens for the articles of the sample knowledge base', () => {
    const folder = new URL('../../tools/sample/knowledge-base/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md'),
    );
    expect(files.length).toBeGreaterThan(20);
    for (const file of files) {
      const text = readFileSync(new URL(file, folder), 'utf8');
      expect(tokenizer.encode(text)).toEqual(tiktoken.encode(text, [], []));
    }
  });
  it('has the same tokens for long runs of one character class', () => {
    for (const text of [
      'a'.repeat(700),
      'ab'.repeat(300),
      '漢'.repeat(200),
      '=-'.repeat(300),
      'ſ'.repeat(200),
    ])
      expect(tokenizer.encode(text)).toEqual(tiktoken.encode(text, [], []));
  });
  it('treats special tokens as plain text', () => {
    expect(tokenizer.count('<|endoftext|>')).toBeGreaterThan(3);
    expect(tokenizer.decode(tokenizer.encode('a<|endoftext|>b'))).toBe('a<|endoftext|>b');
  });
  it('has no tokens for no text', () => {
    expect([tokenizer.count(''), tokenizer.encode(''), tokenizer.decode([])]).toEqual([0, [], '']);
  });
  it.each([-1, 1.5, 1e9, Number.NaN])('refuses to decode %d', (token) => {
    expect(() => tokenizer.decode([token])).toThrow(RangeError);
  });
  it('returns the same count the second time', () => {
    const texts = Array.from(
      { length: 300 },
      (_, at) => `A text that is long enough to be remembered, number ${at}.`,
    );
    const counts = texts.map((text) => tokenizer.count(text));
    expect(texts.map((text) => tokenizer.count(text))).toEqual(counts);
    expect(counts).toEqual(texts.map((text) => tokenizer.encode(text).length));
  });

  // js-tiktoken takes seconds for 8,000 equal letters, and four times as long for twice as many: here that would be half an hour.
  it.each(['a', 'A', '漢', ' ', '\n', '=-', '😀'])(
    'counts 200,000 times %j without growing quadratically',
    (unit) => {
      expect(tokenizer.count(unit.repeat(200_000 / unit.length))).toBeGreaterThan(1000);
    },
  );
  it('cuts a run that exceeds the piece limit, but no surrogate pair', () => {
    const text = `a${'😀'.repeat(65_536)}`;
    const tokens = tokenizer.encode(text);
    expect(tokenizer.decode(tokens)).toBe(text);
    expect(tokens).toEqual(tokenizer.encode(text));
  });
});

describe('CharacterTokenizer', () => {
  const tokenizer = new CharacterTokenizer();

  it('counts one token per 4 characters, rounded up', () => {
    expect(['', 'a', 'abcd', 'abcde'].map((text) => tokenizer.count(text))).toEqual([0, 1, 1, 2]);
  });
  it('encodes a character as its first UTF-16 unit, of any number', () => {
    expect(tokenizer.encode('aé漢')).toEqual([97, 233, 28450]);
    const text = 'aé漢'.repeat(300_000);
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
  });
});
