import { fenceAfter, type OpenFence } from '../language/outside-code.ts';
import { signOf } from './icons.ts';
import { isAloneInLine, labelHtml } from './jsx.ts';
import { isNoteName } from './notes.ts';
import { type TemplateState, tagIn } from './templates.ts';

/** A tag in brackets, as Grav, WordPress and forums have them: `[tab title="Linux"]`, `[/tab]`, `[icon=plug /]`. */
const CODE_OR_TAG = new RegExp(
  [
    /(?<!`)(`{1,3})(?!`)[^\n]{1,500}?(?<!`)\1(?!`)/,
    /(?<!\\)\[(\/?)([a-z][a-z\d_-]{0,40})(=(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\s\]"']{1,100}))?((?:\s{1,9}[a-z][\w.-]{0,40}=(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'|[^\s\]"'/]{1,200})){0,12})(\s{0,9}\/)?\](?!\()/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);
const CLOSING = /(?<!\\)\[\/([a-z][a-z\d_-]{0,40})\]/gi;
const ICON = /^(?:fa[srlbd]?|icon|fontawesome)$/;

/** The tags of a document. */
interface BracketTags {
  /** Names with a closing tag, in small letters. */
  closed: ReadonlySet<string>;
  /** Those of which one text is shown or another: `[version=1]old[/version][version=2]new[/version]`. */
  alternatives: ReadonlySet<string>;
  /** The values of those that are open, by name, from one run of text to the next. */
  open: Map<string, string[]>;
}

export function bracketTagsIn(text: string): BracketTags {
  const names = (pattern: RegExp): ReadonlySet<string> =>
    new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name.toLowerCase()));
  return {
    closed: names(CLOSING),
    alternatives: names(/\[\/([a-z][a-z\d_-]{0,40})\]\[\1=/gi),
    open: new Map(),
  };
}

/**
 * Reads tags in brackets outside of fenced code and code spans: notes, tabs and folds become elements, of others the text stays. A tag has
 * a partner that closes it, closes itself, or has attributes in quotation marks; other words in brackets are text.
 */
export function readBracketTags(text: string, tags: BracketTags, state: TemplateState): string {
  return text.replace(
    CODE_OR_TAG,
    (
      all,
      code,
      slash: string,
      written: string,
      given = '',
      rest: string,
      self: string | undefined,
      at: number,
    ) => {
      if (code !== undefined) return all;
      const name = written.toLowerCase();
      const value = given.replace(/^=|["']/g, '');
      const isAlone = isAloneInLine(text, at, at + all.length);
      if (slash !== '') {
        const closed = tags.open.get(name)?.pop();
        if (closed === undefined) return all;
        if (tags.alternatives.has(name))
          return isAlone || closed === '' ? '' : ` (${name} ${closed})`;
      } else {
        if (ICON.test(name) && given !== '') return signOf(value) ?? '';
        const hasPartner = self === undefined && tags.closed.has(name);
        const isTag =
          hasPartner || (self !== undefined && given + rest !== '') || /=["']/.test(rest);
        if (!isTag || (given + rest === '' && /[\p{L}\p{N}_\]]/u.test(text[at - 1] ?? '')))
          return all;
        if (hasPartner) pushTo(tags.open, name, value.replaceAll(',', ', '));
        if (tags.alternatives.has(name))
          return isAlone ? `\n${labelHtml(`${name} ${value}`, ':')}\n` : gapAt(text, at);
      }
      const argument = value === '' || isNoteName(value) ? value : `"${value}"`;
      const plain = name.replace(/^[a-z]{2}[-_](?=.)/, '');
      return tagIn(`${slash}${plain} ${argument}${rest}`, {
        isAlone,
        indent: '',
        state,
        isShortcode: true,
      });
    },
  );
}

const gapAt = (text: string, at: number): string => (text[at - 1] === ']' ? ' ' : '');

const CODE_TAG =
  /^([ \t]{0,40})\[(code|prism|pre|highlight|sourcecode|codeblock)((?:=|[ \t])[^\]\n]{0,300})?\](.*)$/i;
const IN_LINE = /\[(code|prism)((?:=|[ \t])[^\]\n]{0,200})?\]([^\n`]{1,500}?)\[\/\1\]/gi;

/** Code between tags in brackets as fenced code, in a line as a code span. */
export function withBracketCode(text: string): string {
  if (!/\[\/(?:code|prism|pre|highlight|sourcecode|codeblock)\]/i.test(text)) return text;
  const lines = text.split('\n');
  const ends = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    const name = /\[\/([a-z]{3,10})\][ \t]*$/i.exec(line.slice(-40))?.[1]?.toLowerCase();
    if (name !== undefined) pushTo(ends, name, at);
  }
  const out: string[] = [];
  let fence: OpenFence | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const isOutside = fence === undefined;
    fence = fenceAfter(line, fence);
    const [, indent = '', name = '', given = '', first = ''] =
      isOutside && line.length < 2000 ? (CODE_TAG.exec(line) ?? []) : [];
    const end = name === '' ? undefined : firstFrom(at, ends.get(name.toLowerCase()) ?? []);
    if (end === undefined || (end === at && !isWholeLine(line))) {
      out.push(
        isOutside && fence === undefined && line.length < 2000
          ? line.replace(IN_LINE, '`$3`')
          : line,
      );
      continue;
    }
    const code = [first, ...lines.slice(at + 1, end + 1)];
    if (end === at) code.splice(0, code.length, first);
    code.push((code.pop() ?? '').replace(/\[\/[a-z]{3,10}\][ \t]*$/i, ''));
    out.push(...fencedCode(code, indent, languageIn(given)));
    at = end;
  }
  return out.join('\n');
}

function pushTo<Value>(lists: Map<string, Value[]>, name: string, value: Value): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [value]);
  else list.push(value);
}

/** The first of ascending places from one on; those before it are removed. */
function firstFrom(least: number, places: number[]): number | undefined {
  const index = places.findIndex((place) => place >= least);
  places.splice(0, index === -1 ? places.length : index);
  return places[0];
}

/** A line that begins with a tag of code and ends with its partner, with no other one between. */
const isWholeLine = (line: string): boolean => line.split(/\[\/[a-z]{3,10}\]/i).length === 2;

const languageIn = (given: string): string =>
  /(?:language-|\blang(?:uage)?=["']?|^=["']?)([\w+#-]{1,20})/.exec(given)?.[1] ?? '';

function fencedCode(code: readonly string[], indent: string, language: string): string[] {
  const lines = code.slice(
    code[0]?.trim() === '' ? 1 : 0,
    code.at(-1)?.trim() === '' ? -1 : undefined,
  );
  const longest = Math.max(
    2,
    ...lines.map((line) => /^[ \t]*(`{3,})/.exec(line)?.[1]?.length ?? 0),
  );
  const fence = '`'.repeat(longest + 1);
  return ['', `${indent}${fence}${language}`, ...lines, `${indent}${fence}`, ''];
}
