/** What the API takes (its specification, createEmbedding): entries of a request, tokens of an entry and of all. */
const MAX_INPUTS = 2048;
const MAX_INPUT_TOKENS = 8192;
const MAX_REQUEST_TOKENS = 300_000;

/** How far back the end of a word is looked for, in UTF-16 units. */
const WORD_REACH = 200;

/**
 * Cuts texts into requests that the API takes, in order. A token of its vocabularies is at least one byte of UTF-8, so
 * bytes are an upper bound; of English prose a request holds some 65,000 tokens.
 *
 * @param texts As `fitText` gives them.
 */
export const batchesOf = (texts: readonly string[]): string[][] => {
  const batches: string[][] = [];
  let current: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const length = utf8LengthOf(text);
    if (current.length === MAX_INPUTS || bytes + length > MAX_REQUEST_TOKENS) {
      batches.push(current);
      current = [];
      bytes = 0;
    }
    current.push(text);
    bytes += length;
  }
  return current.length === 0 ? batches : [...batches, current];
};

/**
 * A text as the API takes it: not empty, well-formed Unicode, and at most 8,192 bytes, cut after a word where one ends within
 * the last 200 characters, and never inside a character.
 */
export const fitText = (text: string): string => {
  if (text === '') return ' ';
  // A unit takes at least one byte, so what lies behind is cut off in any case.
  const whole = text.slice(0, MAX_INPUT_TOKENS + 1).toWellFormed();
  const end = endWithin(whole, MAX_INPUT_TOKENS);
  if (end === text.length) return whole;
  const cut = whole.slice(0, end);
  const space = cut.slice(-WORD_REACH).search(/\s\S*$/);
  const kept = space === -1 ? cut : cut.slice(0, cut.length - Math.min(WORD_REACH, cut.length) + space);
  return kept.trim() === '' ? cut : kept;
};

/** The longest beginning, in UTF-16 units, that has at most so many bytes and ends after a whole code point. */
const endWithin = (text: string, maxBytes: number): number => {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    bytes += bytesOf(unit);
    if (bytes > maxBytes) return isSecondHalf(unit) ? at - 1 : at;
  }
  return text.length;
};

const utf8LengthOf = (text: string): number => {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) bytes += bytesOf(text.charCodeAt(at));
  return bytes;
};

/** Of a UTF-16 unit in well-formed text: a surrogate pair has four between them. */
const bytesOf = (unit: number): number => (unit < 0x80 ? 1 : unit < 0x800 || isSurrogate(unit) ? 2 : 3);

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
