import { parseJson } from '../contract/core/json-object.ts';

/** The members that an object must have to be the one that was asked for, all of them or some. */
export interface Wanted {
  names: readonly string[];
  how: 'all' | 'some';
}

/**
 * The object that a model's text is or holds: behind its reasoning (`<think>`), in a fence, within prose. A trailing comma and a raw line
 * break in a string are forgiven, an object that is cut off is not. Whoever asked validates the rest.
 *
 * @param wanted The first object that has these members counts.
 * @returns As JSON; `undefined` when there is none.
 */
export function jsonObjectIn(text: string, wanted: Wanted): string | undefined {
  const whole = text.trim();
  const json = parseJson(whole);
  if (isObjectWith(json, wanted)) return whole;
  if (typeof json === 'string') return jsonObjectIn(json, wanted);
  const from = afterReasoning(text);
  if (from === undefined) return undefined;
  for (let at = text.indexOf('{', from); at !== -1; ) {
    const object = readObject(text, at);
    if (object === undefined) return undefined;
    const read = parseJson(object.json);
    if (isObjectWith(read, wanted)) return object.json;
    const named = objectBelowName(read, wanted);
    if (named !== undefined) return JSON.stringify(named);
    at = text.indexOf('{', object.end);
  }
  return undefined;
}

/** Members of an object around the one that was asked for: its name, or the name of a function and its arguments. */
const MAX_NAMES = 3;

/** The object that was asked for as the value of a member: `{"answer": {…}}`, `{"name": "answer", "arguments": {…}}`. */
const objectBelowName = (value: unknown, wanted: Wanted): unknown => {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = Object.entries(value);
  if (members.length > MAX_NAMES) return undefined;
  // The members of a schema are described below `properties`, not given.
  return members.find(
    ([name, member]) => name !== 'properties' && isObjectWith(member, wanted),
  )?.[1];
};

/** A text without the reasoning that it begins with; empty when the reasoning does not end. */
export function withoutReasoning(text: string): string {
  if (!OPENING.test(text)) return text;
  const from = afterReasoning(text);
  return from === undefined ? '' : text.slice(from).trimStart();
}

// The names are those of the templates of models: Qwen and DeepSeek, Seed, Magistral, Kimi, Sky-T1, gpt-oss.
const OPENING =
  /^\s*(?:<(?:seed:)?(?:think|thinking|thought|reasoning|reflection)\b|\[think\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|>analysis)/i;
const CLOSING =
  /<\/(?:seed:)?(?:think|thinking|thought|reasoning|reflection)>|\[\/think\]|◁\/think▷|<\|end_of_thought\|>|<\|channel\|>final[^{]{0,40}<\|message\|>/i;
/** How reasoning begins, as far as a text may have got that is still open. */
const OPENINGS = [
  ...['<thinking', '<thought', '<reasoning', '<reflection', '<seed:think', '[think]', '◁think▷'],
  ...['<|begin_of_thought|>', '<|channel|>analysis'],
];
/** In UTF-16 units: longer than any mark. */
const MARK_LENGTH = 80;

/**
 * The place at which a model's reasoning ends; its beginning may be missing, where the template of the model writes it.
 *
 * @returns 0 without reasoning, `undefined` when it does not end.
 */
const afterReasoning = (text: string): number | undefined => {
  const mark = CLOSING.exec(text);
  if (mark !== null) return mark.index + mark[0].length;
  return OPENING.test(text) ? undefined : 0;
};

const isObjectWith = (value: unknown, { names, how }: Wanted): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  (how === 'all'
    ? names.every((name) => Object.hasOwn(value, name))
    : names.some((name) => Object.hasOwn(value, name)));

/** Reads from a brace to the one that closes it, and tidies on the way. Undefined when none does. */
const readObject = (text: string, start: number): { json: string; end: number } | undefined => {
  let json = '';
  let copied = start;
  let depth = 0;
  let comma: number | undefined;
  let isString = false;
  for (let at = start; at < text.length; at += 1) {
    const unit = text[at] ?? '';
    if (isString) {
      if (unit === '\\') at += 1;
      else if (unit === '"') isString = false;
      else if (unit < ' ') {
        json += text.slice(copied, at) + (JSON.stringify(unit).slice(1, -1) ?? '');
        copied = at + 1;
      }
      continue;
    }
    if (unit === ' ' || unit === '\n' || unit === '\r' || unit === '\t') continue;
    if (unit === '}' || unit === ']') {
      if (comma !== undefined) {
        json += text.slice(copied, comma);
        copied = comma + 1;
      }
      depth -= 1;
      if (depth === 0) return { json: json + text.slice(copied, at + 1), end: at + 1 };
    }
    if (unit === '{' || unit === '[') depth += 1;
    isString = unit === '"';
    comma = unit === ',' ? at : undefined;
  }
  return undefined;
};

/**
 * Passes on the object of a text that arrives in pieces, from its brace on, once that is certain: at the beginning, behind reasoning, in a
 * fence. Of a text that begins otherwise nothing is passed on; it is read when it is whole.
 *
 * @param options.wantsObject Otherwise everything behind the reasoning is passed on.
 */
export function passOn(
  onText: (piece: string) => void,
  { wantsObject }: { wantsObject: boolean },
): (piece: string) => void {
  /** What has not been passed on, as far as it is still needed; undefined once the rest is. */
  let waiting: string | undefined = '';
  /** What waits is the end of reasoning or prose, in which only a mark is looked for. */
  let isInside = false;
  let isBehind = false;
  return (piece) => {
    if (waiting === undefined) return onText(piece);
    waiting += piece;
    const mark = CLOSING.exec(waiting);
    if (mark !== null) {
      waiting = waiting.slice(mark.index + mark[0].length);
      isInside = false;
      isBehind = true;
    }
    const start: string = isInside
      ? ''
      : (wantsObject ? objectStart : textStart)(waiting, isBehind);
    if (start !== '') {
      waiting = undefined;
      onText(start);
    } else if (waiting.length > 4 * MARK_LENGTH) {
      isInside = waiting.trim() !== '';
      waiting = waiting.slice(-MARK_LENGTH);
    }
  };
}

/** The text from the brace on, when it begins with an object; empty otherwise, or while that is open. */
const objectStart = (text: string): string => {
  const body = text.trimStart().replace(/^(?:```|~~~)[\w-]{0,20}[ \t]{0,8}\r?\n\s*/, '');
  return body.startsWith('{') ? body : '';
};

/** The text, when it does not begin with reasoning; empty otherwise, or while that is open. */
const textStart = (text: string, isBehind: boolean): string => {
  const start = text.trimStart().toLowerCase();
  if (start === '') return '';
  const isOpen =
    !isBehind && (OPENING.test(start) || OPENINGS.some((opening) => opening.startsWith(start)));
  return isOpen ? '' : isBehind ? text.trimStart() : text;
};
