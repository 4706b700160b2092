import type { Nodes, PhrasingContent, Root } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import {
  type ConstructName,
  type Handle,
  type Info,
  type Join,
  type Options,
  type State,
  toMarkdown,
} from 'mdast-util-to-markdown';

/**
 * Writes a tree as our canonical Markdown: ATX headings, `-` and `1.` lists, tables, fences, quotes, links with an address of the web.
 * It has no HTML and no images; text that looks like Markdown is escaped.
 */
export function writeMarkdown(tree: Root): string {
  return toMarkdown(withoutEmpty(tree), WRITING).trim();
}

/** Without list items and tables that say nothing: several marks on one line would be a rule. */
function withoutEmpty<Node extends Nodes>(node: Node): Node {
  if (!('children' in node)) return node;
  const children = node.children
    .map((child: Nodes) => withoutEmpty(child))
    .filter((child: Nodes) => !isEmpty(child));
  return { ...node, children };
}

function isEmpty(node: Nodes): boolean {
  return ['list', 'listItem', 'table'].includes(node.type) && wordsOf(node).trim() === '';
}

/** The words of a node on one line, as they are read. */
export function lineOfMarkdown(node: Nodes): string {
  return wordsOf(node).replace(/\s+/g, ' ').trim();
}

function wordsOf(node: Nodes): string {
  if ('value' in node) return node.value;
  if (node.type === 'break') return ' ';
  return 'children' in node ? node.children.map(wordsOf).join('') : '';
}

/** Text of inline nodes; only marks that would start another block are escaped, so that identifiers stay intact. */
function phrasing(
  node: { type: string; children: PhrasingContent[] },
  state: State,
  info: Info,
): string {
  const exit = state.enter('phrasing');
  const text = state.containerPhrasing(node as Parameters<State['containerPhrasing']>[0], info);
  exit();
  return text
    .replace(/(`+)[^`]+\1| {2,}/g, (found, code) => (code === undefined ? ' ' : found))
    .replace(/ *\n */g, '\n')
    .replace(/\n{3,}/g, '\n\n');
}

/** A paragraph that starts like a heading, quote or list would be parsed as one. */
function escapeOpening(paragraph: string): string {
  return paragraph
    .replace(
      /^(#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|={2,}$|-{2,}$|(?:[*_][ \t]*){3,}$|`{3,}|~{3,})/gm,
      '\\$1',
    )
    .replace(/^(\d{1,9})([.)])(?=\s|$)/gm, '$1\\$2');
}

/** Marks that would close a heading (CommonMark 0.31.2, 4.2). */
const CLOSING = /(?<!\S)#+$/;

/**
 * Text that looks like Markdown stays text: no link, image, code or emphasis comes of it. Single marks but for those of code, whose pair may stand in another node, and
 * underscores within a word stay as they are, so that identifiers can be read and found. Tags are made inert wherever
 * Markdown is shown.
 */
function escapeText(text: string, { before, after }: Pick<Info, 'before' | 'after'>): string {
  const counts = new Map<string, number>();
  for (const [mark] of text.matchAll(PAIRED)) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  // Sought once: a search from each `]` would take quadratic time.
  const innerOpen = text.indexOf('[', 1);
  return text.replace(SPECIAL, (mark, at: number) => {
    const touches =
      (at === 0 && before === mark) || (at + mark.length === text.length && after === mark);
    if (mark !== '`' && counts.get(mark) === 1 && !touches) return mark;
    if (mark !== ']') return `\\${mark}`;
    const next = text[at + 1] ?? after;
    const isFirst = innerOpen === -1 || innerOpen > at;
    const mayDefine = next === ':' && isFirst && (!text.startsWith('[') || /^\s*$/.test(before));
    return next === '(' || mayDefine ? '\\]' : ']';
  });
}

/** Marks that mean something in pairs: of code, of what is struck out, and of emphasis where a word begins or ends. */
const PAIRED = /`|[*~](?=\S)|(?<=\S)[*~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/**
 * A backslash that would be taken for an escape; what ends the text of a link before its address, or the name of a definition at the
 * beginning of a line (a name alone refers to nothing: the text has no definitions); an address in angle brackets.
 */
const SINGLE = /\\(?=[!-/:-@[-`{-~])|\]|<(?=[A-Za-z][A-Za-z0-9+.-]{1,31}:|[^\s<>@]{1,200}@|!--)/gu;
const SPECIAL = new RegExp(`${PAIRED.source}|${SINGLE.source}`, 'gu');
/** Text that names an element which runs or loads something never opens one, wherever the Markdown is shown. */
function withoutActive(text: string): string {
  return text.replace(
    /<(?=\/?(?:script|style|iframe|frame|object|embed|applet|noscript|template|svg|math)\b)/gi,
    '&lt;',
  );
}

/** Punctuation at the border of emphasis that touches a word stands outside: there the mark would be text (CommonMark 0.31.2, 6.2). */
function wrap(given: string, construct: ConstructName): Handle {
  return (node, _parent, state, info) => {
    // What is emphasised already is not emphasised again: the marks of both would be read as one.
    if (construct !== 'phrasing' && state.stack.includes(construct))
      return phrasing(node, state, info);
    const exit = state.enter(construct);
    const text = phrasing(node, state, info);
    exit();
    const words = text.trim();
    if (words === '' || words.includes('\n')) return text;
    const touchesBefore = isWord(info.before) && text.startsWith(words);
    const touchesAfter = isWord(info.after) && text.endsWith(words);
    const mark = given === '_' && (touchesBefore || touchesAfter) ? '*' : given;
    const start = touchesBefore ? (/^[\p{P}\p{S}]+/u.exec(words)?.[0] ?? '') : '';
    const end = touchesAfter ? (/[\p{P}\p{S}]+$/u.exec(words)?.[0] ?? '') : '';
    const middle = words.slice(start.length, words.length - end.length);
    const inner = middle.trim();
    const [gapBefore, gapAfter] = [
      middle.startsWith(' ') ? ' ' : '',
      middle.endsWith(' ') ? ' ' : '',
    ];
    if (inner === '' || /[`\\[(]$|^[\])]/.test(start + inner.slice(-1))) return text;
    if (!opensSurely(info.before, inner) || !closesSurely(inner, info.after)) return text;
    return text.replace(words, () => start + gapBefore + mark + inner + mark + gapAfter + end);
  };
}

/** Marks beside punctuation and within other marks may be read as text (CommonMark 0.31.2, 6.2): they are left out. */
const opensSurely = (before: string, inner: string): boolean =>
  !LOOSE_MARK.test(inner) && (isWord(inner[0] ?? '') || /^\s*$/.test(before));
const closesSurely = (inner: string, after: string): boolean =>
  isWord(inner.at(-1) ?? '') || /^\s*$/.test(after);
/** A mark that does not stand within a word. */
const LOOSE_MARK = /[*_](?![\p{L}\p{N}])|(?<![\p{L}\p{N}])[*_]/u;

const isWord = (character: string): boolean => /[\p{L}\p{N}]$/u.test(character);

function inCell(text: string, { stack }: State): string {
  return stack.includes('tableCell') ? text.replaceAll('|', '\\|') : text;
}

/** Keeps only addresses of the web: no `javascript:`, and no relative ones. */
const writeLink: Handle = (node, _parent, state, info) => {
  const words = phrasing(node, state, info);
  const isWeb = /^(?:https?:\/\/|mailto:)[^\s()<>]{1,2000}$/i.test(node.url);
  if (isWeb && wordsOf(node as Nodes) === node.url && !/[|\\]/.test(node.url))
    return `<${node.url}>`;
  const inner = words.trim();
  if (!isWeb || inner === '' || /[[\]\n]/.test(words)) return words;
  return words.replace(inner, () => `[${inner}](${inCell(node.url, state)})`);
};

/** Tight lists, with blank lines only between two paragraphs of an item, and after what would else take in the next line as its own. */
const joinTightly: Join = (left, right, { type }) => {
  if (type === 'listItem') {
    const isOpen = left.type === 'list' || left.type === 'blockquote' || left.type === 'table';
    return isOpen || (left.type === 'paragraph' && right.type === 'paragraph') ? 1 : 0;
  }
  return type === 'list' ? 0 : undefined;
};

const WRITING: Options = {
  bullet: '-',
  rule: '-',
  listItemIndent: 'one',
  fences: true,
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  join: [joinTightly],
  handlers: {
    break: () => '\n',
    delete: wrap('~~', 'phrasing'),
    emphasis: wrap('_', 'emphasis'),
    heading: (node, _parent, state, info) =>
      `${'#'.repeat(node.depth)} ${phrasing(node, state, info).replaceAll('\n', ' ').trim().replace(CLOSING, '\\$&')}`,
    html: () => '',
    image: (node, _parent, state) => inCell(node.alt ?? '', state),
    link: writeLink,
    paragraph: (node, _parent, state, info) => escapeOpening(phrasing(node, state, info).trim()),
    strong: wrap('**', 'strong'),
    text: (node, _parent, state, info) =>
      inCell(withoutActive(escapeText(node.value.replace(/[\s\p{Cc}]+/gu, ' '), info)), state),
  },
};
