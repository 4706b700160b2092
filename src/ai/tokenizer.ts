import { lruCache } from '../platform/lru-cache.ts';
import { type BytePairEncoding, bytePairEncoding, type Vocabulary } from './byte-pair-encoding.ts';

/**
 * Converts text to the tokens of a model and back; deterministic.
 *
 * @example
 * const byCodePoint: Tokenizer = {
 *   encode: (text) => Array.from(text, (character) => character.codePointAt(0) ?? 0),
 *   decode: (tokens) => String.fromCodePoint(...tokens),
 *   count: (text) => [...text].length,
 * };
 */
export interface Tokenizer {
  count(text: string): number;
  encode(text: string): number[];
  /** @throws {RangeError} For a number that is not a token. */
  decode(tokens: number[]): string;
  /** Name of the vocabulary, such as `cl100k_base`, or `characters` for the approximation. */
  readonly name?: string | undefined;
}

/** Vocabularies of the two model families. */
type EncodingName = 'cl100k_base' | 'o200k_base';

/** Loads a vocabulary. */
interface VocabularySource {
  readonly encoding: EncodingName;
  load(): Promise<Vocabulary>;
}

/** The vocabulary of gpt-4, gpt-3.5 and text-embedding-3: 1.1 MB, loaded on first use. */
export const cl100k: VocabularySource = {
  encoding: 'cl100k_base',
  load: async () => (await import('./vocabularies/cl100k.ts')).default,
};

/** The vocabulary of gpt-4o, gpt-4.1, gpt-5 and the o-series: 2.3 MB, loaded on first use. */
export const o200k: VocabularySource = {
  encoding: 'o200k_base',
  load: async () => (await import('./vocabularies/o200k.ts')).default,
};

const FAMILIES: readonly { encoding: EncodingName; models: RegExp }[] = [
  {
    encoding: 'o200k_base',
    models: /^(?:o200k_base$|gpt-4o|gpt-4\.[15]|gpt-[5-9]|gpt-oss|chatgpt-|chat-latest|o\d)/,
  },
  {
    encoding: 'cl100k_base',
    models: /^(?:cl100k_base$|gpt-4|gpt-3\.5|gpt-35|text-embedding-(?:3|ada-002))/,
  },
];

/**
 * The encoding of a model of OpenAI: `gpt-4` -> `cl100k_base`; a fine-tuned model (`ft:gpt-4o:team::id`) has that of its base, and the
 * names of resellers (`openai/gpt-4o`, `@cf/openai/gpt-oss-120b`) that of the model.
 * `undefined` for others, and for those from before 2022.
 */
export function encodingOfModel(model: string): EncodingName | undefined {
  const name = model.replace(/^(?:@?[\w.-]+\/)*(?:ft:)?/, '');
  return FAMILIES.find(({ models }) => models.test(name))?.encoding;
}

/** At most two, shared by all requests: a vocabulary is constant. */
const LOADED = new Map<EncodingName, BytePairEncoding>();

/**
 * The tokenizer of a model, ready to count. Requests do not wait for one another's load: in workerd such a promise may never settle.
 *
 * @param vocabularies Those that may be loaded, `[cl100k]` or `[cl100k, o200k]`; the one of the model is loaded on the first call.
 * @returns The approximation for a model that has none of them.
 */
export async function loadTokenizer(
  model: string,
  vocabularies: readonly VocabularySource[],
): Promise<Tokenizer> {
  const encoding = encodingOfModel(model);
  const source = vocabularies.find((vocabulary) => vocabulary.encoding === encoding);
  if (source === undefined) return new CharacterTokenizer();
  if (!LOADED.has(source.encoding)) {
    const vocabulary = await source.load();
    // Another request may have been faster; what follows is synchronous.
    if (!LOADED.has(source.encoding)) open(source.encoding, vocabulary);
  }
  return new TiktokenTokenizer(model);
}

const open = (encoding: EncodingName, vocabulary: Vocabulary): BytePairEncoding => {
  const opened = cachedCounts(bytePairEncoding(vocabulary));
  LOADED.set(encoding, opened);
  return opened;
};

/** Known to bundlers, which replace calls of it with the module itself; absent in modules of Node.js. */
declare const require: (id: string) => { default: Vocabulary };

/** What Node.js offers for loading a module synchronously; absent elsewhere. */
interface NodeProcess {
  getBuiltinModule?(
    name: 'node:module',
  ): { createRequire(from: string): typeof require } | undefined;
}

/**
 * Loads a vocabulary synchronously: the bundle of a Worker holds both and evaluates one at its first use, Node.js reads it from its file.
 *
 * @returns `undefined` in a runtime with neither, such as a browser that loads modules one by one.
 */
const openAtOnce = (encoding: EncodingName): BytePairEncoding | undefined => {
  try {
    return open(encoding, inBundle(encoding) ?? inNode(encoding));
  } catch {
    return undefined;
  }
};

const inBundle = (encoding: EncodingName): Vocabulary | undefined => {
  try {
    // The calls must hold these literals: a bundler finds the modules by them.
    const module =
      encoding === 'cl100k_base'
        ? require('./vocabularies/cl100k.ts')
        : require('./vocabularies/o200k.ts');
    return module.default;
  } catch {
    return undefined;
  }
};

const inNode = (encoding: EncodingName): Vocabulary => {
  const { process }: { process?: NodeProcess } = globalThis as { process?: NodeProcess }; // not in every runtime
  const load = process?.getBuiltinModule?.('node:module')?.createRequire(import.meta.url);
  if (load === undefined) throw new Error('this runtime cannot load a module synchronously');
  const file = encoding === 'cl100k_base' ? './vocabularies/cl100k.ts' : './vocabularies/o200k.ts';
  return load(file).default;
};

/** The vocabulary of a tokenizer was not loaded before its first use, in a runtime that cannot load it synchronously. */
class VocabularyNotLoaded extends Error {
  override readonly name = 'VocabularyNotLoaded';

  constructor(model: string, encoding: EncodingName) {
    super(
      `Cannot count tokens for ${model}: await loadTokenizer('${model}', ...) loads ${encoding} first`,
    );
  }
}

/**
 * Tokens of OpenAI's models, identical to those of `js-tiktoken`. Special tokens in a text are plain text. Half of a
 * surrogate pair decodes to U+FFFD; all other text to itself.
 *
 * The vocabulary is loaded at first use, in Node.js and in the bundle of a Worker. Where nothing can be loaded synchronously,
 * `loadTokenizer` loads it beforehand; until then every method throws `VocabularyNotLoaded`: an approximation in the meantime would give
 * one text two counts.
 *
 * @example
 * new TiktokenTokenizer('gpt-4').count('hello world'); // 2
 */
export class TiktokenTokenizer implements Tokenizer {
  readonly #model: string;
  readonly #encoding: EncodingName;

  /** @throws {RangeError} For a model whose vocabulary is not known. */
  constructor(model: string) {
    const encoding = encodingOfModel(model);
    if (encoding === undefined)
      throw new RangeError(`Cannot tell the vocabulary of the model ${model.slice(0, 64)}`);
    this.#model = model.slice(0, 64);
    this.#encoding = encoding;
  }

  get name(): string {
    return this.#encoding;
  }

  count(text: string): number {
    return this.#loaded().count(text);
  }

  encode(text: string): number[] {
    return this.#loaded().encode(text);
  }

  decode(tokens: number[]): string {
    return this.#loaded().decode(tokens);
  }

  #loaded(): BytePairEncoding {
    const encoding = LOADED.get(this.#encoding) ?? openAtOnce(this.#encoding);
    if (encoding === undefined) throw new VocabularyNotLoaded(this.#model, this.#encoding);
    return encoding;
  }
}

/** Each entry is under 100 bytes, so that all of them take at most 1 MB. */
const MAX_COUNTS = 10_000;

/** Shorter texts are counted faster than looked up. */
const MIN_LENGTH = 32;

/**
 * Caches the token counts of the 10,000 most recent texts by hash, so that no text remains when a memory is erased. The
 * hash has a random seed per process, so that collisions cannot be constructed.
 */
const cachedCounts = (encoding: BytePairEncoding): BytePairEncoding => {
  const counts = lruCache<string, number>({ max: MAX_COUNTS });
  const [seed = 0, otherSeed = 0] = crypto.getRandomValues(new Uint32Array(2));

  const count = (text: string): number => {
    if (text.length < MIN_LENGTH) return encoding.count(text);
    const key = `${hashOf(text, seed)} ${hashOf(text, otherSeed)} ${text.length}`;
    return counts.getOr(key, () => encoding.count(text));
  };

  return { ...encoding, count };
};

/** MurmurHash3's mixing, a UTF-16 unit at a time; 32 bits. */
const hashOf = (text: string, seed: number): number => {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) {
    const unit = Math.imul(text.charCodeAt(at), 0xcc9e2d51);
    hash ^= Math.imul((unit << 15) | (unit >>> 17), 0x1b873593);
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
};

/** How many numbers `String.fromCharCode` takes at once; all of a long text would overflow the stack. */
const CODES_AT_ONCE = 8192;

/**
 * An approximation: one token per 4 characters. Its tokens are the first UTF-16 unit of each character, so texts beyond
 * the Basic Multilingual Plane do not decode to themselves.
 */
export class CharacterTokenizer implements Tokenizer {
  readonly name = 'characters';

  count(text: string): number {
    return Math.ceil(text.length / 4);
  }

  encode(text: string): number[] {
    return Array.from(text, (character) => character.charCodeAt(0));
  }

  decode(tokens: number[]): string {
    let text = '';
    for (let at = 0; at < tokens.length; at += CODES_AT_ONCE) {
      text += String.fromCharCode(...tokens.slice(at, at + CODES_AT_ONCE));
    }
    return text;
  }
}
