import { type PdfItem, readsRightToLeft } from './pdf-text.ts';

/** A text of a page, with its place in points from the lower left corner. */
interface Box {
  item: PdfItem;
  x: number;
  end: number;
  y: number;
  size: number;
}

/** What stays empty between two columns, as a share of the size of the type. */
const GUTTER = 0.7;
/** Lines that each of two columns has. */
const MIN_LINES = 5;
/** Words between wide gaps on average, as in prose; cells of tables have fewer. */
const MIN_WORDS = 3.5;
const WORD = /\p{L}+/gu;
/** As a share of the size of the type. */
const PIECE_GAP = 1.2;
/** Lines of a column begin within so many points of one another. */
const SAME_X = 3;
const MAX_DEPTH = 6;
/** Texts of a page that is divided; a page of letters that are each drawn alone has some 5,000. */
const MAX_TEXTS = 10_000;
/** Places at which columns may begin that are tried. */
const MAX_PLACES = 12;

/**
 * The parts of a page in reading order: where columns of prose stand side by side, what is above them, each column, what is below. Lines
 * of columns need not stand at the same heights.
 */
export function regionsOf(items: readonly PdfItem[]): PdfItem[][] {
  let last: Box | undefined;
  const boxes = items.map((item): Box => {
    const { str = '', height = 0, width = 0, transform = [] } = item;
    const [, , , , x = 0, y = 0] = transform;
    // The end of a line has no place of its own.
    if (str.trim() === '' && last !== undefined) return { ...last, item };
    last = { item, x, end: x + width, y, size: height || 10 };
    return last;
  });
  const upright = boxes.filter((box) => !isTurned(box));
  const turned = boxes.filter(isTurned);
  const isNote = turned.length < upright.length / 2;
  const regions = isNote
    ? [...divided(upright, 0), ...(turned.length === 0 ? [] : [turned])]
    : divided(boxes, 0);
  return regions.map((region) => region.map(({ item }) => item));
}

/** Text along the side of a page. */
const isTurned = ({ item: { transform: [across = 1, up = 0] = [] } }: Box): boolean =>
  Math.abs(up) > Math.abs(across);

function divided(boxes: readonly Box[], depth: number): Box[][] {
  const cut = depth < MAX_DEPTH && boxes.length <= MAX_TEXTS ? widestCut(boxes) : undefined;
  if (cut === undefined) return boxes.length === 0 ? [] : [[...boxes]];
  const { top, bottom, x } = cut;
  const between = boxes.filter(({ y }) => y <= top && y >= bottom);
  const columns = [between.filter((box) => box.x < x), between.filter((box) => box.x >= x)];
  if (readsRightToLeft(between.map(({ item }) => item))) columns.reverse();
  const parts = [boxes.filter(({ y }) => y > top), ...columns, boxes.filter(({ y }) => y < bottom)];
  return parts.flatMap((part) => divided(part, depth + 1));
}

/** Heights between which a gutter stays empty, and the place to the right of it. */
interface Cut {
  top: number;
  bottom: number;
  x: number;
  lines: number;
}

/** The cut between most lines of prose. */
function widestCut(boxes: readonly Box[]): Cut | undefined {
  const filled = boxes
    .filter(({ item }) => (item.str ?? '').trim() !== '')
    .sort((one, other) => other.y - one.y);
  let best: Cut | undefined;
  for (const x of placesOf(filled)) {
    let run: Box[] = [];
    const end = (): void => {
      const cut = cutOf(run, x);
      if (cut !== undefined && cut.lines > (best?.lines ?? 0)) best = cut;
      run = [];
    };
    for (const box of filled)
      if (box.x < x - 0.5 && box.end > x - GUTTER * box.size) end();
      else run.push(box);
    end();
  }
  return best;
}

/** Places at which many texts begin, and so may the lines of columns. */
function placesOf(boxes: readonly Box[]): number[] {
  const counts = new Map<number, number>();
  for (const { x } of boxes) counts.set(Math.round(x), (counts.get(Math.round(x)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= MIN_LINES)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_PLACES)
    .map(([x]) => x - 1);
}

function cutOf(run: readonly Box[], x: number): Cut | undefined {
  const left = linesOf(run.filter((box) => box.x < x));
  const right = linesOf(run.filter((box) => box.x >= x));
  const lines = Math.min(left.length, right.length);
  if (lines < MIN_LINES || !isProse(left) || !isProse(right)) return undefined;
  // Prose begins at the gutter; numbers and labels stand anywhere.
  const starts = right.filter((line) => Math.abs(line.x - x) < SAME_X).length;
  if (starts < right.length / 3) return undefined;
  const heights = [...left, ...right].map(({ y }) => y);
  return { top: Math.max(...heights), bottom: Math.min(...heights), x, lines };
}

interface Line {
  x: number;
  y: number;
  boxes: Box[];
}

/** Lines of texts that are sorted from top to bottom. */
function linesOf(boxes: readonly Box[]): Line[] {
  const lines: Line[] = [];
  for (const box of boxes) {
    const line = lines.at(-1);
    if (line === undefined || line.y - box.y > box.size / 2)
      lines.push({ x: box.x, y: box.y, boxes: [box] });
    else {
      line.boxes.push(box);
      line.x = Math.min(line.x, box.x);
    }
  }
  return lines;
}

/** Words between wide gaps; those of several columns are in one line here. */
function isProse(lines: readonly Line[]): boolean {
  let words = 0;
  let pieces = 0;
  for (const { boxes } of lines) {
    let end = Number.NEGATIVE_INFINITY;
    for (const box of boxes.toSorted((one, other) => one.x - other.x)) {
      if (box.x - end > PIECE_GAP * box.size) pieces += 1;
      words += (box.item.str ?? '').match(WORD)?.length ?? 0;
      end = box.end;
    }
  }
  return words >= MIN_WORDS * pieces;
}
