import { load } from 'js-yaml';
import { fenceAfter, type OpenFence, outsideSpans } from '../language/outside-code.ts';
import { labelLine, noteLine } from './note-lines.ts';
import { isNoteName } from './notes.ts';
import { attributesIn } from './tag-attributes.ts';

/** A line that opens a component: `::name`, `:::u-card{title="…"}`, `::note[Title]`. */
const OPENING =
  /^([ \t]{0,80})(:{2,20})([A-Za-z][\w-]{0,60})(?:\[([^\]\n]{0,300})\])?(\{[^\n]{0,2000}\})?[ \t]*$/;
const CLOSING = /^[ \t]{0,80}(:{2,20})[ \t]*$/;
const PAIR_SIGN = /^[ \t]{0,80}::[ \t]*$/m;
/** Deeper ones stay as they are. */
const MAX_DEPTH = 20;

/**
 * Reads the components of Nuxt Content, which stand between lines of two or more colons: `::note` … `::`. Notes become notes,
 * the titles and descriptions of others stand before what they hold; what belongs to their looks goes. A text in which no line has
 * two colons alone has none: there `::name` is a directive without content.
 *
 * @see https://content.nuxt.com/docs/files/markdown (syntax of MDC)
 */
export function withComponents(text: string): string {
  if (!PAIR_SIGN.test(text)) return text;
  const lines = text.split('\n');
  return readBlocks({ lines, ends: endsIn(lines), from: 0, to: lines.length, indent: 0 }, 0).join(
    '\n',
  );
}

interface Blocks {
  lines: readonly string[];
  /** By the index of each line that opens a component: that of the line which closes it. */
  ends: ReadonlyMap<number, number>;
  /** The first line to read, and the one behind the last. */
  from: number;
  to: number;
  /** How far these lines are set in. */
  indent: number;
}

/** Which line closes which component: the nearest open one with as many colons. */
function endsIn(lines: readonly string[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: { at: number; colons: number }[] = [];
  /** How many of them have so many colons. */
  const counts = new Map<number, number>();
  const count = (colons: number, by: number): void => {
    counts.set(colons, (counts.get(colons) ?? 0) + by);
  };
  let fence: OpenFence | undefined;
  for (const [at, line] of lines.entries()) {
    const isCode = fence !== undefined;
    fence = fenceAfter(line, fence);
    if (isCode || fence !== undefined || !line.includes('::')) continue;
    const colons = CLOSING.exec(line)?.[1]?.length;
    if (colons === undefined) {
      const mark = OPENING.exec(line)?.[2];
      if (mark === undefined) continue;
      open.push({ at, colons: mark.length });
      count(mark.length, 1);
      continue;
    }
    if (!counts.get(colons)) continue;
    let opening = open.pop();
    for (; opening !== undefined && opening.colons !== colons; opening = open.pop())
      count(opening.colons, -1);
    if (opening === undefined) continue;
    count(colons, -1);
    ends.set(opening.at, at);
  }
  return ends;
}

function readBlocks({ lines, ends, from, to, indent }: Blocks, depth: number): string[] {
  const out: string[] = [];
  let fence: OpenFence | undefined;
  for (let at = from; at < to; at += 1) {
    const line = withoutIndent(lines[at] ?? '', indent);
    fence = fenceAfter(line, fence);
    const end = depth < MAX_DEPTH ? ends.get(at) : undefined;
    if (end !== undefined) {
      for (const each of readComponent({ lines, ends, from: at, to: end, indent }, depth))
        out.push(each);
      at = end;
    } else if (fence !== undefined) out.push(line);
    else out.push(...readLine(line, depth));
  }
  return out;
}

/** The name of a place in a component: `#title`, `#description{…}`. */
const SLOT = /^[ \t]{0,40}#([a-z][\w-]{0,40})(?:\{[^\n]{0,300}\})?[ \t]*$/;
/** Places that say where a text stands; others, such as `#nuxt` beside `#vue`, say when it holds. */
const LAYOUT =
  /^(?:actions|body|bottom|code|content|default|description|footer|header|headline|icon|label|leading|left|links|preview|right|summary|title|top|trailing)$/;
/** A component without content, alone in its line or as a line break. */
const EMPTY = /^[ \t]{0,80}:[A-Za-z][\w-]{0,60}[ \t]*$/;
const LINE_BREAK = /(?<!\S):br(?!\S)/g;
/** `:badge[New]`: that with attributes is read where directives are. */
const LABELLED = /(?<![^\s(]):[A-Za-z][\w-]{0,60}\[([^\]\n]{1,300})\](?![({])/g;

function readLine(line: string, depth: number): string[] {
  const slot = depth === 0 ? undefined : SLOT.exec(line)?.[1];
  if (slot !== undefined) return LAYOUT.test(slot) ? [''] : ['', labelLine(slot), ''];
  if (EMPTY.test(line)) return [''];
  return [outsideSpans(line, (text) => text.replace(LINE_BREAK, '<br>').replace(LABELLED, '$1'))];
}

/** A component from the line that opens it to the one that closes it. */
function readComponent({ lines, ends, from, to, indent }: Blocks, depth: number): string[] {
  const [, spaces = '', , name = '', label, braces = ''] = OPENING.exec(lines[from] ?? '') ?? [];
  const properties = propertiesIn(lines, from + 1, to);
  const { named } = attributesIn(braces.slice(1, -1));
  const propertyNamed = (key: string): string | undefined =>
    named.get(key) ?? properties.values.get(key);
  const title = label ?? propertyNamed('title') ?? propertyNamed('label') ?? '';
  const description = propertyNamed('description') ?? '';
  const content = readBlocks(
    {
      lines,
      ends,
      from: properties.end,
      to,
      indent: leastIndent(lines, properties.end, to),
    },
    depth + 1,
  );
  const before = spaces.slice(indent);
  const kind = name.replace(/^(?:prose|u)-/, '');
  const isNote = isNoteName(kind);
  const head = isNote ? noteLine(kind, title) : title === '' ? '' : labelLine(title);
  return ['', head, '', description, '', ...content, '', isNote ? '</div>' : '', ''].map((line) =>
    line === '' ? '' : before + line,
  );
}

/** The properties of a component, which stand in YAML between lines of three hyphens, and where its content begins. */
function propertiesIn(
  lines: readonly string[],
  from: number,
  to: number,
): { values: ReadonlyMap<string, string>; end: number } {
  const none = { values: new Map<string, string>(), end: from };
  if (lines[from]?.trim() !== '---') return none;
  const last = Math.min(to, from + 200);
  let end = from + 1;
  while (end < last && lines[end]?.trim() !== '---') end += 1;
  if (end === last) return none;
  return { values: valuesOf(lines.slice(from + 1, end).join('\n')), end: end + 1 };
}

function valuesOf(yaml: string): ReadonlyMap<string, string> {
  try {
    const entries = Object.entries((load(yaml) ?? {}) as object);
    return new Map(
      entries.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
    );
  } catch {
    return new Map();
  }
}

/** The indent that all lines with text have. */
function leastIndent(lines: readonly string[], from: number, to: number): number {
  let least = 80;
  for (let at = from; at < to; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() !== '') least = Math.min(least, line.length - line.trimStart().length);
  }
  return least;
}

const withoutIndent = (line: string, indent: number): string =>
  line.slice(Math.min(indent, line.length - line.trimStart().length));
