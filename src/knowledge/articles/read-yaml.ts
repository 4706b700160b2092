import { commentAt } from './yaml-comment.ts';
import {
  foldedLines,
  MAX_DEPTH,
  NotRead,
  readFlow,
  readQuoted,
  STARTS_PLAIN,
  scalarOf,
  type YamlValue,
} from './yaml-flow.ts';

/**
 * Reads a YAML mapping as it stands in front matter: block and flow mappings and sequences, plain, quoted and block scalars,
 * comments. Anchors, aliases, tags, complex keys and further documents are not read; what is read means the same everywhere.
 *
 * @param source At most some 16,000 characters: lines are looked at more than once.
 * @returns Undefined when the text is no such mapping; empty for a text without any node.
 */
export const readYamlMapping = (source: string): Record<string, YamlValue> | undefined => {
  try {
    const reader = blockReader(linesOf(source));
    const value = reader.block(0, 0);
    if (!reader.isAtEnd()) return undefined;
    if (value === null) return {};
    return typeof value === 'object' && !Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof NotRead) return undefined;
    throw error;
  }
};

const MAX_FLOW_LINES = 100;

interface Line {
  indent: number;
  /** Without indent and trailing white space. */
  text: string;
  /** With all white space. */
  raw: string;
}

const linesOf = (source: string): Line[] =>
  source
    .replace(/\n$/, '')
    .split(/\r\n|\r|\n/)
    .map((raw) => {
      const text = raw.trimStart();
      const indent = raw.length - text.length;
      // Where a tab may stand is a chapter of its own.
      if (raw.includes('\t') || /[^ ]/.test(raw.slice(0, indent))) throw new NotRead();
      if (/^(?:---|\.\.\.|%)/.test(raw)) throw new NotRead();
      return { indent, text: text.trimEnd(), raw };
    });

const isSequenceItem = (text: string): boolean => text === '-' || /^-\s/.test(text);
const isEmpty = (text: string): boolean => text === '' || text.startsWith('#');

/** Reads nodes from lines, one behind the other. */
const blockReader = (lines: Line[]) => {
  let at = 0;

  /** The next line that says something; blank lines and comments are passed over. */
  const peek = (): Line | undefined => {
    while (at < lines.length && isEmpty(lines[at]?.text ?? '')) at += 1;
    return lines[at];
  };

  /** The node that begins on the next line, if that is indented at least so far; null without one. */
  const block = (minIndent: number, depth: number): YamlValue => {
    if (depth > MAX_DEPTH) throw new NotRead();
    const line = peek();
    if (line === undefined || line.indent < minIndent) return null;
    if (isSequenceItem(line.text)) return sequence(line.indent, depth);
    const key = keyOf(line.text);
    if (key !== undefined) return mapping(line.indent, depth);
    at += 1;
    return inline(line.text, minIndent - 1);
  };

  const mapping = (indent: number, depth: number): YamlValue => {
    const entries = new Map<string, YamlValue>();
    for (let line = peek(); line?.indent === indent; line = peek()) {
      const key = keyOf(line.text);
      if (key === undefined || entries.has(key.name)) throw new NotRead();
      at += 1;
      entries.set(key.name, valueAfter(key.rest, { indent, depth }));
    }
    if ((peek()?.indent ?? -1) > indent) throw new NotRead();
    return Object.fromEntries(entries);
  };

  /** A list may stand below its key without being indented further. */
  const valueAfter = (rest: string, { indent, depth }: { indent: number; depth: number }): YamlValue => {
    if (!isEmpty(rest)) return inline(rest, indent);
    const next = peek();
    if (next?.indent === indent && isSequenceItem(next.text)) return sequence(indent, depth + 1);
    return block(indent + 1, depth + 1);
  };

  const sequence = (indent: number, depth: number): YamlValue[] => {
    const items: YamlValue[] = [];
    for (let line = peek(); line?.indent === indent && isSequenceItem(line.text); line = peek()) {
      const rest = line.text.slice(1).trimStart();
      if (isEmpty(rest)) {
        at += 1;
        items.push(block(indent + 1, depth + 1));
      } else {
        // What follows the dash is a node like one on a line of its own, indented so far.
        lines[at] = { ...line, indent: indent + line.text.length - rest.length, text: rest };
        items.push(block(indent + 1, depth + 1));
      }
    }
    if ((peek()?.indent ?? -1) > indent) throw new NotRead();
    return items;
  };

  /** A node that begins behind its key, and goes on over lines indented further than that. */
  const inline = (first: string, indent: number): YamlValue => {
    if (/^[|>]/.test(first)) return blockScalar(first, indent);
    if (/^["'[{]/.test(first)) return flowOver(first, indent);
    let text = plainPart(first);
    let isOpen = text === first;
    let blanks = 0;
    for (; isOpen && at < lines.length; at += 1) {
      const line = lines[at];
      if (line === undefined || (line.text !== '' && (line.indent <= indent || line.text.startsWith('#')))) break;
      if (line.text === '') {
        blanks += 1;
        continue;
      }
      const part = plainPart(line.text, { isFirst: false });
      text += (blanks > 0 ? '\n'.repeat(blanks) : ' ') + part;
      blanks = 0;
      isOpen = part === line.text;
    }
    return scalarOf(text);
  };

  /** Lines are added until what the first one opens is closed. */
  const flowOver = (first: string, indent: number): YamlValue => {
    let text = first;
    // Each further line has all of them read again.
    for (let lineCount = 0; lineCount < MAX_FLOW_LINES; lineCount += 1) {
      const read = readFlow(text);
      if (read !== undefined) {
        const rest = text.slice(read.end);
        if (rest.trim() !== '' && !/^\s+#/.test(rest)) throw new NotRead();
        return read.value;
      }
      const line = lines[at];
      if (line === undefined || (line.text !== '' && line.indent <= indent)) throw new NotRead();
      text += `\n${line.text}`;
      at += 1;
    }
    throw new NotRead();
  };

  const blockScalar = (header: string, indent: number): string => {
    const [, style, marks = ''] = /^([|>])([-+]?[1-9]?[-+]?)(?:\s+#.*)?$/.exec(header) ?? [];
    if (style === undefined || /\d/.test(marks) || marks.length > 1) throw new NotRead();
    const body: Line[] = [];
    for (; at < lines.length; at += 1) {
      const line = lines[at];
      if (line === undefined || (line.text !== '' && line.indent <= indent)) break;
      body.push(line);
    }
    const own = body.find(({ text }) => text !== '')?.indent ?? 0;
    if (body.some(({ indent: each, text }) => text !== '' && each < own)) throw new NotRead();
    if (body.some(({ text, raw }) => text === '' && raw.length > own)) throw new NotRead();
    // Whether a last line of spaces counts as one is told by what follows it.
    if (marks === '+' && body.some(({ text, raw }) => text === '' && raw !== '')) throw new NotRead();
    const texts = body.map(({ text, raw }) => (text === '' ? '' : raw.slice(own)));
    let last = texts.length;
    while (last > 0 && texts[last - 1] === '') last -= 1;
    // Breaks before the text, and of lines that are indented further, are kept, which no title needs.
    if (
      style === '>' &&
      texts.slice(0, last).some((text, place) => text.startsWith(' ') || (place === 0 && text === ''))
    )
      throw new NotRead();
    const kept = style === '|' ? texts.slice(0, last).join('\n') : foldedLines(texts.slice(0, last));
    if (marks === '-' || (last === 0 && marks === '')) return kept;
    return kept + (marks === '+' ? '\n'.repeat(texts.length - last + (last > 0 ? 1 : 0)) : '\n');
  };

  return { block, isAtEnd: () => peek() === undefined };
};

/** The key that a line begins with, and what stands behind its colon. */
const keyOf = (text: string): { name: string; rest: string } | undefined => {
  if (/^["']/.test(text)) {
    const read = readQuoted(text, 0);
    const colon = read && /^\s*:(?=\s|$)/.exec(text.slice(read.end));
    return read && colon ? { name: read.value, rest: text.slice(read.end + colon[0].length).trim() } : undefined;
  }
  if (!STARTS_PLAIN.test(text)) return undefined;
  const colon = /:(?=\s|$)/.exec(text);
  const name = text.slice(0, colon?.index ?? 0).trimEnd();
  // Keys are compared as texts here: one that is a number or nothing would be more than one way to write the same.
  if (!colon || name === '' || / #/.test(name)) return undefined;
  if (typeof scalarOf(name) !== 'string') throw new NotRead();
  return { name, rest: text.slice(colon.index + 1).trim() };
};

/** A line's part of a plain scalar, without its comment. */
const plainPart = (line: string, { isFirst = true } = {}): string => {
  const comment = commentAt(line);
  const text = comment === undefined ? line : line.slice(0, comment).trimEnd();
  if ((isFirst && !STARTS_PLAIN.test(text)) || /:(?=\s|$)/.test(text)) throw new NotRead();
  return text;
};
