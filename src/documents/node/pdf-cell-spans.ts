/** How many columns and rows a cell covers. */
export interface CellSpan {
  colSpan: number;
  rowSpan: number;
}

/** Objects that a stream packs (ISO 32000-2, 7.5.7). */
export interface PackedObjects {
  dictionary: string;
  text: string;
}

/** Characters of an object and of a list in it that are read; those of cells are short. */
const MAX_OBJECT = 4000;
/** Objects that are looked at. */
const MAX_OBJECTS = 200_000;
const MAX_DEPTH = 6;
/** Elements that are followed from cells to their content. */
const MAX_STEPS = 100_000;
const OBJECT = /(\d{1,9})\s{1,3}\d{1,5}\s{1,3}obj\b/g;
const SPAN = /\/(Row|Col)Span\s{0,3}(\d{1,4})/g;

/**
 * Finds the cells of tables that cover several rows or columns in the structure of a PDF (ISO 32000-2, 14.8.5.7): the library reads the
 * tree of a page without its attributes. A file that is encrypted has none that can be found.
 *
 * @returns By the id of the first marked content of a cell, as the library names it: `p12R_mc5`.
 */
export function cellSpansIn(
  file: Buffer,
  packed: readonly PackedObjects[],
): ReadonlyMap<string, CellSpan> {
  const spans = new Map<string, CellSpan>();
  const isNamed =
    file.includes('/RowSpan') ||
    file.includes('/ColSpan') ||
    packed.some(({ text }) => /\/(?:Row|Col)Span/.test(text));
  if (!isNamed) return spans;
  const objects = objectsIn(file.toString('latin1'), packed);
  const steps = { left: MAX_STEPS };
  for (const object of objects.values()) {
    const span = spanOf(object, objects);
    const id =
      span === undefined ? undefined : contentOf(object, { page: '', objects, depth: 0, steps });
    if (span !== undefined && id !== undefined) spans.set(id, span);
  }
  return spans;
}

function objectsIn(text: string, packed: readonly PackedObjects[]): Map<string, string> {
  const objects = new Map<string, string>();
  for (const match of text.matchAll(OBJECT)) {
    const start = match.index + match[0].length;
    objects.set(match[1] ?? '', text.slice(start, start + MAX_OBJECT).split('endobj', 1)[0] ?? '');
    if (objects.size >= MAX_OBJECTS) return objects;
  }
  for (const { dictionary, text: inner } of packed) {
    const first = Number(/\/First\s{0,3}(\d{1,9})/.exec(dictionary)?.[1]);
    const numbers = inner.slice(0, first).match(/\d+/g) ?? [];
    for (let at = 0; at + 1 < numbers.length && objects.size < MAX_OBJECTS; at += 2) {
      const start = first + Number(numbers[at + 1]);
      const end = first + Number(numbers[at + 3] ?? inner.length);
      objects.set(numbers[at] ?? '', inner.slice(start, Math.min(end, start + MAX_OBJECT)));
    }
  }
  return objects;
}

/** The attributes of a cell, its own or by reference; undefined for an object that is no cell, or covers one place. */
function spanOf(object: string, objects: ReadonlyMap<string, string>): CellSpan | undefined {
  if (!/\/(?:K|Pg)\b/.test(object) || !object.includes('/A')) return undefined;
  const [, list = ''] = /\/A\s{0,3}(\[[^\]]{0,1000}\]|\d{1,9} \d{1,5} R)/.exec(object) ?? [];
  const attributes = [object, ...references(list).map((number) => objects.get(number) ?? '')];
  const span: CellSpan = { colSpan: 1, rowSpan: 1 };
  for (const each of attributes)
    for (const [, direction, count] of each.matchAll(SPAN))
      span[direction === 'Row' ? 'rowSpan' : 'colSpan'] = Math.max(1, Number(count));
  return span.colSpan > 1 || span.rowSpan > 1 ? span : undefined;
}

const references = (text: string): string[] =>
  Array.from(text.matchAll(/(\d{1,9})\s{1,3}\d{1,5}\s{1,3}R\b/g), ([, number = '']) => number);

interface Place {
  /** Number of the object of the page. */
  page: string;
  objects: ReadonlyMap<string, string>;
  depth: number;
  steps: { left: number };
}

/** The first marked content below an element of the structure. */
function contentOf(object: string, { page, objects, depth, steps }: Place): string | undefined {
  steps.left -= 1;
  const own = /\/Pg\s{0,3}(\d{1,9})\s/.exec(object)?.[1] ?? page;
  const marked = /\/MCID\s{0,3}(\d{1,9})/.exec(object)?.[1];
  if (marked !== undefined) return `p${own}R_mc${marked}`;
  const [, kids = ''] = /\/K\s{0,3}(\[[^\]]{0,2000}\]|\d{1,9}(?:\s\d{1,5}\sR)?)/.exec(object) ?? [];
  const [, number, reference] =
    /^\[?\s{0,9}(\d{1,9})(?:\s{1,3}\d{1,5}\s{1,3}(R)\b)?/.exec(kids) ?? [];
  if (number === undefined) return undefined;
  if (reference === undefined) return `p${own}R_mc${number}`;
  if (depth >= MAX_DEPTH || steps.left < 0) return undefined;
  for (const kid of references(kids)) {
    const id = contentOf(objects.get(kid) ?? '', { page: own, objects, depth: depth + 1, steps });
    if (id !== undefined || steps.left < 0) return id;
  }
  return undefined;
}
