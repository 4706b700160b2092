/** What a YAML node comes to (YAML 1.2.2, core schema). */
export type YamlValue = string | number | boolean | null | YamlValue[] | { [key: string]: YamlValue };

/** The text is no YAML, or uses more of it than front matter needs. */
export class NotRead extends Error {}

/** A front matter nests two or three deep. */
export const MAX_DEPTH = 20;

/** A node, and where it ends. */
interface Read<T> {
  value: T;
  end: number;
}

/** A quoted scalar or flow collection at the beginning of a text; undefined while it is not closed. */
export const readFlow = (text: string): Read<YamlValue> | undefined => readFlowNode(text, 0, 0);

const readFlowNode = (text: string, from: number, depth: number): Read<YamlValue> | undefined => {
  if (depth > MAX_DEPTH) throw new NotRead();
  const mark = text[from];
  if (mark === '"' || mark === "'") return readQuoted(text, from);
  if (mark === '[') return readFlowItems(text, from, depth);
  if (mark === '{') return readFlowMapping(text, from, depth);
  const [plain = ''] = /^[^,[\]{}\n]*/.exec(text.slice(from)) ?? [];
  const end = from + plain.length;
  if (end >= text.length) return undefined;
  // A scalar over several lines, a comment or a pair within a list: not needed, and easily taken for something else.
  const isSimple = STARTS_PLAIN.test(plain) && !/#|:(?=\s|$)|:$/.test(plain) && text[end] !== '\n';
  if (!isSimple) throw new NotRead();
  return { value: scalarOf(plain.trim()), end };
};

const skipSpace = (text: string, from: number): number => from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0);

const readFlowItems = (text: string, from: number, depth: number): Read<YamlValue[]> | undefined => {
  const value: YamlValue[] = [];
  let at = skipSpace(text, from + 1);
  while (at < text.length) {
    if (text[at] === ']') return { value, end: at + 1 };
    const item = readFlowNode(text, at, depth + 1);
    if (item === undefined) return undefined;
    value.push(item.value);
    at = skipSpace(text, item.end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    else if (at < text.length && text[at] !== ']') throw new NotRead();
  }
  return undefined;
};

const readFlowMapping = (text: string, from: number, depth: number): Read<{ [key: string]: YamlValue }> | undefined => {
  const entries = new Map<string, YamlValue>();
  let at = skipSpace(text, from + 1);
  while (at < text.length) {
    if (text[at] === '}') return { value: Object.fromEntries(entries), end: at + 1 };
    const [, name = '', space = ''] = /^([\w-]+)(:\s+)/.exec(text.slice(at)) ?? [];
    if (name === '' || entries.has(name) || typeof scalarOf(name) !== 'string') throw new NotRead();
    const item = readFlowNode(text, at + name.length + space.length, depth + 1);
    if (item === undefined) return undefined;
    entries.set(name, item.value);
    at = skipSpace(text, item.end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    else if (at < text.length && text[at] !== '}') throw new NotRead();
  }
  return undefined;
};

export const readQuoted = (text: string, from: number): Read<string> | undefined => {
  const quote = text[from] ?? '';
  const [whole] = (quote === '"' ? DOUBLE_QUOTED : SINGLE_QUOTED).exec(text.slice(from)) ?? [];
  if (whole === undefined) return undefined;
  const inner = whole.slice(1, -1);
  const folded = inner.includes('\n') ? foldedQuote(inner) : inner;
  const value = quote === "'" ? folded.replaceAll("''", "'") : unescaped(folded);
  return { value, end: from + whole.length };
};

/** White space goes around the breaks, and stays at the two ends of the text. */
const foldedQuote = (inner: string): string => {
  // An escaped break joins two words, and an escaped space is none that goes.
  if (/\\[^\S\n]*\n/.test(inner)) throw new NotRead();
  return foldedLines(
    inner.split('\n').map((line, at, { length }) => {
      const begun = at === 0 ? line : line.trimStart();
      return at === length - 1 ? begun : begun.trimEnd();
    }),
  );
};

const DOUBLE_QUOTED = /^"(?:[^"\\]|\\[\s\S])*"/;
const SINGLE_QUOTED = /^'(?:[^']|'')*'(?!')/;

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '"': '"',
  '\\': '\\',
  '/': '/',
  ' ': ' ',
  0: '\0',
};

const unescaped = (text: string): string =>
  text.replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([\s\S]))/g, (_, two, four, one) => {
    const code = two ?? four;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    const character = Object.hasOwn(ESCAPES, one) ? ESCAPES[one] : undefined;
    if (character === undefined) throw new NotRead();
    return character;
  });

/**
 * One break between lines is a space; of more, the first goes (YAML 1.2.2, section 6.5). The first and the last line hold
 * the text's own ends, so that they are never blank ones between two breaks.
 */
export const foldedLines = (texts: readonly string[]): string => {
  const isBlank = (at: number) => texts[at] === '' && at > 0 && at < texts.length - 1;
  return texts.reduce((folded, text, at) => {
    if (at === 0) return text;
    if (isBlank(at)) return `${folded}\n`;
    return isBlank(at - 1) ? folded + text : `${folded} ${text}`;
  }, '');
};

/** Indicators begin no plain scalar, but `-`, `?` and `:` may where more follows at once (YAML 1.2.2, section 7.3.3). */
export const STARTS_PLAIN = /^(?:[^\s\-?:,[\]{}#&*!|>'"%@`]|[-?:](?=\S))/;

/** The value of a plain scalar (core schema, YAML 1.2.2, section 10.3.2). */
export const scalarOf = (text: string): YamlValue => {
  if (/^(?:~|null|Null|NULL)?$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  if (/^0(?:o[0-7]+|x[0-9a-fA-F]+)$/.test(text) || /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/.test(text))
    return NUMBER_LIKE;
  if (/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) return Number(text);
  return text;
};

/** A number is no text, whichever it is. */
const NUMBER_LIKE = 0;
