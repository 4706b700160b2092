import { format, getFormatFromId, isValidFormat } from 'numfmt';
import { leftOut } from '../omissions.ts';
import { cutWarnings, MAX_ROWS, MAX_TABLE_CHARACTERS } from './csv-to-markdown.ts';
import { type DocumentText, NotReadable } from './document-text.ts';
import { type OfficeParts, openOffice, titleOf } from './office-file.ts';
import { Enough, readXml } from './read-xml.ts';
import { type Cell, EMPTY, markdownOfRows } from './tables.ts';

/** Neither drawings and charts nor what is kept of other files. */
const READ =
  /^(?!(?:customXml|docProps|xl\/(?:theme|media|embeddings|charts|drawings|pivotCache|pivotTables|externalLinks))\/).*\.(?:xml|rels)$/i;
const MAX_SHEETS = 100;
const MAX_COLUMNS = 200;
const MAX_ELEMENTS = 2_000_000;
/** Hidden rows and columns, of which each is remembered. */
const MAX_HIDDEN = 200_000;
const MAX_MERGED = 100_000;
/** Excel has 250 in a workbook; the library remembers 1000, and reads any other one again for each cell. */
const MAX_FORMATS = 900;

/**
 * Markdown of a workbook (Office Open XML): the tables of its sheets, with values as they are shown. Hidden sheets, rows and columns,
 * formulas, comments and charts are left out.
 *
 * @throws {NotReadable} When it is encrypted, no such document, unpacks to too much, or has no text.
 */
export async function xlsxToMarkdown(bytes: Uint8Array): Promise<DocumentText> {
  const files = await openOffice(bytes, {
    kind: 'workbook',
    ending: '.xlsx',
    main: 'xl/workbook.xml',
    read: READ,
  });
  const book = openBook(files);
  const parts: { name: string; text: string }[] = [];
  const budget: Budget = {
    rows: MAX_ROWS,
    characters: MAX_TABLE_CHARACTERS,
    elements: MAX_ELEMENTS,
    merged: MAX_MERGED,
    isCut: false,
    hidden: 0,
  };
  for (const { name, part, isHidden } of book.sheets.slice(0, MAX_SHEETS)) {
    if (isHidden) budget.hidden += 1;
    else {
      const table = markdownOfRows(rowsOf(files.get(part) ?? '', book, budget));
      budget.isCut ||= table.isCut;
      parts.push({ name, text: table.text });
    }
  }
  const filled = parts.filter(({ text }) => text !== '');
  const text = filled
    .map((sheet) =>
      filled.length > 1
        ? `## ${sheet.name.replace(/\s+/g, ' ')}\n\n${sheet.text.replace(/^(?=##? )/gm, '#')}`
        : sheet.text,
    )
    .join('\n\n');
  if (text === '') throw new NotReadable('it has no text');
  const warnings = cutWarnings(budget.isCut || book.sheets.length > MAX_SHEETS);
  warnings.push(
    ...leftOut(budget.hidden, 'hidden sheet, row or column', 'hidden sheets, rows or columns', ''),
  );
  return { text, title: titleOf(files), warnings };
}

interface Book {
  sheets: { name: string; part: string; isHidden: boolean }[];
  /** Texts that cells refer to by number. */
  strings: Cell[];
  /** By the number of a style: how numbers are shown, and whether they are struck out. */
  styles: { pattern: string; isStruck: boolean }[];
  is1904: boolean;
}

/** What may still be read of all sheets together. */
interface Budget {
  rows: number;
  characters: number;
  elements: number;
  /** Cells that repeat a merged one. */
  merged: number;
  isCut: boolean;
  hidden: number;
}

function openBook(parts: OfficeParts): Book {
  const targets = new Map<string, string>();
  readXml(parts.get('xl/_rels/workbook.xml.rels') ?? '', {
    open: (name, { Id = '', Target = '' }) => {
      if (name === 'Relationship')
        targets.set(Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`);
    },
  });
  const book: Book = { sheets: [], strings: [], styles: [], is1904: false };
  readXml(parts.get('xl/workbook.xml') ?? '', {
    open: (name, attributes) => {
      if (name === 'workbookPr') book.is1904 = isTrue(attributes.date1904);
      if (name !== 'sheet') return;
      const part = targets.get(attributes['r:id'] ?? '') ?? '';
      book.sheets.push({
        name: attributes.name ?? '',
        part,
        isHidden: /hidden/i.test(attributes.state ?? ''),
      });
    },
  });
  readStrings(parts.get('xl/sharedStrings.xml') ?? '', book);
  readStyles(parts.get('xl/styles.xml') ?? '', book);
  return book;
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

/** A text of several runs is struck out when all of them are; what helps to pronounce it is left out. */
function readStrings(xml: string, { strings }: Book): void {
  let inText = false;
  let aside = 0;
  let runs: { text: string; isStruck: boolean }[] = [];
  let isStruck = false;
  let characters = 0;
  let elements = 0;
  readXml(xml, {
    open: (name, { val }) => {
      elements += 1;
      if (elements > MAX_ELEMENTS) throw new Enough();
      if (name === 'si') runs = [];
      else if (name === 'rPh') aside += 1;
      else if (name === 'r') isStruck = false;
      else if (name === 'strike') isStruck = val === undefined || isTrue(val);
      else if (name === 't') inText = aside === 0;
    },
    text: (text) => {
      characters += inText ? text.length : 0;
      if (characters > 20 * MAX_TABLE_CHARACTERS) throw new Enough();
      if (inText) runs.push({ text, isStruck });
    },
    close: (name) => {
      if (name === 't') inText = false;
      else if (name === 'rPh') aside -= 1;
      else if (name === 'si') {
        strings.push(textOf(runs));
        isStruck = false;
      }
    },
  });
}

const textOf = (runs: { text: string; isStruck: boolean }[]): Cell => {
  const text = runs
    .map((run) => run.text)
    .join('')
    .trim();
  const words = runs.filter((run) => run.text.trim() !== '');
  if (words.every((run) => run.isStruck)) return { text, isStruck: words.length > 0 };
  return words.some((run) => run.isStruck) ? { text, runs } : { text };
};

function readStyles(xml: string, { styles }: Book): void {
  const patterns = new Map<string, string>();
  const struck: boolean[] = [];
  let section = '';
  readXml(xml, {
    open: (name, attributes) => {
      if (name === 'fonts' || name === 'cellXfs' || name === 'cellStyleXfs' || name === 'dxfs')
        section = name;
      if (name === 'numFmt' && section !== 'dxfs' && patterns.size < MAX_FORMATS) {
        const pattern = (attributes.formatCode ?? '').slice(0, 255);
        patterns.set(attributes.numFmtId ?? '', isValidFormat(pattern) ? pattern : 'General');
      }
      if (name === 'font' && section === 'fonts') struck.push(false);
      if (name === 'strike' && section === 'fonts')
        struck[struck.length - 1] = attributes.val === undefined || isTrue(attributes.val);
      if (name !== 'xf' || section !== 'cellXfs') return;
      const id = attributes.numFmtId ?? '0';
      const pattern = patterns.get(id) ?? DATES.get(id) ?? getFormatFromId(Number(id)) ?? 'General';
      styles.push({ pattern, isStruck: struck[Number(attributes.fontId ?? -1)] === true });
    },
  });
}

/** Formats that follow the language of the reader's program: dates are written so that no order of day and month is meant. */
const DATES = new Map([
  ['14', 'yyyy-mm-dd'],
  ['22', 'yyyy-mm-dd h:mm'],
]);

interface Merge {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

const columnOf = (letters: string): number => {
  let number = 0;
  for (const letter of letters.slice(0, 3)) number = number * 26 + letter.charCodeAt(0) - 64;
  return number - 1;
};

/** The rows of a sheet that are shown, merged cells repeated in all rows and columns that they cover. */
function rowsOf(xml: string, book: Book, budget: Budget): Cell[][] {
  const rows = new Map<number, Cell[]>();
  const hiddenRows = new Set<number>();
  const hiddenColumns = new Set<number>();
  const merges: Merge[] = [];
  let marked = 0;
  let at = { row: -1, column: -1 };
  let cell: { type: string; style: number; value: string } | undefined;
  let inValue = false;
  readXml(xml, {
    open: (name, attributes) => {
      budget.elements -= 1;
      if (budget.elements < 0) {
        budget.isCut = true;
        throw new Enough();
      }
      if (name === 'col' && isTrue(attributes.hidden)) {
        const to = Math.min(Number(attributes.max), MAX_COLUMNS);
        for (
          let column = Number(attributes.min);
          column <= to && marked < MAX_HIDDEN;
          column += 1
        ) {
          marked += 1;
          hiddenColumns.add(column - 1);
        }
      } else if (name === 'row') {
        at = {
          row: attributes.r === undefined ? at.row + 1 : Number(attributes.r) - 1,
          column: -1,
        };
        if (!isTrue(attributes.hidden)) budget.rows -= 1;
        else {
          marked += 1;
          hiddenRows.add(at.row);
        }
        if (marked > MAX_HIDDEN || budget.rows < 0 || budget.characters < 0) {
          budget.rows = Math.max(budget.rows, 0);
          budget.isCut = true;
          throw new Enough();
        }
      } else if (name === 'c') {
        const letters = /^[A-Z]{1,3}/.exec(attributes.r ?? '')?.[0];
        at.column = letters === undefined ? at.column + 1 : columnOf(letters);
        cell = { type: attributes.t ?? 'n', style: Number(attributes.s ?? 0), value: '' };
      } else if (name === 'v' || name === 't') inValue = true;
      else if (name === 'mergeCell') addMerge(merges, attributes.ref ?? '');
    },
    text: (text) => {
      if (inValue && cell !== undefined) cell.value += text;
    },
    close: (name) => {
      if (name === 'v' || name === 't') inValue = false;
      if (name !== 'c' || cell === undefined) return;
      if (at.column < MAX_COLUMNS && !hiddenRows.has(at.row) && !hiddenColumns.has(at.column)) {
        const shown = shownValue(cell, book);
        // A cell has a mark beside it.
        budget.characters -= shown.text.length + 2;
        const row = rows.get(at.row) ?? [];
        row[at.column] = shown;
        rows.set(at.row, row);
      }
      cell = undefined;
    },
  });
  budget.hidden += hiddenRows.size + hiddenColumns.size;
  for (const merge of merges) spread(rows, merge, budget);
  return inOrder(rows, { hiddenRows, hiddenColumns });
}

const MAX_MERGES = 5000;

function addMerge(merges: Merge[], reference: string): void {
  const [, left, top, right, bottom] =
    /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(reference) ?? [];
  if (left === undefined || right === undefined || merges.length >= MAX_MERGES) return;
  merges.push({
    top: Number(top) - 1,
    left: columnOf(left),
    bottom: Number(bottom) - 1,
    right: columnOf(right),
  });
}

/** What is alone in its row is a title, however many columns it covers. */
function spread(
  rows: Map<number, Cell[]>,
  { top, left, bottom, right }: Merge,
  budget: Budget,
): void {
  const value = rows.get(top)?.[left];
  if (value === undefined || value.text === '') return;
  const isTitle = top === bottom && (rows.get(top) ?? []).filter((cell) => cell?.text).length === 1;
  if (isTitle) return;
  for (let row = top; row <= Math.min(bottom, top + 1000) && budget.merged >= 0; row += 1) {
    const cells = rows.get(row);
    if (cells === undefined) continue;
    const last = Math.min(right, left + 50, MAX_COLUMNS - 1);
    budget.merged -= last - left + 1;
    if (budget.merged < 0) {
      budget.isCut = true;
      return;
    }
    for (let column = left; column <= last; column += 1) cells[column] = value;
  }
}

/** An empty row stands for all that are missing between two others; columns without a value are left out. */
function inOrder(
  rows: ReadonlyMap<number, Cell[]>,
  {
    hiddenRows,
    hiddenColumns,
  }: { hiddenRows: ReadonlySet<number>; hiddenColumns: ReadonlySet<number> },
): Cell[][] {
  const filled = new Set<number>();
  for (const cells of rows.values())
    cells.forEach(({ text }, column) => {
      // Cells that are not there are passed over.
      if (text !== '') filled.add(column);
    });
  const columns = [...filled]
    .filter((column) => !hiddenColumns.has(column))
    .sort((one, other) => one - other);
  const result: Cell[][] = [];
  let last = -1;
  for (const number of [...rows.keys()].sort((one, other) => one - other)) {
    let missing = false;
    for (let between = last + 1; between < number && !missing; between += 1)
      missing = !hiddenRows.has(between);
    if (missing && result.length > 0) result.push([]);
    last = number;
    const cells = rows.get(number) ?? [];
    result.push(columns.map((column) => cells[column] ?? EMPTY));
  }
  return result;
}

function shownValue(
  { type, style, value }: { type: string; style: number; value: string },
  { strings, styles, is1904 }: Book,
): Cell {
  const { pattern = 'General', isStruck = false } = styles[style] ?? {};
  if (type === 's') {
    const shared = strings[Number(value)] ?? { text: '' };
    return isStruck ? { ...shared, isStruck } : shared;
  }
  if (type === 'e') return { text: '' };
  if (type === 'b') return { text: value === '1' ? 'TRUE' : 'FALSE' };
  if (type !== 'n' || value === '' || Number.isNaN(Number(value)))
    return { text: value.trim(), isStruck };
  return {
    text: numberText(Number(value) + (is1904 && isDate(pattern) ? 1462 : 0), pattern),
    isStruck,
  };
}

const isDate = (pattern: string): boolean =>
  /[ymdhs]/i.test(pattern.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''));

function numberText(value: number, pattern: string): string {
  try {
    return String(format(pattern, value)).replace(/\s+/g, ' ').trim();
  } catch {
    return String(value);
  }
}
