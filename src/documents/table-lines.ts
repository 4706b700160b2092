import { CODE_SPAN } from '../language/outside-code.ts';
import { type GridCell, gridAt, readGrid } from './grid-table.ts';

/** Tables that are drawn as a grid (pandoc, MyST), with Markdown in their cells. */
export function withGrids(lines: string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const drawn = gridAt(lines, at);
    if (drawn === undefined) {
      out.push(lines[at] ?? '');
      continue;
    }
    const rows = readGrid(drawn);
    if (rows === undefined) {
      for (const line of lines.slice(at, at + drawn.length)) out.push(line);
      at += drawn.length - 1;
      continue;
    }
    const cells = rows.map((row) => row.flatMap(cellLines));
    out.push('', '<table>', ...cells.flatMap((row) => ['<tr>', ...row, '</tr>']), '</table>', '');
    at += drawn.length - 1;
  }
  return out;
}

function cellLines({ lines, isHead, rowSpan, colSpan }: GridCell): string[] {
  const tag = isHead ? 'th' : 'td';
  const indent = Math.min(
    ...lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)?.[0].length ?? 0),
  );
  const text = lines.map((line) => line.slice(Math.min(indent, line.length)).trimEnd());
  return [`<${tag} rowspan="${rowSpan}" colspan="${colSpan}">`, '', ...text, '', `</${tag}>`];
}

const DELIMITERS = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

const MAX_ROW = 5000;

/**
 * Tables in which code has the mark between cells: where a row would get more cells than its table has columns, the marks in code are
 * text, as generators other than GitHub read them.
 */
export function withCellsWhole(lines: readonly string[]): string[] {
  let columns = 0;
  return lines.map((line, at) => {
    const next = lines[at + 1] ?? '';
    if (!line.includes('|') || line.length > MAX_ROW) columns = 0;
    else if (columns === 0 && next.includes('|') && next.length <= MAX_ROW && DELIMITERS.test(next))
      columns = cellsIn(next);
    if (columns < 2 || !line.includes('`') || cellsIn(line) <= columns) return line;
    const escaped = line.replace(CODE_SPAN, (code) => code.replace(/(?<!\\)\|/g, '\\|'));
    return cellsIn(escaped) === columns ? escaped : line;
  });
}

const cellsIn = (row: string): number =>
  row
    .trim()
    .replace(/^>[ \t>]*/, '')
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/).length;
