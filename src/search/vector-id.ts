import { utf8 } from '../signing/digest.ts';
import { sha256Hex } from '../storage/edition-storage.ts';

/** A vector space. Vectors of different spaces are not comparable. */
export interface VectorSpace {
  model: string;
  /** Length of a vector. */
  dimensions: number;
}

/** Hexadecimal digits of an id: 128 bits, enough to avoid collisions among a billion texts. */
export const VECTOR_ID_DIGITS = 32;

/** Incremented when the embedded text of a chunk changes, so that old vectors are not reused. */
const RECIPE = 1;

/** The name of a space, which includes the version of the embedded text. */
export const spaceKey = ({ model, dimensions }: VectorSpace): string => `${RECIPE} ${dimensions} ${model}`;

/**
 * The id of a text's vector: a hash of everything that determines the vector. Equal texts share an id, a changed text has
 * a new one, and an id unknown to an edition is not part of it.
 *
 * @returns 32 hexadecimal digits.
 */
export const vectorIdOf = async (text: string, space: VectorSpace): Promise<string> =>
  (await sha256Hex(utf8(`${spaceKey(space)}\n${text}`))).slice(0, VECTOR_ID_DIGITS);

/**
 * A token is at least one byte in tokenizers that fall back to bytes, so a text of this many UTF-8 bytes fits the 8,192
 * tokens of embedding models in any language. Chunks have about 3,000 bytes.
 */
const MAX_BYTES = 8000;

/** The embedded text of a chunk: title, headings and text; at most 8,000 bytes of UTF-8. */
export const embeddingTextOf = ({
  title,
  headingPath,
  text,
}: {
  title: string;
  /** Outermost first, without the title. */
  headingPath: readonly string[];
  text: string;
}): string => withinBytes([title, headingPath.join(' > '), text].filter((part) => part.trim() !== '').join('\n'));

const withinBytes = (text: string): string => {
  const target = new Uint8Array(MAX_BYTES);
  const { read } = new TextEncoder().encodeInto(text, target);
  return text.slice(0, read);
};
