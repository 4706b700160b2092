import { utf8 } from '../runtime/digest.ts';
import { sha256Hex } from '../storage/edition-storage.ts';

/** Whose vectors they are. Vectors of two spaces do not compare. */
export interface VectorSpace {
  model: string;
  /** Numbers of a vector. */
  dimensions: number;
}

/** Hexadecimal digits of an id: 128 bits, so that no two of a billion texts share one. */
export const VECTOR_ID_DIGITS = 32;

/** Raised whenever what is embedded of a chunk changes, so that old vectors are not taken for new ones. */
const RECIPE = 1;

/** The name of a space, also of what is embedded in it. */
export const spaceKey = ({ model, dimensions }: VectorSpace): string => `${RECIPE} ${dimensions} ${model}`;

/**
 * The id of a text's vector: a hash of all that decides about the vector, so that equal texts share one, a changed text has
 * another, and an id that an edition does not know is none of its own.
 *
 * @returns 32 hexadecimal digits.
 */
export const vectorIdOf = async (text: string, space: VectorSpace): Promise<string> =>
  (await sha256Hex(utf8(`${spaceKey(space)}\n${text}`))).slice(0, VECTOR_ID_DIGITS);

/**
 * Tokens are at least a byte each, in every tokenizer that falls back to bytes: a text of so many bytes of UTF-8 fits the
 * 8,192 tokens that embedding models take, whatever its language. Chunks hold some 3,000.
 */
const MAX_BYTES = 8000;

/** What is embedded of a chunk: where it stands, and its text; at most 8,000 bytes of UTF-8. */
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
