/** An open block quote or list item while the lines of a Markdown text are read (CommonMark 0.31.2, section 5). */
export interface Container {
  /** `>` for a quote; for a list item its bullet, or the delimiter after its number. */
  mark: string;
  /** Indentation of an item's content relative to its list, in columns; 0 for a quote. */
  width: number;
  /** Whether the item has no content yet. */
  isEmpty: boolean;
}

/** The rest of a line after its container markers. */
export interface Line {
  start: number;
  end: number;
  /** Position and column of the next non-space character; the end of the line for a blank rest. */
  at: number;
  column: number;
  /** Current column, which may lie within a tab. */
  from: number;
}

/** A line before any of its markers is read. */
export const lineAt = (markdown: string, start: number, end: number): Line => ({
  ...{ start, end, from: 0 },
  ...firstVisible(markdown, start, end, 0),
});

/** Returns how many open containers the line continues, and consumes their markers. */
export const goOn = (markdown: string, containers: readonly Container[], line: Line): number => {
  for (const [index, container] of containers.entries()) {
    const indent = line.column - line.from;
    const isBlank = line.at === line.end;
    if (container.mark === '>') {
      if (isBlank || indent > 3 || markdown[line.at] !== '>') return index;
      readQuoteMark(markdown, line);
    } else if (isBlank ? container.isEmpty : indent < container.width) return index;
    else if (!isBlank) {
      line.from += container.width;
      container.isEmpty = false;
    }
  }
  return containers.length;
};

/**
 * Opens the quotes and items that begin on the line, and consumes their markers.
 *
 * @param options.depth Number of containers that already contain the line.
 * @param options.isInterrupting Whether a paragraph in the same containers is open.
 */
export const openContainers = (
  markdown: string,
  line: Line,
  { depth, isInterrupting }: { depth: number; isInterrupting: boolean },
): Container[] => {
  const opened: Container[] = [];
  while (line.at < line.end && line.column - line.from < 4 && depth + opened.length < MAX_DEPTH) {
    if (markdown[line.at] === '>') {
      readQuoteMark(markdown, line);
      opened.push({ mark: '>', width: 0, isEmpty: false });
      continue;
    }
    const item = readItemMark(markdown, line, isInterrupting && opened.length === 0);
    if (!item) break;
    opened.push(item);
  }
  return opened;
};

const readQuoteMark = (markdown: string, line: Line): void => {
  const next = markdown[line.at + 1];
  line.from = line.column + (next === ' ' || next === '\t' ? 2 : 1);
  Object.assign(line, firstVisible(markdown, line.at + 1, line.end, line.column + 1));
};

/** Only a non-empty item that is the first of its list can interrupt a paragraph. */
const readItemMark = (markdown: string, line: Line, isInterrupting: boolean): Container | undefined => {
  const [mark = '', number] = ITEM.exec(markdown.slice(line.at, Math.min(line.end, line.at + 12))) ?? [];
  if (mark === '' || RULE.test(markdown.slice(line.at, line.end))) return undefined;
  const rest = firstVisible(markdown, line.at + mark.length, line.end, line.column + mark.length);
  const isEmpty = rest.at === line.end;
  if (isInterrupting && (isEmpty || (number !== undefined && Number(number) !== 1))) return undefined;
  const gap = rest.column - line.column - mark.length;
  const padding = isEmpty || gap > 4 ? 1 : gap;
  const width = line.column - line.from + mark.length + padding;
  Object.assign(line, rest, { from: line.from + width });
  return { mark: mark.slice(-1), width, isEmpty };
};

const firstVisible = (markdown: string, from: number, end: number, startColumn: number) => {
  let at = from;
  let column = startColumn;
  for (; at < end && (markdown[at] === ' ' || markdown[at] === '\t'); at += 1)
    column += markdown[at] === '\t' ? 4 - (column % 4) : 1;
  return { at, column };
};

const ITEM = /^(?:[-*+]|(\d{1,9})[.)])(?=[ \t]|$)/;
/** A thematic break (section 4.1), from its first character. */
export const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const MAX_DEPTH = 50;
