import type { BytePairEncoding } from './tokenizers/byte-pair-encoding.ts';
import { type EncodingName, encodingOfModel } from './tokenizers/encoding-of-model.ts';
import { loadEncoding, loadedEncoding, type VocabularySource } from './tokenizers/loaded-encoding.ts';

/** Text <-> the tokens that a model reads (seed 002, Tokenizer). The same text always gives the same. */
export interface Tokenizer {
  count(text: string): number;
  encode(text: string): number[];
  /** @throws {RangeError} For a number that is no token. */
  decode(tokens: number[]): string;
  /** Beyond the seed: whose tokens these are, `cl100k_base`, or `characters` where they are estimated. */
  readonly name?: string | undefined;
}

/**
 * The tokenizer of a model, ready to count.
 *
 * @param vocabularies Those that may be read, `[cl100k]` or `[cl100k, o200k]`; the one of the model is read on the first call.
 * @returns For a model that has none of them, the approximation.
 */
export const loadTokenizer = async (model: string, vocabularies: readonly VocabularySource[]): Promise<Tokenizer> => {
  const encoding = encodingOfModel(model);
  const source = vocabularies.find((vocabulary) => vocabulary.encoding === encoding);
  if (source === undefined) return new CharacterTokenizer();
  await loadEncoding(source);
  return new TiktokenTokenizer(model);
};

/** The vocabulary of a tokenizer was not read before it was asked to count. */
export class VocabularyNotLoaded extends Error {
  override readonly name = 'VocabularyNotLoaded';

  constructor(model: string, encoding: EncodingName) {
    super(`Cannot count tokens for ${model}: await loadTokenizer('${model}', ...) reads ${encoding} first`);
  }
}

/**
 * Tokens of OpenAI's models, those of `js-tiktoken` (seed 002). What looks like a special token is plain text. Text that has
 * half of a surrogate pair decodes to U+FFFD there; all other text to itself.
 *
 * To count is synchronous and a vocabulary is large, so it is read before, by `loadTokenizer`. Until then every method throws
 * `VocabularyNotLoaded`: to approximate in the meantime would count one text in two ways.
 */
export class TiktokenTokenizer implements Tokenizer {
  readonly #model: string;
  readonly #encoding: EncodingName;

  /** @throws {RangeError} For a model whose vocabulary is not known. */
  constructor(model: string) {
    const encoding = encodingOfModel(model);
    if (encoding === undefined) throw new RangeError(`Cannot tell the vocabulary of the model ${model.slice(0, 64)}`);
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
    const encoding = loadedEncoding(this.#encoding);
    if (encoding === undefined) throw new VocabularyNotLoaded(this.#model, this.#encoding);
    return encoding;
  }
}

/** How many numbers `String.fromCharCode` takes at once; all of a long text would overflow the stack. */
const CODES_AT_ONCE = 8192;

/**
 * An approximation: a token is 4 characters (seed 002, as written there). Its tokens are the first UTF-16 unit of each
 * character, so that texts beyond the Basic Multilingual Plane do not come back as they were.
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
