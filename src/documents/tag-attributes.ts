import { decodeHTMLAttribute } from 'entities';

/** Most characters that are read of one tag or expression. */
export const MAX_TAG = 20_000;

/** An attribute of a tag: of HTML, a component of JSX, a shortcode or a directive. */
export interface Attribute {
  /** Empty for a value alone: `"Linux"`, `required`. */
  name: string;
  value: string;
  /** Whether the value is code in braces that is no literal. */
  isCode: boolean;
  /** Index behind it. */
  end: number;
}

const NAME = /([@:#A-Za-z_][\w.:-]*)\s{0,20}=\s{0,20}/y;
/** Apostrophes and commas are part of a word, and separate where nothing follows them: `don't`, `1,2`, `a=b, c=d`. */
const WORD = /(?!\/>)[^\s"'`,<>={}](?:(?!\/>)[^\s"'`,<>={}]|[',](?=[^\s"'`,<>={}]))*/y;
const BARE_VALUE = /[^\s>"'=<`,](?:[^\s>"'=<`,]|[',](?=[^\s>"'=<`,]))*/y;
/** A value without quotation marks in a tag of HTML. */
const BARE_VALUE_OF_TAG = /[^\s>"'=<`]+/y;

/** The attribute of a tag that begins here; undefined when there is none, or none that ends before `last`. */
export function attributeAt(text: string, at: number, last: number): Attribute | undefined {
  return readAttribute(text, at, { last, bareValue: BARE_VALUE_OF_TAG, hasReferences: true });
}

function readAttribute(
  text: string,
  at: number,
  { last, bareValue, hasReferences }: { last: number; bareValue: RegExp; hasReferences: boolean },
): Attribute | undefined {
  const [before = '', name = ''] = match(NAME, text, at) ?? [];
  const start = at + before.length;
  const mark = text[start] ?? '';
  if (mark === '"' || mark === "'" || mark === '`') {
    const length = text.slice(start + 1, last).indexOf(mark);
    if (length === -1) return undefined;
    const end = start + length + 2;
    const content = text.slice(start + 1, end - 1);
    return {
      name,
      value: hasReferences ? decodeHTMLAttribute(content) : content,
      isCode: false,
      end,
    };
  }
  if (mark === '{' && name !== '') {
    const end = endOfBraces(text, start);
    if (end === undefined) return undefined;
    const code = text.slice(start + 1, end - 1).trim();
    const literal = literalOf(code);
    return { name, value: literal ?? code, isCode: literal === undefined, end };
  }
  const [value] = match(name === '' ? WORD : bareValue, text, start) ?? [];
  return value === undefined
    ? undefined
    : { name, value, isCode: false, end: start + value.length };
}

/**
 * The attributes of a tag, shortcode or directive by name, and its values without a name in their order.
 *
 * @param text What stands between its marks.
 * @param options.hasReferences Whether `&lt;` in quotation marks stands for `<`. False for values that are
 *   put into Markdown, which reads such references itself: a value that is decoded before would become a tag.
 */
export function attributesIn(
  text: string,
  { hasReferences = true }: { hasReferences?: boolean } = {},
): { named: ReadonlyMap<string, string>; unnamed: readonly string[] } {
  const named = new Map<string, string>();
  const unnamed: string[] = [];
  for (let at = 0; at < text.length; ) {
    const attribute = readAttribute(text, at, {
      last: text.length,
      bareValue: BARE_VALUE,
      hasReferences,
    });
    at = attribute?.end ?? at + 1;
    if (attribute?.name === '') unnamed.push(attribute.value);
    else if (attribute !== undefined) named.set(attribute.name, attribute.value);
  }
  return { named, unnamed };
}

/** The value of a number or a string in code. */
export function literalOf(code: string): string | undefined {
  if (/^-?\d[\d.]*$/.test(code)) return code;
  const text = /^(['"`])((?:(?!\1)[^\\$]|\\.){0,2000})\1$/s.exec(code)?.[2];
  return text?.replace(/\\(.)/g, '$1');
}

/** The end of the braces that open here, strings within them skipped. */
export function endOfBraces(text: string, at: number): number | undefined {
  const last = Math.min(text.length, at + MAX_TAG);
  let depth = 0;
  for (let index = at; index < last; index += 1) {
    const character = text[index];
    if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    } else if (character === '/' && text[index + 1] === '*') {
      const end = text.indexOf('*/', index + 2);
      if (end === -1 || end > last) return undefined;
      index = end + 1;
    } else if (character === '"' || character === "'" || character === '`') {
      const end = endOfString(text, index, last);
      // An apostrophe in text is no string.
      if (end !== undefined && (character === '`' || !text.slice(index, end).includes('\n')))
        index = end;
    }
  }
  return undefined;
}

function endOfString(text: string, at: number, last: number): number | undefined {
  for (let index = at + 1; index < last; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === text[at]) return index;
  }
  return undefined;
}

/** A match of a sticky expression that begins here. */
export function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
