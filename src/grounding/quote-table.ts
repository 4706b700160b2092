import type { Span } from '../text/split-sentences.ts';

/** A body row of a table, and how well it fits the question. */
export interface TableRow extends Span {
  /** Share of the question's idf that stands in the row, 0 to 1. */
  share: number;
  /** Its first cell is empty: what it is about stands in a row above. */
  isContinued: boolean;
}

/** Tables of so many body rows are always quoted whole: cutting them spares nobody any reading. */
const SHORT_TABLE = 4;
/** More rows than this do not stand out. */
const MAX_ROWS = 3;
/** Rows that fit nearly as well as the best stand out with it: "Apollo II or III in Turbo". */
const NEARLY = 0.85;
/** A row must hold at least so much of the question more than the middle row does, or chance may have picked it. */
const LEAD = 0.15;

/**
 * What is quoted of a table: its head with what introduces it, and the rows that the question is about. The whole of it when
 * it is short or no row stands out.
 *
 * @param head With the delimiter row, and with the sentence that introduces the table if there is one.
 * @param window Rows to show where none stands out: all of them, or as many as may be quoted.
 * @returns Spans in order, the first with the head, each beginning at a line; rows that follow one another share a span.
 */
export const tableSpans = (head: Span, rows: readonly TableRow[], window: Span): Span[] => {
  const standing = rows.length > SHORT_TABLE ? standingRows(rows) : [];
  const shown =
    standing.length > 0 ? standing : rows.filter(({ start, end }) => start < window.end && end > window.start);
  const spans = [{ ...head }];
  let previous = -1;
  for (const row of shown) {
    const at = rows.indexOf(row);
    const last = spans.at(-1);
    // A row too long to be quoted is cut as the window is.
    const end = standing.length > 0 ? row.end : Math.min(row.end, window.end);
    if (last && at === previous + 1) last.end = end;
    else spans.push({ start: row.start, end });
    previous = at;
  }
  return spans;
};

const standingRows = (rows: readonly TableRow[]): readonly TableRow[] => {
  const shares = rows.map(({ share }) => share).toSorted((a, b) => b - a);
  const [best = 0] = shares;
  const middle = shares[Math.floor(shares.length / 2)] ?? 0;
  const standing = rows.filter(({ share }) => share >= NEARLY * best);
  const stands =
    best - middle >= LEAD && standing.length <= MAX_ROWS && !standing.some(({ isContinued }) => isContinued);
  return stands ? standing : [];
};
