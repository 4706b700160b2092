import { type Block, parseBlocks } from '../../documents/markdown/blocks.ts';
import { type Span, splitSentences } from '../../language/split-sentences.ts';
import type { ModelStatement, Passage } from '../model/answer-prompt.ts';
import type { Evidence } from './check-statement.ts';

/** A quote that occurs in the passage that the model cites. */
export interface PlacedQuote<P extends Passage = Passage> {
  passage: P;
  /** Range in the passage's text. */
  span: Span;
}

/** The quotes of a statement that occur in their passages; all others are dropped. */
export function placeQuotes<P extends Passage>(
  { quotes }: ModelStatement,
  passages: readonly P[],
): PlacedQuote<P>[] {
  return quotes.flatMap(({ passage: id, quote }) => {
    const passage = passages.find((each) => each.id === id);
    if (passage === undefined) return [];
    return (placeQuote(passage.text, quote) ?? []).map((span) => ({ passage, span }));
  });
}

/** A passage as evidence. */
export function evidenceOfPassage({ title, headings, devices = [], text }: Passage): Evidence {
  return {
    text,
    headings: [title, ...headings, ...devices],
  };
}

/** A quote as evidence, with what introduces it and the headings of its passage. */
export function evidenceOfQuote(quote: PlacedQuote): Evidence {
  return {
    text: quotedBlocks(quote).join('\n\n'),
    headings: evidenceOfPassage(quote.passage).headings,
  };
}

/** A quote as blocks of Markdown that can be read alone: its whole sentences, items or rows, with what introduces them. */
export function quotedBlocks({ passage: { text }, span }: PlacedQuote): string[] {
  const blocks = parseBlocks(text);
  return blocks
    .filter((block) => block.kind !== 'heading' && overlap(block, span))
    .flatMap((block) => [
      ...introductionOf(text, blocks, block),
      unitsAsMarkdown(text, block, span),
    ])
    .filter((block) => block !== '');
}

const unitsAsMarkdown = (text: string, block: Block, span: Span): string => {
  const [header, ...units] = unitsOf(text, block, span);
  if (header === undefined) return '';
  if (block.kind === 'prose' || block.items.length === 0) {
    const texts = [header, ...units].map(({ start, end }) => text.slice(start, end));
    const isProse = block.kind === 'prose';
    return texts.map((each) => (isProse ? each.replace(QUOTE_MARKS, '') : each)).join(' ');
  }
  const [, firstRow] = block.items;
  const head = {
    start: header.start,
    end: block.kind === 'table' ? (firstRow?.start ?? header.end) : header.end,
  };
  return [head, ...units].map(({ start, end }) => text.slice(start, end).trimEnd()).join('\n');
};

const QUOTE_MARKS = /^ {0,3}>[ \t]?/gm;

export function overlap(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}

const unitsOf = (text: string, block: Block, span: Span): Span[] => {
  if (block.kind === 'prose')
    return splitSentences(text, block).filter((sentence) => overlap(sentence, span));
  if (block.items.length === 0) return [block];
  const units = block.items.filter((item) => overlap(item, span));
  const [header] = block.items;
  return block.kind === 'table' && header !== undefined && !units.includes(header)
    ? [header, ...units]
    : units;
};

/** "Use the following command:" before a list, a table or a code block. */
const introductionOf = (text: string, blocks: readonly Block[], block: Block): string[] => {
  const before = blocks[blocks.indexOf(block) - 1];
  if (block.kind === 'prose' || before?.kind !== 'prose') return [];
  const last = splitSentences(text, before).at(-1);
  return last === undefined ? [] : [text.slice(last.start, last.end)];
};

/** In letters and digits. A shorter quote may occur anywhere by chance. */
const MIN_LENGTH = 4;
const MAX_QUOTE_LENGTH = 6000;

/**
 * Finds the words of a quote in a text. White space, letter case, Markdown marks, list numbers and link targets may differ. A quote with
 * an ellipsis is matched in parts, in this order.
 *
 * @returns Spans of the text, one per part; undefined when a part is missing or the quote is too short.
 */
export function placeQuote(text: string, quote: string): Span[] | undefined {
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
}

/** Includes adjacent marks that are not compared, such as a full stop. */
const withMarks = (text: string, { start, end }: Span): Span => {
  const before =
    /["'“‘([*_`]*$/.exec(text.slice(Math.max(0, start - MAX_MARKS), start))?.[0].length ?? 0;
  const behind = /^[.!?;:)\]"'”’*_`]*/.exec(text.slice(end, end + MAX_MARKS))?.[0].length ?? 0;
  return { start: start - before, end: end + behind };
};

const MAX_MARKS = 6;

/** The compared characters of a text, with the position of each in the text. */
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
    // A few letters have a longer lower case, which would shift the positions.
    plain += lower.length === 1 ? lower : character;
    places.push(at);
  }
  return { plain, places };
};

/** The same without list numbers at the beginning of lines and without link targets. */
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
const PLAIN_FORMS: Readonly<Record<string, string>> = {
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
};
