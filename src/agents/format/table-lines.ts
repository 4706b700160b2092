/**
 * Writes the rows of Markdown tables as lines that stand alone, each cell with the head of its column:
 * `| Quiet | 25 | 31 |` below `| Mode | Model A | Model B |` reads `Quiet: Model A 25, Model B 31`. A single column of
 * values needs no head.
 */
export const tablesAsLines = (markdown: string): string => {
  let head: readonly string[] | undefined;
  const lines = markdown.split('\n');
  const written = lines.flatMap((line, at) => {
    if (!isRow(line)) {
      head = undefined;
      return [line];
    }
    if (isDelimiter(line)) return [];
    if (isDelimiter(lines[at + 1] ?? '')) {
      head = cellsOf(line);
      return [];
    }
    return [sentenceOf(cellsOf(line), head)];
  });
  return written.join('\n');
};

const sentenceOf = ([first = '', ...rest]: readonly string[], head: readonly string[] | undefined): string => {
  const headOf = (at: number): string => (rest.length > 1 ? (head?.[at + 1] ?? '') : '');
  const named = rest.flatMap((cell, at) => (cell === '' ? [] : [`${headOf(at)} ${cell}`.trim()]));
  return named.length === 0 ? first : `${first}: ${named.join(', ')}`;
};

/** Longer lines are not read as table rows. */
const isRow = (line: string): boolean => line.length <= 4000 && /^ *\|.*\| *$/.test(line);

const isDelimiter = (line: string): boolean => isRow(line) && /^[|:\- ]+$/.test(line) && line.includes('-');

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
