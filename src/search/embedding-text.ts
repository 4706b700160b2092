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
