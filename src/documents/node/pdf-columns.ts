import {
  BULLET,
  isRaised,
  type PdfItem,
  plainText,
  raised,
  readsRightToLeft,
  textOfLine,
} from './pdf-text.ts';

/** Text that stands together in a line. */
interface Piece {
  text: string;
  x: number;
  end: number;
  isRightToLeft: boolean;
}

interface Row {
  y: number;
  size: number;
  pieces: Piece[];
}

/** A line of a page in reading order, or a row of a table. */
interface PlacedLine {
  text: string;
  size: number;
  x: number;
  y: number;
  cells?: string[];
}

/** Gaps wider than this many times the size of the type part a line. */
const PIECE_GAP = 1.5;
/** Narrower ones part the cells of a table, where they stay empty in all rows of it. */
const CELL_GAP = 0.8;
const MIN_GUTTER = 0.3;
const WORD_GAP = 0.15;
const MARK = new RegExp(`^\\s*${BULLET}\\s*$`, 'u');
/** Columns begin within so many points of one another. */
const SAME_X = 6;
const MIN_ROWS = 3;
const MAX_COLUMNS_OF_TEXT = 3;
/** Pieces of columns are lines of prose, those of tables are cells: by their average number of words. */
const MIN_WORDS_OF_TEXT = 3.5;

/**
 * The lines of a page where text stands in columns or cells, by the gaps that stay empty over three lines or more: columns one after the
 * other, rows of a table with their cells.
 *
 * @returns Undefined when nothing on the page stands side by side.
 */
export function linesInColumns(items: readonly PdfItem[]): PlacedLine[] | undefined {
  const rows = withCells(rowsOf(items));
  const lines: PlacedLine[] = [];
  let run: Row[] = [];
  let isSideBySide = false;
  const flush = (): void => {
    const starts = columnsOf(run);
    if (run.length >= MIN_ROWS && starts.length >= 2) {
      isSideBySide = true;
      lines.push(...readRun(run, starts));
    } else for (const row of run) lines.push(lineOf(row, row.pieces));
    run = [];
  };
  for (const row of rows) {
    if (row.pieces.length > 1 || (run.length > 0 && isContinued(row, run))) run.push(row);
    else {
      flush();
      lines.push(lineOf(row, row.pieces));
    }
  }
  flush();
  return isSideBySide ? lines : undefined;
}

interface PlacedItem {
  item: PdfItem;
  text: string;
  x: number;
  y: number;
  end: number;
  size: number;
}

function rowsOf(items: readonly PdfItem[]): Row[] {
  const placed = items.flatMap((item): PlacedItem[] => {
    const { str = '', height = 0, width = 0, transform = [] } = item;
    const [, , , , x = 0, y = 0] = transform;
    return str.trim() === '' ? [] : [{ item, text: str, x, y, end: x + width, size: height || 10 }];
  });
  placed.sort((one, other) => other.y - one.y || one.x - other.x);
  const rows: (Omit<Row, 'pieces'> & { items: typeof placed })[] = [];
  for (const item of placed) {
    const row = rows.at(-1);
    if (row !== undefined && Math.abs(row.y - item.y) < Math.max(row.size, item.size) / 2)
      row.items.push(item);
    else rows.push({ y: item.y, size: item.size, items: [item] });
  }
  return rows.map(({ items: all }) => {
    // Raised type is smaller, and comes first.
    const line = all.reduce((largest, item) => (item.size > largest.size ? item : largest));
    return { y: line.y, size: line.size, pieces: piecesOf(all, line) };
  });
}

/** Rows parted into cells where the same gaps stay empty in three of them or more, and others at wide gaps alone. */
function withCells(rows: readonly Row[]): Row[] {
  const all: Row[] = [];
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (
      end < rows.length &&
      (rows[end]?.pieces.length ?? 0) > 1 &&
      isNear(rows[end - 1], rows[end], end > at)
    )
      end += 1;
    const run = rows.slice(at, Math.max(end, at + 1));
    const gutters = run.length < MIN_ROWS ? [] : commonGaps(run);
    const cells = run.map((row) => joinedAt(row, gutters));
    const pieces = cells.flatMap((row) => row.pieces);
    const words =
      pieces.reduce((sum, { text }) => sum + text.trim().split(/\s+/).length, 0) / pieces.length;
    all.push(
      ...(gutters.length > 0 && words < MIN_WORDS_OF_TEXT
        ? cells
        : run.map((row) => joinedAt(row, []))),
    );
    at += run.length;
  }
  return all;
}

const isNear = (row: Row | undefined, next: Row | undefined, isInRun: boolean): boolean =>
  !isInRun ||
  row === undefined ||
  next === undefined ||
  row.y - next.y < 3 * Math.max(row.size, next.size);

interface Gap {
  from: number;
  to: number;
}

const gapsOf = ({ pieces }: Row): Gap[] =>
  pieces.slice(1).map((piece, at) => ({ from: pieces[at]?.end ?? piece.x, to: piece.x }));

/** What stays empty in all rows, between pieces of each. */
function commonGaps(rows: readonly Row[]): Gap[] {
  const [first, ...others] = rows;
  let common = first === undefined ? [] : gapsOf(first);
  for (const row of others) {
    const own = gapsOf(row);
    common = common.flatMap((gap) =>
      own
        .map(({ from, to }) => ({ from: Math.max(gap.from, from), to: Math.min(gap.to, to) }))
        .filter(({ from, to }) => to - from >= MIN_GUTTER * row.size),
    );
  }
  return common;
}

/** Pieces of a row are one, unless a wide gap or one of the gutters parts them. */
function joinedAt(row: Row, gutters: readonly Gap[]): Row {
  const pieces: Piece[] = [];
  for (const piece of row.pieces) {
    const last = pieces.at(-1);
    const isApart =
      last === undefined ||
      piece.x - last.end > PIECE_GAP * row.size ||
      gutters.some(({ from, to }) => from >= last.end && to <= piece.x);
    if (isApart) pieces.push({ ...piece });
    else {
      last.text =
        last.isRightToLeft || piece.isRightToLeft
          ? `${piece.text} ${last.text}`
          : `${last.text} ${piece.text}`;
      last.isRightToLeft ||= piece.isRightToLeft;
      last.end = piece.end;
    }
  }
  return { ...row, pieces };
}

function piecesOf(
  items: readonly PlacedItem[],
  { y: line, size }: { y: number; size: number },
): Piece[] {
  const pieces: (Omit<Piece, 'isRightToLeft'> & { items: PdfItem[] })[] = [];
  for (const { item, text, x, y, end, size: height } of items.toSorted(
    (one, other) => one.x - other.x,
  )) {
    const piece = pieces.at(-1);
    if (
      piece !== undefined &&
      /^\d{1,3}$/.test(text) &&
      isRaised({ y, height }, { y: line, size })
    ) {
      piece.text += raised(text, piece.text);
      piece.end = end;
      continue;
    }
    const isItem = piece !== undefined && MARK.test(piece.text);
    if (piece === undefined || (x - piece.end > CELL_GAP * size && !isItem))
      pieces.push({ text, x, end, items: [item] });
    else {
      piece.text += x - piece.end > WORD_GAP * size && !/\s$/.test(piece.text) ? ` ${text}` : text;
      piece.end = end;
      piece.items.push(item);
    }
  }
  return pieces.map(({ items: own, text, x, end }) => {
    const isRightToLeft = readsRightToLeft(own);
    return { text: isRightToLeft ? textOfLine(own) : text, x, end, isRightToLeft };
  });
}

/** The places at which pieces begin in a third of the rows, at least two. */
function columnsOf(rows: readonly Row[]): number[] {
  const starts: { x: number; count: number }[] = [];
  for (const { pieces } of rows)
    for (const { x } of pieces) {
      const start = starts.find((each) => Math.abs(each.x - x) < SAME_X);
      if (start === undefined) starts.push({ x, count: 1 });
      else start.count += 1;
    }
  return starts
    .filter(({ count }) => count >= Math.max(2, rows.length / 3))
    .map(({ x }) => x)
    .sort((one, other) => one - other);
}

/** A column that ends before the others leaves one piece to a line. */
const isContinued = ({ pieces, y, size }: Row, run: readonly Row[]): boolean => {
  const last = run.at(-1);
  const [piece] = pieces;
  if (last === undefined || piece === undefined || last.y - y > 2 * size || run.length < MIN_ROWS)
    return false;
  const starts = columnsOf(run);
  const at = starts.findIndex((x) => Math.abs(x - piece.x) < SAME_X);
  return at !== -1 && (starts[at + 1] === undefined || piece.end < (starts[at + 1] ?? 0));
};

function readRun(run: readonly Row[], starts: readonly number[]): PlacedLine[] {
  const columnOf = ({ x }: Piece): number =>
    Math.max(
      0,
      starts.findLastIndex((start) => x >= start - SAME_X),
    );
  const pieces = run.flatMap((row) => row.pieces);
  const words =
    pieces.reduce((sum, { text }) => sum + text.trim().split(/\s+/).length, 0) / pieces.length;
  const columns = readsFromRight(pieces) ? [...starts.keys()].reverse() : [...starts.keys()];
  if (words >= MIN_WORDS_OF_TEXT && starts.length <= MAX_COLUMNS_OF_TEXT)
    return columns.flatMap((column) =>
      run.flatMap((row) => {
        const own = row.pieces.filter((piece) => columnOf(piece) === column);
        return own.length === 0 ? [] : [lineOf(row, own)];
      }),
    );
  return run.map((row) => ({
    ...lineOf(row, row.pieces),
    cells: columns.map((column) =>
      joined(row.pieces.filter((piece) => columnOf(piece) === column)),
    ),
  }));
}

const readsFromRight = (pieces: readonly Piece[]): boolean =>
  pieces.filter(({ isRightToLeft }) => isRightToLeft).length > pieces.length / 3;

const joined = (pieces: readonly Piece[]): string => {
  const texts = pieces.map(({ text }) => text.trim());
  return plainText((readsFromRight(pieces) ? texts.reverse() : texts).join(' '));
};

const lineOf = ({ y, size }: Row, pieces: readonly Piece[]): PlacedLine => ({
  text: joined(pieces),
  size,
  x: pieces[0]?.x ?? 0,
  y,
});
