/** A cell of a table drawn with `+`, `-` and `|`. */
export interface GridCell {
  lines: string[];
  isHead: boolean;
  rowSpan: number;
  colSpan: number;
}

interface Place {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

const MAX_LINES = 3000;
const MAX_WIDTH = 2000;
/** Corners and edges that are looked at; a table that needs more is shown as it is drawn. */
const MAX_WORK = 500_000;

/** The lines of a grid that begins here; colons in its edges say how columns are aligned (pandoc). */
export function gridAt(lines: readonly string[], at: number): string[] | undefined {
  if (!/^\+(?::?-+:?\+)+$/.test(lines[at] ?? '')) return undefined;
  let next = at;
  while (next < lines.length && /^[+|]/.test(lines[next] ?? '') && next - at < MAX_LINES) next += 1;
  return lines
    .slice(at, next)
    .map((line) => (line.startsWith('+') ? line.replace(/:(?=[-=])|(?<=[-=]):/g, '-') : line));
}

/** Follows the edges of each cell from its upper left corner (the algorithm of docutils). */
export function readGrid(drawn: readonly string[]): GridCell[][] | undefined {
  const width = drawn[0]?.length ?? 0;
  if (width > MAX_WIDTH || drawn.length < 3) return undefined;
  const at = (y: number, x: number): string => drawn[y]?.[x] ?? ' ';
  let work = 0;
  const isEdge = (y: number, from: number, to: number): boolean => {
    work += to - from;
    for (let x = from; x <= to; x += 1) if (!/[-+=]/.test(at(y, x))) return false;
    return true;
  };
  const isSide = (x: number, from: number, to: number): boolean => {
    work += to - from;
    for (let y = from; y <= to; y += 1) if (!/[|+]/.test(at(y, x))) return false;
    return true;
  };
  const find = (top: number, left: number): Place | undefined => {
    for (let right = left + 1; right < width && /[-+=]/.test(at(top, right)); right += 1) {
      if (at(top, right) !== '+') continue;
      for (
        let bottom = top + 1;
        bottom < drawn.length && /[|+]/.test(at(bottom, right)) && /[|+]/.test(at(bottom, left));
        bottom += 1
      ) {
        work += 1;
        if (work > MAX_WORK) return undefined;
        if (at(bottom, right) !== '+' || at(bottom, left) !== '+') continue;
        if (isEdge(bottom, left, right) && isSide(right, top, bottom))
          return { top, left, bottom, right };
      }
    }
    return undefined;
  };
  const cells: Place[] = [];
  const corners: [number, number][] = [[0, 0]];
  const seen = new Set<string>();
  for (let corner = corners.shift(); corner !== undefined; corner = corners.shift()) {
    const [top, left] = corner;
    const key = `${top} ${left}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const size = find(top, left);
    if (work > MAX_WORK) return undefined;
    if (size === undefined) continue;
    cells.push(size);
    corners.push([top, size.right], [size.bottom, left], [size.bottom, size.right]);
  }
  if (cells.length === 0) return undefined;
  const headEnd = drawn.findIndex((line) => /^\+(?:=+\+)+$/.test(line));
  return rowsOf(cells, drawn, headEnd);
}

function rowsOf(cells: readonly Place[], drawn: readonly string[], headEnd: number): GridCell[][] {
  const tops = placesOf(cells.map(({ top }) => top));
  const lefts = placesOf(cells.map(({ left }) => left));
  const between = (places: ReadonlyMap<number, number>, from: number, to: number): number =>
    (places.get(to) ?? [...places.keys()].filter((place) => place < to).length) -
    (places.get(from) ?? 0);
  const byTop = Map.groupBy(cells, ({ top }) => top);
  return [...tops.keys()].map((row) =>
    (byTop.get(row) ?? [])
      .toSorted((one, other) => one.left - other.left)
      .map(({ top, left, bottom, right }) => ({
        lines: drawn.slice(top + 1, bottom).map((line) => line.slice(left + 1, right)),
        isHead: top < headEnd,
        rowSpan: between(tops, top, bottom),
        colSpan: between(lefts, left, right),
      })),
  );
}

/** Each value with its place among them. */
const placesOf = (values: readonly number[]): Map<number, number> =>
  new Map(
    [...new Set(values)].sort((one, other) => one - other).map((value, place) => [value, place]),
  );
