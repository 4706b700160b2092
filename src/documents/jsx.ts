import { htmlTagNames } from 'html-tag-names';
import { isNoteName } from './notes.ts';
import type { Omissions } from './omissions.ts';
import {
  type Attribute,
  attributeAt,
  endOfBraces,
  literalOf,
  MAX_TAG,
  match,
} from './tag-attributes.ts';

/** Tags and expressions that have no end, after which no more are sought: each search costs `MAX_TAG`. */
const MAX_FAILURES = 300;

interface JsxOptions {
  /** Whether braces hold expressions, as in MDX. */
  hasExpressions: boolean;
  /** Values of exported constants. */
  values: ReadonlyMap<string, string>;
}

/** Tags that are open from one run of text to the next, by those that close them. */
interface JsxState {
  open: string[];
  /** Labels of the tabs that come next, by their order or value. */
  tabs: { labels: string[]; byValue: ReadonlyMap<string, string> };
  /** Whether components stand for files and folders. */
  hasFiles: boolean;
  /** Names of components with a closing tag somewhere in the document. */
  closed: ReadonlySet<string>;
  failures: number;
  /** Expressions whose value is not known. */
  unknown: number;
  omissions: Omissions;
}

export function jsxStateOf(text: string, omissions: Omissions): JsxState {
  const closed = new Set<string>();
  for (const [, name = ''] of text.matchAll(/<\/\s{0,9}([A-Za-z][\w.:-]{0,80})/g)) closed.add(name);
  return {
    open: [],
    tabs: { labels: [], byValue: new Map() },
    hasFiles: /<(?:[A-Z]\w{0,40}\.)?(?:File|Folder)\s[^>]{0,100}\bname=/.test(text),
    closed,
    failures: 0,
    unknown: 0,
    omissions,
  };
}

interface Tag {
  name: string;
  kind: 'open' | 'close' | 'self';
  attributes: Map<string, string>;
  end: number;
}

/**
 * Turns components of JSX into elements of HTML: those that show tabs or notes are such, of others the text stays, with their title; tags
 * of HTML keep their attributes. Code spans stay. Reads text outside of fenced code.
 */
export function readJsx(
  text: string,
  { hasExpressions, values }: JsxOptions,
  state: JsxState,
): string {
  let out = '';
  let from = 0;
  const replace = (start: number, end: number, by: string): void => {
    out += text.slice(from, start) + by;
    from = end;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '`') at = endOfCode(text, at) - 1;
    else if (character === '{' && hasExpressions && state.failures < MAX_FAILURES) {
      const end = endOfBraces(text, at);
      if (end === undefined) {
        state.failures += 1;
        continue;
      }
      replace(at, end, expressionValue(text.slice(at + 1, end - 1), values, state));
      at = end - 1;
    } else if (
      character === '<' &&
      /[A-Za-z/>]/.test(text[at + 1] ?? '') &&
      state.failures < MAX_FAILURES
    ) {
      const tag = readTag(text, at);
      if (tag === undefined) {
        state.failures += 1;
        continue;
      }
      const isOwnLine = isAloneInLine(text, at, tag.end) || fillsLine(text, at, tag);
      const html = htmlOf(tag, { isOwnLine, state, indent: indentAt(text, at) });
      if (html !== undefined) replace(at, tag.end, html);
      at = tag.end - 1;
    }
  }
  return out + text.slice(from);
}

/** The end of a code span that begins here; without one, the end of its marks. */
function endOfCode(text: string, at: number): number {
  const marks = /`+/y;
  marks.lastIndex = at;
  const [mark = ''] = marks.exec(text) ?? [];
  const start = at + mark.length;
  const end = text.slice(start, start + 1000).indexOf(mark);
  return end === -1 ? start : start + end + mark.length;
}

function expressionValue(
  source: string,
  values: ReadonlyMap<string, string>,
  state: JsxState,
): string {
  const code = source.trim();
  if (code.startsWith('//') && code.split('\n').every((line) => /^\s*(?:\/\/|$)/.test(line))) {
    state.omissions.add('comment', () => code.slice(2));
    return '';
  }
  const literal = literalOf(code) ?? values.get(code);
  if (literal !== undefined) return literal;
  // Comments, objects, and what makes elements: no text that could be put in.
  if (/^(?:\/\*[\s\S]*\*\/|)$|^[#.]|^\{|[<=]/.test(code)) {
    if (code.startsWith('/*'))
      state.omissions.add('comment', () => code.replace(/^\/\*|\*\/$/g, ''));
    else if (code !== '') state.omissions.add('code', () => code);
    return '';
  }
  state.unknown += 1;
  return '…';
}

/** Begins a value that only runs: of an attribute of a component nothing of it is shown. */
const EXPRESSION = '\0';
const isCode = (value: string): boolean => value.startsWith(EXPRESSION);

const FLAG = /^[@:#A-Za-z_][\w.:-]*$/;
const NAME = /(?:\/\s{0,9})?([A-Za-z][\w.:-]*)?/y;

function readTag(text: string, at: number): Tag | undefined {
  const last = Math.min(text.length, at + MAX_TAG);
  const [head = '', name = ''] = match(NAME, text, at + 1) ?? [];
  const attributes = new Map<string, string>();
  let index = at + 1 + head.length;
  if (name === '' && text[index] !== '>') return undefined;
  while (index < last) {
    const character = text[index] ?? '';
    if (/\s/.test(character)) index += 1;
    else if (character === '>')
      return { name, kind: head.startsWith('/') ? 'close' : 'open', attributes, end: index + 1 };
    else if (character === '/' && text[index + 1] === '>')
      return { name, kind: 'self', attributes, end: index + 2 };
    else if (character === '{') {
      const end = endOfBraces(text, index);
      if (end === undefined) return undefined;
      index = end;
    } else {
      const attribute = attributeAt(text, index, last);
      if (attribute === undefined || !setAttribute(attributes, attribute)) return undefined;
      index = attribute.end;
    }
  }
  return undefined;
}

/** False for what is no attribute of a tag. */
function setAttribute(
  attributes: Map<string, string>,
  { name, value, isCode }: Attribute,
): boolean {
  if (name === '') attributes.set(value, '');
  else if (!isCode) attributes.set(name, value);
  else
    attributes.set(
      name,
      name === 'style' && /display:\s*['"]none/.test(value) ? 'display:none' : EXPRESSION + value,
    );
  return name !== '' || FLAG.test(value);
}

export function isAloneInLine(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 200), start);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return /^[\s>]*$/.test(line) && /^[ \t]*(?:\n|$)/.test(text.slice(end, end + 50));
}

/** Whether a component with its content is all of a line: `<Step title="Open">Lift it.</Step>`. */
function fillsLine(text: string, start: number, { kind, name, end }: Tag): boolean {
  if (kind !== 'open' || !/^[A-Z]/.test(name)) return false;
  const [line = ''] = /^[^\n]{0,1000}/.exec(text.slice(end, end + 1000)) ?? [];
  return (
    isAloneInLine(text, start, end + line.length) &&
    line.trimEnd().indexOf(`</${name}>`) === line.trimEnd().length - name.length - 3
  );
}

export function indentAt(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - 200), at);
  return /^[ \t>]*/.exec(before.slice(before.lastIndexOf('\n') + 1))?.[0] ?? '';
}

export const TAGS: ReadonlySet<string> = new Set(htmlTagNames);

/** Elements whose content is Markdown where their tags stand alone in a line. */
const BLOCKS = new Set([
  'div',
  'details',
  'section',
  'center',
  'figure',
  'article',
  'main',
  'aside',
]);

function htmlOf(
  { name, kind, attributes, end: _ }: Tag,
  { isOwnLine, state, indent }: { isOwnLine: boolean; state: JsxState; indent: string },
): string | undefined {
  const around = (html: string): string => `\n\n${indent}${html}\n\n${indent}`;
  // Authors of HTML may write its names in capital letters.
  if (/^[A-Z][A-Z0-9]*$/.test(name) && TAGS.has(name.toLowerCase())) return undefined;
  if (/^[a-z]/.test(name)) {
    if (
      !needsRewriting(attributes) &&
      !(isOwnLine && BLOCKS.has(name) && attributes.has('markdown'))
    )
      return undefined;
    const html = `<${kind === 'close' ? '/' : ''}${name}${attributesOf(attributes)}${kind === 'self' ? '/' : ''}>`;
    return isOwnLine && BLOCKS.has(name) ? around(html) : html;
  }
  if (kind === 'close') {
    const open = state.open.pop() ?? '';
    return open === '</div>' ? around(open) : open;
  }
  if (kind === 'open' && name !== '' && !state.closed.has(name)) return undefined;
  return componentOf(name, { kind, attributes, isOwnLine, state, around });
}

const needsRewriting = (attributes: ReadonlyMap<string, string>): boolean =>
  [...attributes].some(
    ([name, value]) => isCode(value) || /^(?:className|style|markdown)$|[A-Z@:#.]/.test(name),
  );

const attributesOf = (attributes: ReadonlyMap<string, string>): string =>
  [...attributes]
    .filter(([name, value]) => !isCode(value) && /^[a-zA-Z-]+$/.test(name))
    .map(([name, value]) => ` ${name === 'className' ? 'class' : name}="${escapeHtml(value)}"`)
    .join('');

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A paragraph in bold: the label of what follows. */
export function labelHtml(label: string, end: string): string {
  return `<p><strong>${escapeHtml(label)}${end}</strong></p>`;
}

const LABELS = ['title', 'label', 'summary', 'question', 'heading', 'header', 'alt', 'text'];
/** Components that describe a parameter or a field, and the attributes that name it. */
const FIELD_COMPONENT =
  /^(?:param|parameter|response|property|prop|schema|request|body|query|header)?(?:field|param|parameter|property)$/;
const FIELD_NAMES = ['path', 'query', 'body', 'header', 'name', 'field'];
const MORE = ['description', 'caption'];
const NOTE_COMPONENT = /^(?:admonition|callout|aside|alert|notice|banner|infobox|callout\w+)$/;

function componentOf(
  name: string,
  {
    kind,
    attributes,
    isOwnLine,
    state,
    around,
  }: {
    kind: Tag['kind'];
    attributes: Map<string, string>;
    isOwnLine: boolean;
    state: JsxState;
    around: (html: string) => string;
  },
): string {
  const plain = name.toLowerCase().split('.').at(-1) ?? '';
  const isTab = /^tab(?:item|panel|content)?$/.test(plain);
  const one = (names: readonly string[]): string | undefined =>
    names.map((each) => attributes.get(each)).find((each) => each && !isCode(each));
  if (state.hasFiles && /^(?:folder|file)$/.test(plain))
    return fileIn(plain, one(['name']) ?? '', { kind, state });
  if (/^tabs?(?:group|list)?$/.test(plain)) state.tabs = tabsIn(attributes) ?? state.tabs;
  const title = one(LABELS) ?? (isTab ? tabLabel(one(['value', 'name']), state) : '');
  const field = FIELD_COMPONENT.test(plain) ? one(FIELD_NAMES) : undefined;
  if (field !== undefined && kind === 'open') {
    const facts = [
      one(['type']),
      attributes.has('required') ? 'required' : '',
      one(['default']),
    ].filter(Boolean);
    state.open.push('</div>');
    const details = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
    return (
      around('<div>') +
      around(`<p><code>${escapeHtml(field)}</code>${escapeHtml(details)}</p>`).trimStart()
    );
  }
  const label = [title, one(MORE)].filter(Boolean).join('. ');
  if (kind === 'self') {
    const code = /^code(?:block)?$/.test(plain) ? one(['code']) : undefined;
    if (code !== undefined && !code.includes('```'))
      return `\n\n\`\`\`${one(['lang', 'language']) ?? ''}\n${code}\n\`\`\`\n\n`;
    if (KEY_COMPONENT.test(plain)) {
      const keys = [...attributes.values()].filter((value) => value !== '' && !isCode(value));
      return keys.length === 0 ? '' : `<kbd>${escapeHtml(keysOf(keys.join('+')))}</kbd>`;
    }
    if (label === '') {
      state.omissions.add('code', () => `<${name} />`);
      return '';
    }
    return isOwnLine ? around(`<p>${escapeHtml(label)}</p>`) : escapeHtml(label);
  }
  const noteKind = NOTE_COMPONENT.test(plain)
    ? (one(['type', 'variant', 'kind', 'intent', 'severity']) ?? 'note')
    : plain;
  if (
    NOTE_COMPONENT.test(plain) ||
    (isNoteName(plain) && !/^(?:details|summary|quote|check|aside|example|question)$/.test(plain))
  ) {
    state.open.push('</div>');
    return around(
      `<div data-note-kind="${escapeHtml(noteKind)}" data-note-title="${escapeHtml(label)}">`,
    );
  }
  if (isOwnLine || isTab) {
    state.open.push('</div>');
    return (
      around('<div>') + (label === '' ? '' : around(labelHtml(label, isTab ? ':' : '')).trimStart())
    );
  }
  state.open.push('</span>');
  return `<span>${label === '' ? '' : `${escapeHtml(label)} `}`;
}

/** Keys to press together, of which each attribute names one: `<Key mod="cmd" k="o" />`. */
const KEY_COMPONENT =
  /^(?:keys?|kbd|hotkey|shortcut|key(?:board)?(?:stroke|binding|shortcut|combo))$/;

/** `ctrl+c` as it is shown. */
export function keysOf(keys: string): string {
  return keys
    .split('+')
    .map((key) => key.replaceAll('"', ''))
    .map((key) => (key.length > 1 ? key.charAt(0).toUpperCase() + key.slice(1) : key.toUpperCase()))
    .join('+');
}

/** Components that stand for files and folders, as items of a list. */
function fileIn(
  part: string,
  name: string,
  { kind, state }: { kind: Tag['kind']; state: JsxState },
): string {
  const isInside = state.open.at(-1)?.startsWith(FOLDER_END) === true;
  const start = `${isInside ? '' : '<ul>'}<li>${escapeHtml(name)}${part === 'folder' ? '<ul>' : ''}`;
  const end = `${part === 'folder' ? FOLDER_END : '</li>'}${isInside ? '' : '</ul>'}`;
  if (kind === 'self') return start + end;
  state.open.push(end);
  return start;
}

const FOLDER_END = '</ul></li>';

/** The labels that a component names for the tabs in it: `items={['npm', 'yarn']}`, `values={[{ label: 'npm', value: 'n' }]}`. */
function tabsIn(attributes: ReadonlyMap<string, string>): JsxState['tabs'] | undefined {
  const code = [attributes.get('items'), attributes.get('values')].find(
    (each) => each !== undefined && isCode(each),
  );
  if (code === undefined) return undefined;
  // A label may be made of elements: `label: (<><Icon name="x" /> Web</>)`.
  const plain = code.replace(/<[^<>]*>/g, '');
  const member = (object: string, name: string): string => {
    const [, text = '', words = ''] =
      new RegExp(`\\b${name}['"]?\\s*:\\s*(?:('[^']*'|"[^"]*")|\\(\\s*([^()'"]*))`).exec(object) ??
      [];
    return literalOf(text) ?? words.trim();
  };
  const byValue = new Map(
    [...plain.matchAll(/\{[^{}]*\}/g)].map(([each]) => [
      member(each, 'value'),
      member(each, 'label'),
    ]),
  );
  const labels = [...plain.replace(/\{[^{}]*\}/g, '').matchAll(/'[^']*'|"[^"]*"/g)].map(
    ([each]) => literalOf(each) ?? '',
  );
  return { labels, byValue };
}

const tabLabel = (value: string | undefined, { tabs }: JsxState): string =>
  value === undefined ? (tabs.labels.shift() ?? '') : tabs.byValue.get(value) || value;
