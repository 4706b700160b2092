import type { BlockContent, List, ListItem, PhrasingContent, Root } from 'mdast';
import { type DocumentText, openingHeading, titleIn } from './read-html.ts';
import { writeMarkdown } from './write-markdown.ts';

/**
 * Reads plain text as people set it: paragraphs whose lines are wrapped are joined, other lines end where they end; underlined lines and
 * those with a `#` are headings, lines with a mark or a number are items, lines in columns stay as they are. Nothing in it is markup.
 */
export function readText(text: string): DocumentText {
  const lines = text.split('\n').map((line) => line.replaceAll('\t', '    ').trimEnd());
  const blocks = readBlocks(lines);
  const tree: Root = { type: 'root', children: blocks };
  return {
    text: written(blocks),
    title: titleIn(tree) ?? openingHeading(tree),
    warnings: [],
    omitted: [],
  };
}

/** Blocks and items that are written at once: what the library needs for them goes before the next ones. */
const MAX_WRITTEN = 2000;

/** Part by part; a long list is parted between items. */
function written(blocks: readonly BlockContent[]): string {
  const parts: string[] = [];
  let open: BlockContent[] = [];
  const write = (part: BlockContent[]): string => writeMarkdown({ type: 'root', children: part });
  for (const block of blocks) {
    const isLong = block.type === 'list' && block.children.length > MAX_WRITTEN;
    if (isLong || open.length >= MAX_WRITTEN) {
      parts.push(write(open));
      open = [];
    }
    if (isLong)
      parts.push(
        partsOf(block)
          .map((part) => write([part]))
          .join('\n'),
      );
    else open.push(block);
  }
  parts.push(write(open));
  return parts.filter((part) => part !== '').join('\n\n');
}

/** No list with numbers is that long: they have three digits. */
function partsOf(list: List): List[] {
  return Array.from({ length: Math.ceil(list.children.length / MAX_WRITTEN) }, (_, at) => ({
    ...list,
    children: list.children.slice(at * MAX_WRITTEN, (at + 1) * MAX_WRITTEN),
  }));
}

/** A line of one sign, under or over a title, or between parts. */
const RULE = /^\s{0,40}(?:([=\-~^*#"'+._:])\1{2,}|([-*_])(?: {1,3}\2){2,})\s*$/;
const ITEM = /^(\s{0,40})([-*+•‣·–]|\d{1,3}[.)]|\(\d{1,3}\)|[a-z][.)])\s+(?=\S)/;
const MAX_TITLE = 120;
/** "## Title" above an empty line, as people write it in plain text too. */
const MARKED_TITLE = /^(#{1,6}) {1,3}([^#\s].{0,118}?)(?: #{1,6})?$/;
/** Lines that end where they end: more are joined. */
const MAX_BREAKS = 20_000;

interface Reading {
  lines: readonly string[];
  /** Signs of underlines in the order in which they were met: each is a level. */
  marks: string[];
  breaks: number;
}

function readBlocks(lines: readonly string[]): BlockContent[] {
  const reading: Reading = { lines, marks: [], breaks: 0 };
  const blocks: BlockContent[] = [];
  for (let at = 0; at < lines.length; ) {
    if (lines[at] === '' || (RULE.test(lines[at] ?? '') && !isTitle(lines, at + 1))) {
      at += 1;
      continue;
    }
    const { block, next } =
      readTitle(reading, at, blocks.length === 0) ??
      readList(reading, at) ??
      readLines(reading, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

interface Read {
  block: BlockContent;
  next: number;
}

const isTitle = (lines: readonly string[], at: number): boolean => {
  const title = (lines[at] ?? '').trim();
  const under = lines[at + 1] ?? '';
  if (title === '' || title.length > MAX_TITLE || RULE.test(title) || !RULE.test(under))
    return false;
  const length = under.trim().length;
  return (
    length >= Math.min(title.length, 20) / 2 &&
    length <= 2 * title.length + 8 &&
    (lines[at - 1] ?? '').trim().length !== title.length
  );
};

/** A title with a line of signs under it, also one above it; the first line of a text, where it stands alone and ends like no sentence. */
function readTitle({ lines, marks }: Reading, at: number, isFirst: boolean): Read | undefined {
  const [, signs, marked] = MARKED_TITLE.exec(lines[at] ?? '') ?? [];
  if (signs !== undefined && marked !== undefined && (lines[at + 1] ?? '') === '')
    return { block: heading(marked, signs.length), next: at + 1 };
  const start = RULE.test(lines[at] ?? '') ? at + 1 : at;
  const title = (lines[start] ?? '').trim();
  const isBelowText =
    start === at && at > 0 && lines[at - 1] !== '' && !RULE.test(lines[at - 1] ?? '');
  if (isTitle(lines, start) && !isBelowText && !ITEM.test(lines[start] ?? '')) {
    const mark = (start > at ? 'over' : '') + (lines[start + 1] ?? '').trim().charAt(0);
    if (!marks.includes(mark)) marks.push(mark);
    return { block: heading(title, marks.indexOf(mark) + 1), next: start + 2 };
  }
  const isAlone = lines[at + 1] === '' && lines.slice(at + 2, at + 5).some((line) => line !== '');
  if (
    !isFirst ||
    !isAlone ||
    title.length > 80 ||
    /[.!?;:,。！？…]$/.test(title) ||
    ITEM.test(lines[at] ?? '')
  )
    return undefined;
  if (!/\p{L}/u.test(title)) return undefined;
  // What is underlined later stands below it.
  if (marks.length === 0) marks.push('');
  return { block: heading(title, 1), next: at + 1 };
}

const heading = (title: string, level: number): BlockContent => ({
  type: 'heading',
  depth: Math.min(level, 6) as 1,
  children: [{ type: 'text', value: title }],
});

const MAX_LEVELS = 8;

/** Items that follow each other, those that are set in further within those above them. */
function readList(reading: Reading, at: number): Read | undefined {
  const { lines } = reading;
  const first = ITEM.exec(lines[at] ?? '');
  if (first === null) return undefined;
  const levels: { indent: number; list: List }[] = [];
  let next = at;
  for (
    let match: RegExpExecArray | null = first;
    match !== null;
    match = ITEM.exec(lines[next] ?? '')
  ) {
    const [all, space = '', mark = ''] = match;
    const isOrdered = /\d/.test(mark);
    while (levels.length > 1 && (levels.at(-1)?.indent ?? 0) > space.length) levels.pop();
    const last = levels.at(-1);
    const item = itemOf(reading, next, all.length);
    if (last === undefined || (space.length > last.indent && levels.length < MAX_LEVELS)) {
      const list = listOf(isOrdered, mark);
      last?.list.children.at(-1)?.children.push(list);
      levels.push({ indent: space.length, list });
    } else if (last.list.ordered !== isOrdered || (isOrdered && !follows(last.list, mark))) {
      if (levels.length === 1) break;
      const list = listOf(isOrdered, mark);
      levels.at(-2)?.list.children.at(-1)?.children.push(list);
      levels[levels.length - 1] = { indent: space.length, list };
    }
    levels.at(-1)?.list.children.push(item.item);
    next = item.next;
    let below = next;
    while (below < lines.length && lines[below] === '') below += 1;
    if (ITEM.test(lines[below] ?? '')) next = below;
  }
  const [outer] = levels;
  return outer === undefined ? undefined : { block: outer.list, next };
}

const numberOf = (mark: string): number => Number(/\d+/.exec(mark)?.[0] ?? 1);
const follows = ({ start, children }: List, mark: string): boolean =>
  numberOf(mark) === (start ?? 1) + children.length;

const listOf = (ordered: boolean, mark: string): List => ({
  type: 'list',
  ordered,
  spread: false,
  ...(ordered ? { start: numberOf(mark) } : {}),
  children: [],
});

function itemOf(reading: Reading, at: number, width: number): { item: ListItem; next: number } {
  const { lines } = reading;
  let next = at + 1;
  while (
    next < lines.length &&
    lines[next] !== '' &&
    !ITEM.test(lines[next] ?? '') &&
    !isTitle(lines, next)
  )
    next += 1;
  const own = [(lines[at] ?? '').slice(width), ...lines.slice(at + 1, next)];
  return { item: { type: 'listItem', spread: false, children: [paragraphOf(own, reading)] }, next };
}

/** Lines in columns: what stands below each other belongs together. */
const IN_COLUMNS = /\S {3,}\S/;

function readLines(reading: Reading, at: number): Read {
  const { lines } = reading;
  let next = at + 1;
  while (
    next < lines.length &&
    lines[next] !== '' &&
    !RULE.test(lines[next] ?? '') &&
    !isTitle(lines, next) &&
    !ITEM.test(lines[next] ?? '')
  )
    next += 1;
  const own = lines.slice(at, next);
  const inColumns = own.filter((line) => IN_COLUMNS.test(line)).length;
  if (own.length > 1 && inColumns > own.length / 2)
    return { block: { type: 'code', value: own.join('\n') }, next };
  return { block: paragraphOf(own, reading), next };
}

/** No line of wrapped text is shorter than this. */
const MIN_WIDTH = 40;
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/;

/** A line was wrapped where the first word of the next one had no room in it. */
function paragraphOf(written: readonly string[], reading: Reading): BlockContent {
  const lines = written.map((line) => line.trim()).filter((line) => line !== '');
  const width = Math.max(
    MIN_WIDTH,
    lines.reduce((longest, { length }) => Math.max(longest, length), 0),
  );
  const children: PhrasingContent[] = [];
  let text = '';
  for (const [at, line] of lines.entries()) {
    text += line;
    const next = lines[at + 1];
    if (next === undefined) continue;
    const isFull = line.length + 1 + (/^\S+/.exec(next)?.[0].length ?? 0) > width;
    if (isFull || reading.breaks >= MAX_BREAKS) {
      text += CJK.test(line.at(-1) ?? '') && CJK.test(next.charAt(0)) ? '' : ' ';
      continue;
    }
    reading.breaks += 1;
    children.push({ type: 'text', value: text }, { type: 'break' });
    text = '';
  }
  children.push({ type: 'text', value: text });
  return { type: 'paragraph', children };
}
