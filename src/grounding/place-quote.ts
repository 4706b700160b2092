import type { Span } from '../text/split-sentences.ts';

/** Shorter than this a quote may stand anywhere by chance. In letters and digits. */
const MIN_LENGTH = 4;
const MAX_QUOTE_LENGTH = 6000;

/**
 * Where the words of a quote stand in a text. White space, letter case, marks of Markdown, list numbers and the targets of links
 * may differ. A quote with an ellipsis is taken in its parts, which must stand in this order.
 *
 * @returns Spans of the text, one for each part; undefined where a part is missing or the quote is too short.
 */
export const placeQuote = (text: string, quote: string): Span[] | undefined => {
  const parts = quote
    .slice(0, MAX_QUOTE_LENGTH)
    .split(/\s*(?:\[\s*(?:\.{3}|…)\s*\]|\.{3,}|…)\s*/)
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
  if (parts.length === 0) return undefined;
  for (const read of [readPlainly, readWithoutFrame]) {
    const spans = placeParts(
      read(text),
      parts.map((part) => read(part).plain),
    );
    if (spans !== undefined) return spans.map((span) => withMarks(text, span));
  }
  return undefined;
};

/** With the marks around it that are not compared, such as a full stop. */
const withMarks = (text: string, { start, end }: Span): Span => {
  const before = /["'“‘([*_`]*$/.exec(text.slice(Math.max(0, start - MAX_MARKS), start))?.[0].length ?? 0;
  const behind = /^[.!?;:)\]"'”’*_`]*/.exec(text.slice(end, end + MAX_MARKS))?.[0].length ?? 0;
  return { start: start - before, end: end + behind };
};

const MAX_MARKS = 6;

/** What is compared of a text, and where each of its units stands in it. */
interface PlainText {
  plain: string;
  places: readonly number[];
}

const placeParts = ({ plain, places }: PlainText, parts: readonly string[]): Span[] | undefined => {
  const spans: Span[] = [];
  let from = 0;
  for (const part of parts) {
    if (part.length < MIN_LENGTH) return undefined;
    const at = plain.indexOf(part, from);
    const [first, last] = [places[at], places[at + part.length - 1]];
    if (at < 0 || first === undefined || last === undefined) return undefined;
    spans.push({ start: first, end: last + 1 });
    from = at + part.length;
  }
  return spans;
};

/** Without white space and marks, in lower case. */
const readPlainly = (text: string): PlainText => {
  const places: number[] = [];
  let plain = '';
  for (let at = 0; at < text.length; at++) {
    const character = PLAIN_FORMS[text[at] ?? ''] ?? text[at] ?? '';
    if (LEFT_OUT.test(character)) continue;
    const lower = character.toLowerCase();
    // A few letters have a longer lower case; their place would be off by one.
    plain += lower.length === 1 ? lower : character;
    places.push(at);
  }
  return { plain, places };
};

/** The same without list numbers at the beginning of lines and without the targets of links. */
const readWithoutFrame = (text: string): PlainText =>
  readPlainly(
    text
      .replace(
        /^([ \t]*)(\d{1,3}[.)])(?=[ \t])/gm,
        (_, before: string, mark: string) => before + ' '.repeat(mark.length),
      )
      .replace(/\]\([^)\s]*\)/g, (target) => ' '.repeat(target.length)),
  );

const LEFT_OUT = /[\s*_`|#>\\[\]~\u00AD\u200B-\u200D\uFEFF:;,.\-"]/;
const PLAIN_FORMS: Readonly<Record<string, string>> = { '’': "'", '‘': "'", '“': '"', '”': '"', '–': '-', '—': '-' };
