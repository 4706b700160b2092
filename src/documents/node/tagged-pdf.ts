import type { Element, ElementContent, Root, Text } from 'hast';
import type { CellSpan } from './pdf-cell-spans.ts';
import {
  BULLET,
  element,
  isRaised,
  MIN_SPACE,
  type PdfItem,
  plainText,
  raised,
  textOfLine,
  withLetters,
} from './pdf-text.ts';

/** A node of the structure tree of a page (ISO 32000-2, 14.7); the library follows 40 levels. */
export interface TagNode {
  role?: string;
  children?: TagNode[];
  /** `content` for a leaf, whose `id` marks text of the page. */
  type?: string;
  id?: string;
  alt?: string;
}

/** The elements of HTML that tags stand for (ISO 32000-2, 14.8.4); what has none of its own is what it contains. */
const ELEMENTS: Readonly<Record<string, string>> = {
  H: 'h2',
  H1: 'h1',
  H2: 'h2',
  H3: 'h3',
  H4: 'h4',
  H5: 'h5',
  H6: 'h6',
  Title: 'h1',
  P: 'p',
  L: 'ul',
  LI: 'li',
  TR: 'tr',
  TH: 'th',
  TD: 'td',
  BlockQuote: 'blockquote',
  Code: 'code',
};

/** Headings, paragraphs, lists and tables of a page as its tags say; `spans`: of merged cells, by their first content. */
export function readTaggedPage(
  tree: TagNode,
  items: readonly PdfItem[],
  spans: ReadonlyMap<string, CellSpan> = new Map(),
): Root {
  const texts = textsById(items);
  const read = ({ role = '', children = [], type, id = '', alt }: TagNode): ElementContent[] => {
    if (type === 'content') {
      // Marked text belongs to one tag, however many name it.
      const value = texts.get(id) ?? '';
      texts.delete(id);
      return [{ type: 'text', value }];
    }
    if (type !== undefined || role === 'Artifact' || role === 'TOC') return [];
    if (role === 'L') return [listOf(children)];
    // The number or bullet of an item, which the list has read.
    if (role === 'Lbl') return [];
    const inner = children.flatMap(read);
    if (role === 'Figure' && inner.length === 0 && alt)
      return [element('p', [{ type: 'text', value: alt }])];
    if (role === 'Table') return [element('table', [element('tbody', inner)])];
    const name = Object.hasOwn(ELEMENTS, role) ? ELEMENTS[role] : undefined;
    if (name === undefined) return inner;
    // Some programs put the paragraphs of a text box, or a list, into the paragraph that they stand at.
    if (name === 'p' && inner.some((child) => child.type === 'element'))
      return [element('div', inner)];
    const isCell = role === 'TD' || role === 'TH';
    return [element(name, inner, isCell ? { ...spans.get(firstContent(children) ?? '') } : {})];
  };
  const listOf = (children: TagNode[]): Element => {
    const label = children
      .flatMap(({ children: parts = [] }) => parts)
      .find(({ role }) => role === 'Lbl');
    const number = /\d{1,6}/.exec(label === undefined ? '' : plainText(labelOf(label)))?.[0];
    const items = children.flatMap(read);
    if (number !== undefined) return element('ol', items, { start: Number(number) });
    const marks = items.map(markOf);
    const [first] = marks;
    if (
      label !== undefined ||
      first === undefined ||
      !marks.every((each) => each?.kind === first.kind)
    )
      return element('ul', items);
    for (const each of marks) if (each !== undefined) each.text.value = each.rest;
    return first.kind === 'number'
      ? element('ol', items, { start: first.number })
      : element('ul', items);
  };
  const labelOf = ({ children = [], id = '', type }: TagNode): string =>
    type === 'content' ? (texts.get(id) ?? '') : children.map(labelOf).join('');
  return { type: 'root', children: read(tree) };
}

/** Some programs write the number or bullet of an item into its text, and give it no label. */
function markOf(
  item: ElementContent,
): { text: Text; kind: string; number: number; rest: string } | undefined {
  const text = textsIn(item).find(({ value }) => value.trim() !== '');
  const [begin, number, bullet = 'number'] = ITEM_MARK.exec(text?.value ?? '') ?? [];
  if (text === undefined || begin === undefined) return undefined;
  return { text, kind: bullet, number: Number(number), rest: text.value.slice(begin.length) };
}

/** `o` is the second bullet of Word, in a font in which it is a ring. */
const ITEM_MARK = new RegExp(`^\\s*(?:(\\d{1,3})[.)]|(${BULLET}|o))\\s+`, 'u');

const textsIn = (node: ElementContent): Text[] => {
  if (node.type === 'text') return [node];
  return node.type === 'element' ? node.children.flatMap(textsIn) : [];
};

const firstContent = (children: readonly TagNode[]): string | undefined => {
  for (const { type, id, children: inner = [] } of children) {
    const content = type === 'content' ? id : firstContent(inner);
    if (content !== undefined) return content;
  }
  return undefined;
};

/** The text of each marked part of a page. */
const textsById = (items: readonly PdfItem[]): Map<string, string> => {
  const lines = new Map<string, PdfItem[][]>();
  const open: (string | undefined)[] = [];
  let last: { y: number; size: number; text: string } | undefined;
  let before: PdfItem | undefined;
  const apart = new Set<string>();
  for (const item of items) {
    // A part without a number is in the one around it.
    if (item.type === 'beginMarkedContent' || item.type === 'beginMarkedContentProps')
      open.push(item.id ?? open.at(-1));
    else if (item.type === 'endMarkedContent') open.pop();
    const id = open.at(-1);
    if (item.str === undefined || id === undefined) continue;
    const own = lines.get(id) ?? [[]];
    lines.set(id, own);
    const { str, height = 0, transform = [] } = item;
    const y = transform[5] ?? 0;
    const isMark = last !== undefined && /^\d{1,3}$/.test(str) && isRaised({ y, height }, last);
    if (own.length === 1 && own[0]?.length === 0 && before !== undefined && isApart(before, item))
      apart.add(id);
    before = item;
    own.at(-1)?.push(isMark ? { ...item, str: raised(str, last?.text ?? '') } : item);
    if (!isMark && str.trim() !== '') last = { y, size: height, text: str };
    if (item.hasEOL === true) own.push([]);
  }
  return new Map(
    [...lines].map(([id, own]) => [
      id,
      (apart.has(id) ? ' ' : '') + withLetters(own.map(textOfLine).join(' ')),
    ]),
  );
};

/** Whether a gap in the line parts what follows from the end of the marked part before it. */
const isApart = (before: PdfItem, item: PdfItem): boolean => {
  const { str = '', height = 0, width = 0, transform: [, , , , x = 0, y = 0] = [] } = item;
  const {
    str: last = '',
    width: lastWidth = 0,
    transform: [, , , , lastX = 0, lastY = 0] = [],
  } = before;
  if (
    str === '' ||
    last === '' ||
    /\s$/.test(last) ||
    /^\s/.test(str) ||
    Math.abs(y - lastY) > height / 2
  )
    return false;
  return Math.max(x - lastX - lastWidth, lastX - x - width) > MIN_SPACE * height;
};
