import type { PdfItem } from './pdf-text.ts';

/** Items of a page that follow each other, and whether all of their lines are set in a font of one width. */
interface Segment {
  isCode: boolean;
  items: PdfItem[];
}

/** A single line of one width that stands closer to the one above, in sizes of its type, may be the end of a paragraph. */
const MIN_GAP = 1.35;

/** Parts code from text: a line is code when nothing in it is set in another font. */
export function codeSegments(items: readonly PdfItem[]): Segment[] {
  if (!items.some(({ isFixed }) => isFixed === true)) return [{ isCode: false, items: [...items] }];
  const mixed = new Set<number>();
  for (const item of items) if (!isBlank(item) && item.isFixed !== true) mixed.add(heightOf(item));
  const isCode = (item: PdfItem): boolean =>
    item.isFixed === true && [-1, 0, 1].every((move) => !mixed.has(heightOf(item) + move));
  const segments: Segment[] = [];
  for (const item of items) {
    const last = segments.at(-1);
    if (last !== undefined && (isBlank(item) || last.isCode === isCode(item)))
      last.items.push(item);
    else segments.push({ isCode: isCode(item), items: [item] });
  }
  return joined(segments);
}

const isBlank = ({ str = '' }: PdfItem): boolean => str.trim() === '';
const heightOf = ({ transform = [] }: PdfItem): number => Math.round(transform[5] ?? 0);

/** What is no listing goes back to the text around it. */
function joined(segments: readonly Segment[]): Segment[] {
  const result: Segment[] = [];
  for (const segment of segments) {
    const last = result.at(-1);
    const isCode =
      segment.isCode &&
      isListing(
        segment.items,
        last?.items.findLast((item) => !isBlank(item)),
      );
    if (last !== undefined && last.isCode === isCode) last.items.push(...segment.items);
    else result.push({ isCode, items: [...segment.items] });
  }
  return result;
}

function isListing(items: readonly PdfItem[], above: PdfItem | undefined): boolean {
  const filled = items.filter((item) => !isBlank(item));
  const [first] = filled;
  if (first === undefined) return false;
  if (above === undefined || filled.some((item) => heightOf(item) !== heightOf(first))) return true;
  const gap = heightOf(above) - heightOf(first);
  return gap < 0 || gap > MIN_GAP * (first.height ?? 10);
}

/** The lines of a listing from top to bottom, with the spaces that their places tell. */
export function linesOfCode(
  items: readonly PdfItem[],
): { text: string; size: number; x: number; y: number }[] {
  const filled = items.filter((item) => !isBlank(item));
  const placeOf = ({ transform = [] }: PdfItem): number => transform[4] ?? 0;
  const left = Math.min(...filled.map(placeOf));
  const width =
    sum(filled.map((item) => item.width ?? 0)) / sum(filled.map(({ str = '' }) => str.length)) || 1;
  const rows = Map.groupBy(filled, heightOf);
  return [...rows]
    .sort(([one], [other]) => other - one)
    .map(([y, row]) => {
      const text = row
        .toSorted((one, other) => placeOf(one) - placeOf(other))
        .reduce((line, item) => {
          const column = Math.min(Math.round((placeOf(item) - left) / width), MAX_COLUMNS);
          return line.padEnd(column) + (item.str ?? '');
        }, '');
      return {
        text: text.trimEnd(),
        size: Math.max(...row.map(({ height = 0 }) => height)),
        x: left,
        y,
      };
    });
}

const MAX_COLUMNS = 400;
const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
