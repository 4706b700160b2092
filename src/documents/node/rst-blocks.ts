import type { Element } from 'hast';
import { element, words } from '../hast.ts';
import { isAdornment, type RstDocument } from './rst-document.ts';
import { readExplicit } from './rst-explicit.ts';
import { readInline } from './rst-inline.ts';
import {
  type BlockPlace,
  codeBlock,
  indentedFrom,
  indentOf,
  paragraph,
  type Read,
  trimmedLines,
} from './rst-lines.ts';
import { readGridTable, readSimpleTable } from './rst-tables.ts';

const MAX_DEPTH = 24;

/** Reads lines without a common indentation, as a document or the body of a block has them. */
export function readBlocks(lines: readonly string[], document: RstDocument, depth = 0): Element[] {
  if (depth > MAX_DEPTH) return [element('p', [words(lines.map((line) => line.trim()).join(' '))])];
  const blocks: Element[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at] === '') {
      at += 1;
      continue;
    }
    const place = { lines, at, document, depth };
    const read = READERS.map((reader) => () => reader(place)).reduce<Read | undefined>(
      (found, next) => found ?? next(),
      undefined,
    );
    const { blocks: taken, next } = read ?? readParagraph(place);
    for (const block of taken) addBlock(blocks, block);
    at = Math.max(next, at + 1);
  }
  return blocks;
}

/** Lists of terms that follow each other are one. */
function addBlock(blocks: Element[], block: Element): void {
  const last = blocks.at(-1);
  if (block.tagName === 'dl' && last?.tagName === 'dl') last.children.push(...block.children);
  else blocks.push(block);
}

const heading = (title: string, mark: string, document: RstDocument): Element => {
  if (!document.adornments.includes(mark)) document.adornments.push(mark);
  const level = Math.min(document.adornments.indexOf(mark) + 1, 6);
  return element(`h${level}`, readInline(title.trim(), document));
};

type Reader = (place: BlockPlace) => Read | undefined;

/** Indented lines: a quotation, or only set in. */
const readQuote: Reader = ({ lines, at, document, depth }) => {
  if (indentOf(lines[at] ?? '') === 0) return undefined;
  const { body, next } = indentedFrom(lines, at);
  const blocks = readBlocks(body, document, depth + 1);
  const isQuote =
    blocks.length > 0 && blocks.every(({ tagName }) => tagName === 'p') && depth === 0;
  return { blocks: isQuote ? [element('blockquote', blocks)] : blocks, next };
};

const BULLET = /^([-*+•‣⁃])(?:\s+|$)/;

const readBullets: Reader = ({ lines, at, document, depth }) => {
  const mark = BULLET.exec(lines[at] ?? '')?.[1];
  if (mark === undefined) return undefined;
  const items: Element[] = [];
  let next = at;
  for (;;) {
    const line = lines[next] ?? '';
    const match = BULLET.exec(line);
    if (match?.[1] !== mark) break;
    const item = itemFrom(lines, next, match[0].length, { document, depth });
    items.push(element('li', item.blocks));
    next = item.next;
    while (next < lines.length && lines[next] === '') next += 1;
  }
  return { blocks: [element('ul', items)], next };
};

/** An item whose text begins behind its mark. */
function itemFrom(
  lines: readonly string[],
  at: number,
  width: number,
  { document, depth }: { document: RstDocument; depth: number },
): Read {
  const first = (lines[at] ?? '').slice(width);
  const { body, next } = indentedFrom(lines, at + 1, 1);
  const isBlank = body.every((line) => line === '');
  // Text that goes on further in than the first line does, is part of it all the same.
  const follows = lines[at + 1] !== '' && body[0] !== undefined;
  const indent = follows ? indentOf(lines[at + 1] ?? '') : width;
  const shift = Math.min(indent, width);
  const rest = isBlank
    ? []
    : lines
        .slice(at + 1, next)
        .map((line) => (indentOf(line) >= shift ? line.slice(shift) : line.trimStart()));
  return {
    blocks: readBlocks([first, ...rest], document, depth + 1),
    next: isBlank ? at + 1 : next,
  };
}

const ENUMERATOR = /^(?:(\()?(\d{1,9}|[a-zA-Z]|[ivxlcdmIVXLCDM]{1,8}|#)[.)])(?:\s+|$)/;

const readEnumerated: Reader = ({ lines, at, document, depth }) => {
  const first = enumerated(lines, at);
  if (first === undefined) return undefined;
  const items: Element[] = [];
  let next = at;
  for (
    let label: typeof first | undefined = first;
    label !== undefined && label.sign === first.sign;
    label = enumerated(lines, next)
  ) {
    const item = itemFrom(lines, next, label.width, { document, depth });
    items.push(element('li', item.blocks));
    next = item.next;
    while (next < lines.length && lines[next] === '') next += 1;
  }
  const start = /^\d+$/.test(first.number) ? Number(first.number) : 1;
  return { blocks: [element('ol', items, start === 1 ? {} : { start })], next };
};

function enumerated(
  lines: readonly string[],
  at: number,
): { width: number; sign: string; number: string } | undefined {
  const [all, open = '', number = ''] = ENUMERATOR.exec(lines[at] ?? '') ?? [];
  if (all === undefined) return undefined;
  const following = lines[at + 1] ?? '';
  // A line of text may begin with a number or an initial.
  if (following !== '' && indentOf(following) === 0 && !ENUMERATOR.test(following))
    return undefined;
  if (isAdornment(following)) return undefined;
  const kind = /^[\d#]/.test(number) ? '1' : 'a';
  return { width: all.length, sign: `${open}${kind}${all.trim().at(-1)}`, number };
}

const FIELD = /^:((?!\s)(?:[^:\\]|\\.|:(?!\s|$|`)){1,200}):(?:\s+(.*))?$/;

/** What a program reads of a document, and no reader sees. */
const FILE_FIELDS =
  /^(?:orphan|tocdepth|nocomments|no-?search|hide-.*|html_theme.*|sd_hide_title|sourcedir|slug|tags|category|date|modified|status|lang|template|og:.*|icon|layout|meta.*|description|keywords)$/i;

const readFields: Reader = ({ lines, at, document, depth }) => {
  if (!FIELD.test(lines[at] ?? '')) return undefined;
  const fields: { name: string; lines: string[] }[] = [];
  const types = new Map<string, string>();
  let next = at;
  while (next < lines.length) {
    const [all, name = '', first = ''] = FIELD.exec(lines[next] ?? '') ?? [];
    if (all === undefined) break;
    const { body, next: after } = indentedFrom(lines, next + 1);
    next = after;
    while (next < lines.length && lines[next] === '' && FIELD.test(lines[next + 1] ?? ''))
      next += 1;
    const typed = /^(?:type|paramtype|vartype)\s+(\S+)$/.exec(name)?.[1];
    if (typed !== undefined) types.set(typed, [first, ...body].join(' ').trim());
    else fields.push({ name, lines: [first, ...body] });
  }
  const isFile = depth === 0 && isBeforeText(lines, at);
  const shown = fields.filter(({ name }) => !(isFile && FILE_FIELDS.test(name)));
  return { blocks: shown.map((field) => fieldOf(field, { types, document, depth })), next };
};

/** Whether only titles, comments and directives stand before a line. */
function isBeforeText(lines: readonly string[], at: number): boolean {
  for (let line = at - 1; line >= Math.max(0, at - 60); line -= 1) {
    const text = lines[line] ?? '';
    const isTitle = isAdornment(text) || isAdornment(lines[line + 1] ?? '');
    if (text !== '' && !isTitle && !/^(?:\.\.|\s)/.test(text)) return false;
  }
  return at < 60;
}

/** `:param int x: text` describes `x (int)`. */
function fieldOf(
  { name, lines }: { name: string; lines: readonly string[] },
  {
    types,
    document,
    depth,
  }: { types: ReadonlyMap<string, string>; document: RstDocument; depth: number },
): Element {
  const [, kind = '', rest = ''] = /^(\w+)\s+(.+)$/.exec(name) ?? [];
  const isParameter =
    /^(?:param|parameter|arg|argument|key|keyword|kwarg|var|ivar|cvar|raises?|except|exception|type|vartype|query|form|jsonparam|reqheader|resheader|status|json|reqjson|resjson)$/.test(
      kind,
    );
  const [, before, variable = rest] = /^(.{1,100})\s(\S+)$/.exec(rest) ?? [];
  const type = before ?? types.get(variable);
  const term = !isParameter
    ? readInline(name.charAt(0).toUpperCase() + name.slice(1), document)
    : [element('code', [words(variable)]), ...(type === undefined ? [] : [words(` (${type})`)])];
  const blocks = readBlocks(trimmedLines(lines), document, depth + 1);
  const [body] = blocks;
  if (blocks.length <= 1 && (body === undefined || body.tagName === 'p'))
    return element('p', [
      element('strong', isParameter ? term : [...term, words(':')]),
      words(isParameter ? ': ' : ' '),
      ...(body?.children ?? []),
    ]);
  return element('dl', [element('dt', term), element('dd', blocks)]);
}

const OPTION =
  /^((?:--?|\/)[\w?][\w.-]{0,60}(?:[ =](?:<[^<>]{1,60}>|[A-Za-z][\w-]{0,60}))?(?:, (?:--?|\/)[\w?][\w.-]{0,60}(?:[ =](?:<[^<>]{1,60}>|[A-Za-z][\w-]{0,60}))?){0,6})(?: {2,}(\S.*))?$/;

/** `-a, --all  Shows all.` */
const readOptions: Reader = ({ lines, at, document, depth }) => {
  const isOption = (line: number): boolean => {
    const match = OPTION.exec(lines[line] ?? '');
    return match !== null && (match[2] !== undefined || indentOf(lines[line + 1] ?? '') > 0);
  };
  if (!isOption(at)) return undefined;
  const children: Element[] = [];
  let next = at;
  while (isOption(next)) {
    const [, options = '', first = ''] = OPTION.exec(lines[next] ?? '') ?? [];
    const { body, next: after } = indentedFrom(lines, next + 1);
    children.push(
      element('dt', [element('code', [words(options)])]),
      element('dd', readBlocks(trimmedLines([first, ...body]), document, depth + 1)),
    );
    next = after;
    while (lines[next] === '' && isOption(next + 1)) next += 1;
  }
  return { blocks: [element('dl', children)], next };
};

const readDoctest: Reader = ({ lines, at }) => {
  if (!/^>>>(?:\s|$)/.test(lines[at] ?? '')) return undefined;
  let next = at;
  while (next < lines.length && lines[next] !== '') next += 1;
  return { blocks: [codeBlock(lines.slice(at, next), 'python')], next };
};

/** `| text`: lines that end where they end. */
const readLineBlock: Reader = ({ lines, at, document }) => {
  if (!/^\|(?:\s|$)/.test(lines[at] ?? '')) return undefined;
  const texts: string[] = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (/^\|(?:\s|$)/.test(line)) texts.push(line.slice(1).trim());
    else if (line !== '' && indentOf(line) > 0) texts.push(`${texts.pop() ?? ''} ${line.trim()}`);
    else break;
  }
  const children = texts.flatMap((text, index) => [
    ...(index === 0 ? [] : [element('br', [])]),
    ...readInline(text, document),
  ]);
  return { blocks: [element('p', children)], next };
};

/** A title between two lines, or a line that stands alone. */
const readOverlined: Reader = ({ lines, at, document }) => {
  const line = lines[at] ?? '';
  if (!isAdornment(line) && !/^([!-/:-@[-`{-~])\1$/.test(line)) return undefined;
  const title = lines[at + 1] ?? '';
  if (title !== '' && lines[at + 2] === line && isAdornment(line))
    return { blocks: [heading(title, `${line.slice(0, 1)} `, document)], next: at + 3 };
  if (
    title.trim() !== '' &&
    isAdornment(lines[at + 2] ?? '') &&
    lines[at + 2]?.[0] === line[0] &&
    isAdornment(line)
  )
    return { blocks: [heading(title, `${line.slice(0, 1)} `, document)], next: at + 3 };
  return line.length >= 4 && title === '' ? { blocks: [], next: at + 1 } : undefined;
};

const readTitled: Reader = ({ lines, at, document }) => {
  const title = lines[at] ?? '';
  const line = lines[at + 1] ?? '';
  if (!/^([!-/:-@[-`{-~])\1*$/.test(line) || isAdornment(title)) return undefined;
  if (line.length < Math.min(4, title.length) || line === '::' || line === '..') return undefined;
  return { blocks: [heading(title, line.slice(0, 1), document)], next: at + 2 };
};

/** A term, and what is set in below it. */
const readDefinitions: Reader = ({ lines, at, document, depth }) => {
  const line = lines[at] ?? '';
  const following = lines[at + 1] ?? '';
  if (following === '' || indentOf(following) === 0 || line.endsWith('::')) return undefined;
  const { body, next } = indentedFrom(lines, at + 1);
  const [term = '', ...classifiers] = line.split(/\s+:\s+/);
  const isCode = /^[\w-]+(?:,\s[\w-]+)*$/.test(term) && classifiers.length > 0;
  const shown = [
    ...(isCode ? [element('code', [words(term)])] : readInline(term, document)),
    ...(classifiers.length === 0
      ? []
      : [words(' ('), ...readInline(classifiers.join(', '), document), words(')')]),
  ];
  const children = [element('dt', shown), element('dd', readBlocks(body, document, depth + 1))];
  return { blocks: [element('dl', children)], next };
};

/** A paragraph, and the literal block that it announces with two colons. */
function readParagraph({ lines, at, document }: BlockPlace): Read {
  let next = at + 1;
  while (next < lines.length) {
    const line = lines[next] ?? '';
    if (line === '' || indentOf(line) > 0) break;
    if (/^\.\.(?:\s|$)/.test(line) && /^\.\. (?:_[^:]+:|[\w:+-]+::|\|)/.test(line)) break;
    next += 1;
  }
  const text = lines.slice(at, next).join('\n');
  if (!text.endsWith('::')) return { blocks: [paragraph(text, document)], next };
  const plain =
    text === '::' ? '' : /\s::$/.test(text) ? text.slice(0, -2).trimEnd() : text.slice(0, -1);
  const blocks = plain === '' ? [] : [paragraph(plain, document)];
  let from = next;
  while (from < lines.length && lines[from] === '') from += 1;
  if (indentOf(lines[from] ?? '') > 0) {
    const { body, next: after } = indentedFrom(lines, from);
    return { blocks: [...blocks, codeBlock(body, document.highlight)], next: after };
  }
  // Lines that all begin with the same mark.
  const mark = /^[!-/:-@[-`{-~]/.exec(lines[from] ?? '')?.[0];
  let after = from;
  if (mark !== undefined && !/^\.\. /.test(lines[from] ?? ''))
    while (lines[after]?.startsWith(mark) === true) after += 1;
  if (after === from || isAdornment(lines[from] ?? '')) return { blocks, next };
  return {
    blocks: [...blocks, codeBlock(lines.slice(from, after), document.highlight)],
    next: after,
  };
}

const READERS: readonly Reader[] = [
  readQuote,
  readBullets,
  readEnumerated,
  readFields,
  readOptions,
  readDoctest,
  readLineBlock,
  readGridTable,
  readSimpleTable,
  readExplicit,
  readOverlined,
  readTitled,
  readDefinitions,
];
