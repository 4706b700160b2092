import { characterEntitiesHtml4 } from 'character-entities-html4';
import keyboardEntities from './keyboard-entities.json' with { type: 'json' };

/** Events of inline content, in order and properly nested: each opening event has its closing one. */
export type InlinePart =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'break' }
  | { kind: 'open'; element: 'em' | 'strong' }
  | { kind: 'open'; element: 'a'; url: string }
  | { kind: 'close'; element: 'em' | 'strong' | 'a' };

/**
 * Parses emphasis, code, links, line breaks and escapes (CommonMark 0.31.2, section 6), and bare web addresses as in GFM.
 * Raw HTML is text; an image becomes a link; a link to anything but a web or mail address becomes its text.
 *
 * Linear in the length of the text.
 *
 * @param options.dropTags Drops raw HTML tags and comments instead. For short texts: each `<` starts a search for a
 *   comment's end.
 */
export const readInline = (text: string, { dropTags = false } = {}): InlinePart[] => {
  const state: State = {
    text,
    dropTags,
    at: 0,
    parts: [],
    pending: '',
    lastRun: undefined,
    brackets: [],
    insideLinks: 0,
    unclosed: new Set(),
  };
  while (state.at < text.length) {
    const letter = text[state.at] ?? '';
    if (!READERS[letter]?.(state)) readText(state);
  }
  flush(state);
  matchEmphasis(state.lastRun, undefined);
  return state.parts.flatMap(partsOf);
};

interface State {
  text: string;
  dropTags: boolean;
  at: number;
  parts: Part[];
  /** Text that is read but not yet part of an event. */
  pending: string;
  /** The last delimiter run. */
  lastRun: Run | undefined;
  brackets: Bracket[];
  /** Number of outer brackets that contain a link and so cannot open one. */
  insideLinks: number;
  /** Lengths of backtick runs without a closing run. */
  unclosed: Set<number>;
}

interface Bracket {
  /** Index of its event. */
  part: number;
  /** 2 for an image. */
  length: number;
  /** The last delimiter run before it. */
  runBefore: Run | undefined;
}

type Part = InlinePart | Run;

const partsOf = (part: Part): InlinePart[] => {
  if (part.kind !== 'run') return [part];
  const rest = part.mark.repeat(part.left);
  return [
    ...part.closes.map((element) => ({ kind: 'close' as const, element })),
    ...(rest === '' ? [] : [{ kind: 'text' as const, text: rest }]),
    ...part.opens.map((element) => ({ kind: 'open' as const, element })),
  ];
};

const flush = (state: State): void => {
  if (state.pending !== '') state.parts.push({ kind: 'text', text: decodeEntities(state.pending) });
  state.pending = '';
};

const push = (state: State, part: Part): void => {
  flush(state);
  state.parts.push(part);
};

/** Reads up to the next special character; at least one character. */
const readText = (state: State): void => {
  TEXT.lastIndex = state.at;
  const run = TEXT.exec(state.text)?.[0] || (state.text[state.at] ?? '');
  state.pending += run;
  state.at += run.length;
};
const TEXT = /[^\\`*_[\]!<\nh]*/y;

const readEscape = (state: State): boolean => {
  const next = state.text[state.at + 1] ?? '';
  if (next === '\n') return readBreak(state, 2);
  if (!/[!-/:-@[-`{-~]/.test(next)) return false;
  // Escaped characters do not form a character reference.
  flush(state);
  state.parts.push({ kind: 'text', text: next });
  state.at += 2;
  return true;
};

const readLineEnd = (state: State): boolean => {
  const isHard = / {2}$/.test(state.pending.slice(-2));
  state.pending = state.pending.replace(/[ \t]{1,1000}$/, '');
  if (isHard) return readBreak(state, 1);
  // One line at a time: checking the end of the accumulated text would be quadratic.
  flush(state);
  state.pending = '\n';
  state.at += 1;
  skipSpace(state);
  return true;
};

const readBreak = (state: State, length: number): boolean => {
  push(state, { kind: 'break' });
  state.at += length;
  skipSpace(state);
  return true;
};

const skipSpace = (state: State): void => {
  while (state.text[state.at] === ' ' || state.text[state.at] === '\t') state.at += 1;
};

const readCode = (state: State): boolean => {
  const ticks = runOf(state.text, state.at);
  const start = state.at + ticks;
  if (!state.unclosed.has(ticks)) {
    for (let at = state.text.indexOf('`', start); at !== -1; ) {
      const length = runOf(state.text, at);
      if (length === ticks) {
        const code = state.text.slice(start, at).replaceAll('\n', ' ');
        push(state, { kind: 'code', text: /^ .*[^ ].* $|^ [^ ] $/.test(code) ? code.slice(1, -1) : code });
        state.at = at + length;
        return true;
      }
      at = state.text.indexOf('`', at + length);
    }
    state.unclosed.add(ticks);
  }
  state.pending += state.text.slice(state.at, start);
  state.at = start;
  return true;
};

const runOf = (text: string, at: number): number => {
  const mark = text[at];
  let end = at + 1;
  while (text[end] === mark) end += 1;
  return end - at;
};

const readRun = (state: State): boolean => {
  const run = runAt(state.text, state.at, runOf(state.text, state.at));
  push(state, run);
  run.before = state.lastRun;
  if (state.lastRun) state.lastRun.after = run;
  state.lastRun = run;
  state.at += run.left;
  return true;
};

const openBracket = (state: State, length: number): boolean => {
  flush(state);
  state.brackets.push({ part: state.parts.length, length, runBefore: state.lastRun });
  state.parts.push({ kind: 'text', text: state.text.slice(state.at, state.at + length) });
  state.at += length;
  return true;
};

const closeBracket = (state: State): boolean => {
  const isLive = state.brackets.length > state.insideLinks;
  const bracket = state.brackets.pop();
  state.insideLinks = Math.min(state.insideLinks, state.brackets.length);
  if (bracket === undefined || !isLive) return false;
  TARGET.lastIndex = state.at + 1;
  const [all, pointed, bare] = TARGET.exec(state.text) ?? [];
  if (all === undefined) return false;
  flush(state);
  matchEmphasis(state.lastRun, bracket.runBefore);
  state.lastRun = bracket.runBefore;
  if (state.lastRun) state.lastRun.after = undefined;
  const url = safeUrl(decodeEntities(pointed ?? bare ?? '').replace(/\\([!-/:-@[-`{-~])/g, '$1'));
  const from = bracket.part + 1;
  const isImage = bracket.length === 2;
  if (url === undefined) state.parts[bracket.part] = NOTHING;
  else {
    // Links cannot contain links.
    for (let at = from; at < state.parts.length; at += 1) if (isLink(state.parts[at])) state.parts[at] = NOTHING;
    state.parts[bracket.part] = { kind: 'open', element: 'a', url };
    if (state.parts.length === from) state.parts.push({ kind: 'text', text: url });
    state.parts.push({ kind: 'close', element: 'a' });
  }
  if (!isImage) state.insideLinks = state.brackets.length;
  state.at += 1 + all.length;
  return true;
};

const NOTHING: Part = { kind: 'text', text: '' };

const isLink = (part: Part | undefined): boolean => part !== undefined && 'element' in part && part.element === 'a';

/** Parentheses in an address are balanced, two levels deep. */
const TARGET =
  /\([ \n\t]{0,9}(?:<([^<>\n]{0,2000})>|((?:\\[!-/:-@[-`{-~]|[^\s()\\<]|\\|\((?:\\[!-/:-@[-`{-~]|[^\s()\\])*\)){0,2000}))(?:[ \n\t]{1,9}(?:"[^"]{0,500}"|'[^']{0,500}'))?[ \n\t]{0,9}\)/y;

/** Allows web and mail addresses only, and none that a browser would parse differently. */
const safeUrl = (url: string): string | undefined =>
  url.length <= MAX_URL &&
  /^(?:https?:\/\/[^\s/]|mailto:[^\s@]+@)[^\s\\]*$/i.test(url) &&
  !/\p{C}/u.test(url) &&
  URL.canParse(url)
    ? url
    : undefined;

const MAX_URL = 2000;

const readAngleBrackets = (state: State): boolean => {
  ANGLE_BRACKETS.lastIndex = state.at;
  const [all, url, address] = ANGLE_BRACKETS.exec(state.text) ?? [];
  const target = safeUrl(url ?? `mailto:${address}`);
  if (all === undefined || target === undefined) return state.dropTags && dropTag(state);
  pushLink(state, target, all.slice(1, -1));
  state.at += all.length;
  return true;
};

const dropTag = (state: State): boolean => {
  TAG.lastIndex = state.at;
  const tag = TAG.exec(state.text)?.[0] ?? '';
  state.at += tag.length;
  return tag !== '';
};
const TAG = /<(?:\/?[a-z][^<>]*|!--[\s\S]*?--)>/iy;
const ANGLE_BRACKETS =
  /<(?:(https?:\/\/[^\s<>]{1,2000}|mailto:[^\s<>]{1,300})|([\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,5}))>/iy;

const readBare = (state: State): boolean => {
  if (/[\p{L}\p{N}_]/u.test(state.text[state.at - 1] ?? ' ')) return false;
  BARE.lastIndex = state.at;
  const found = BARE.exec(state.text)?.[0];
  if (found === undefined) return false;
  const written = trimmed(found);
  const url = safeUrl(decodeEntities(written));
  if (url === undefined) return false;
  pushLink(state, url, url);
  state.at += written.length;
  return true;
};
const BARE = /https?:\/\/[^\s<>"`\\*]{1,2000}/y;

/** Trailing punctuation of a sentence and unbalanced closing brackets are not part of an address. */
const trimmed = (url: string): string => {
  const cut = url.replace(/(?:&[a-z]{1,9};|[.,;:!?'_~\]]){1,20}$/, '');
  if (!cut.endsWith(')')) return cut;
  return (cut.match(/\)/g)?.length ?? 0) > (cut.match(/\(/g)?.length ?? 0) ? trimmed(cut.slice(0, -1)) : cut;
};

const pushLink = (state: State, url: string, words: string): void => {
  push(state, { kind: 'open', element: 'a', url });
  state.parts.push({ kind: 'text', text: words }, { kind: 'close', element: 'a' });
};

const READERS: Record<string, (state: State) => boolean> = {
  '\\': readEscape,
  '\n': readLineEnd,
  '`': readCode,
  '*': readRun,
  _: readRun,
  '[': (state) => openBracket(state, 1),
  ']': closeBracket,
  '!': (state) => state.text[state.at + 1] === '[' && openBracket(state, 2),
  '<': readAngleBrackets,
  h: readBare,
};

/** A delimiter run of `*` or `_`, which may open and close emphasis (CommonMark 0.31.2, section 6.2 and appendix). */
interface Run {
  kind: 'run';
  mark: string;
  /** Original number of characters. */
  length: number;
  /** Number of characters that are literal so far. */
  left: number;
  canOpen: boolean;
  canClose: boolean;
  /** In text order. */
  closes: Emphasis[];
  opens: Emphasis[];
  before: Run | undefined;
  after: Run | undefined;
}

type Emphasis = 'em' | 'strong';

/** Reads the delimiter run at a position: the characters on either side determine whether it opens, closes or both. */
const runAt = (text: string, at: number, length: number): Run => {
  const mark = text[at] ?? '';
  const [before, after] = [characterBefore(text, at), characterAt(text, at + length)];
  const opensLeft = !SPACE.test(after) && (!PUNCTUATION.test(after) || SPACE.test(before) || PUNCTUATION.test(before));
  const closesRight =
    !SPACE.test(before) && (!PUNCTUATION.test(before) || SPACE.test(after) || PUNCTUATION.test(after));
  const isWhole = mark === '*';
  return {
    ...{ kind: 'run', mark, length, left: length, closes: [], opens: [], before: undefined, after: undefined },
    canOpen: opensLeft && (isWhole || !closesRight || PUNCTUATION.test(before)),
    canClose: closesRight && (isWhole || !opensLeft || PUNCTUATION.test(after)),
  };
};

const characterBefore = (text: string, at: number): string =>
  at === 0
    ? ' '
    : String.fromCodePoint(text.codePointAt(at - (/[\udc00-\udfff]/.test(text[at - 1] ?? '') ? 2 : 1)) ?? 32);

const characterAt = (text: string, at: number): string =>
  at >= text.length ? ' ' : String.fromCodePoint(text.codePointAt(at) ?? 32);

const SPACE = /^\s$/;
const PUNCTUATION = /^[\p{P}\p{S}]$/u;

/**
 * Pairs the runs between `bottom` (exclusive) and `last`, innermost first. Failed searches are remembered as in the
 * specification, so that time is linear.
 */
const matchEmphasis = (last: Run | undefined, bottom: Run | undefined): void => {
  let closer = firstAbove(last, bottom);
  const bottoms = new Map<string, Run | undefined>();
  while (closer) {
    if (!closer.canClose || closer.left === 0) {
      closer = closer.after;
      continue;
    }
    const key = `${closer.mark}${closer.canOpen}${closer.length % 3}`;
    const floor = bottoms.has(key) ? bottoms.get(key) : bottom;
    const opener = openerFor(closer, floor, bottom);
    if (opener) pair(opener, closer);
    else {
      bottoms.set(key, closer.before);
      if (!closer.canOpen) remove(closer);
    }
    if (!opener || closer.left === 0) closer = closer.after;
  }
};

const firstAbove = (last: Run | undefined, bottom: Run | undefined): Run | undefined => {
  let first = last === bottom ? undefined : last;
  while (first?.before && first.before !== bottom) first = first.before;
  return first;
};

const openerFor = (closer: Run, floor: Run | undefined, bottom: Run | undefined): Run | undefined => {
  for (let run = closer.before; run && run !== floor && run !== bottom; run = run.before) {
    if (run.mark !== closer.mark || !run.canOpen || run.left === 0) continue;
    const isOdd = (run.canClose || closer.canOpen) && (run.length + closer.length) % 3 === 0;
    if (!isOdd || (run.length % 3 === 0 && closer.length % 3 === 0)) return run;
  }
  return undefined;
};

const pair = (opener: Run, closer: Run): void => {
  const count = opener.left > 1 && closer.left > 1 ? 2 : 1;
  const element = count === 2 ? 'strong' : 'em';
  opener.opens.unshift(element);
  closer.closes.push(element);
  opener.left -= count;
  closer.left -= count;
  // What stands between the two pairs with nothing outside.
  opener.after = closer;
  closer.before = opener;
  if (opener.left === 0) remove(opener);
  if (closer.left === 0) remove(closer);
};

const remove = (run: Run): void => {
  if (run.before) run.before.after = run.after;
  if (run.after) run.after.before = run.before;
};

const KEYBOARD: Readonly<Record<string, string>> = keyboardEntities;

/**
 * Decodes character references: numeric ones, and the names of HTML 4 and of keyboard characters. The remaining 1,800 or
 * so names of the HTML Standard (13.5), mostly mathematical symbols, are left as they are. A control character becomes a
 * space, an invalid number U+FFFD.
 *
 * @param named Text of a named reference; `undefined` leaves the reference as it is.
 */
export const decodeEntities = (text: string, named = namedCharacter): string =>
  text.includes('&')
    ? text.replace(REFERENCE, (reference: string, hex?: string, decimal?: string, name?: string, legacy?: string) => {
        if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
        if (decimal !== undefined) return characterOf(Number.parseInt(decimal, 10));
        return named(name ?? legacy ?? '') ?? reference;
      })
    : text;

/** Some names are valid without a semicolon, unless alphanumerics or `=` follow: `&copy=2` is part of an address. */
const REFERENCE =
  /&(?:#x([\da-f]{1,8});?|#(\d{1,8});?|([a-z][a-z\d]{1,31});|(amp|lt|gt|quot|nbsp|copy|reg)(?![\w=;]))/gi;

/** Numbers from 128 to 159 mean Windows-1252 characters (HTML Standard, 13.2.5.80). */
const characterOf = (code: number): string => {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  if (code >= 0x80 && code <= 0x9f) return new TextDecoder('windows-1252').decode(Uint8Array.of(code));
  if (code === 0x0a) return '\n';
  return code < 0x20 || code === 0x7f ? ' ' : String.fromCodePoint(code);
};

const namedCharacter = (name: string): string | undefined => {
  if (Object.hasOwn(KEYBOARD, name)) return KEYBOARD[name];
  return Object.hasOwn(characterEntitiesHtml4, name) ? characterEntitiesHtml4[name] : undefined;
};
