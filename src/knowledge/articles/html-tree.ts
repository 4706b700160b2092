import { BLOCK_ELEMENTS, VOID_ELEMENTS } from '../../markup/html-elements.ts';

export interface HtmlElement {
  /** In small letters. */
  name: string;
  /** What stands between the name and the end of the tag, as written. */
  attributes: string;
  children: HtmlNode[];
}

/** A text, entities decoded, or an element. */
export type HtmlNode = string | HtmlElement;

/** An element stands more than 200 levels deep. */
export class TooDeep extends Error {
  override name = 'TooDeep';
}

const MAX_DEPTH = 200;

export interface HtmlTree {
  root: HtmlElement;
  text(text: string): void;
  /** Throws `TooDeep`. */
  open(name: string, attributes: string, isSelfClosing: boolean): void;
  close(name: string): void;
  isWithin(name: string): boolean;
}

/**
 * Grows a tree from the tags of a page, with the end tags that HTML lets one leave out (HTML Standard, 13.1.2.4): a `<li>`
 * ends the one before it, a block ends a paragraph. What stands in a table outside of its cells moves before the table, as in
 * browsers. An end tag without its start is passed over; formatting that is open when its block ends, ends with it.
 */
export const htmlTree = (): HtmlTree => {
  const root: HtmlElement = { name: 'body', attributes: '', children: [] };
  const open: Opened[] = [{ element: root, parent: root }];
  const top = (): HtmlElement => open.at(-1)?.element ?? root;
  const nearest = (names: ReadonlySet<string>, bounds: ReadonlySet<string>): number => {
    for (let at = open.length - 1; at > 0; at--) {
      const { name } = open[at]?.element ?? root;
      if (names.has(name)) return at;
      if (bounds.has(name)) return -1;
    }
    return -1;
  };
  const cutAt = (length: number) => {
    if (length > 0) open.length = length;
  };
  const put = (node: HtmlNode): HtmlElement => {
    const isMisplaced =
      TABLE_FRAME.has(top().name) && (typeof node === 'string' ? node.trim() !== '' : !IN_TABLE.has(node.name));
    const table = isMisplaced ? open[nearest(TABLE, NONE)] : undefined;
    const parent = table?.parent ?? top();
    if (table) parent.children.splice(parent.children.lastIndexOf(table.element), 0, node);
    else parent.children.push(node);
    return parent;
  };
  const push = (element: HtmlElement) => {
    const parent = put(element);
    open.push({ element, parent });
    if (open.length > MAX_DEPTH) throw new TooDeep('Cannot read the page: it is nested too deep');
  };
  /** Ends what the start tag implies to have ended; says whether the element may stand here. */
  const makeRoom = (name: string): boolean => {
    const frames = TABLE_FRAMES[name];
    if (frames) {
      const frame = nearest(frames, NONE);
      cutAt(frame + 1);
      if (frame > 0 && CELL.has(name) && top().name !== 'tr') push({ name: 'tr', attributes: '', children: [] });
      return frame > 0;
    }
    if (ENDS_PARAGRAPH.has(name)) cutAt(nearest(PARAGRAPH, SCOPE));
    if (name === 'table' && TABLE_FRAME.has(top().name)) close(name);
    const ends = IMPLIED_ENDS[name];
    if (ends) cutAt(nearest(ends.names, ends.bounds));
    if (HEADING.has(name) && HEADING.has(top().name)) open.pop();
    return true;
  };
  const close = (name: string) => {
    if (name === 'br') put({ name, attributes: '', children: [] });
    const names = HEADING.has(name) ? HEADING : new Set([name]);
    const at = nearest(names, name === 'table' ? NONE : TABLE_FRAMES[name] ? TABLE : SCOPE);
    const isCrossed = open.slice(at + 1).some(({ element }) => BLOCK_ELEMENTS.has(element.name));
    if (at > 0 && isCrossed && !BLOCK_ELEMENTS.has(name) && !TABLE_FRAMES[name]) open.splice(at, 1);
    else cutAt(at);
  };
  return {
    root,
    text: put,
    open: (name, attributes, isSelfClosing) => {
      if (SEEN_THROUGH.has(name)) return;
      if (name === 'a') close(name);
      if (!makeRoom(name)) return;
      const element = { name, attributes, children: [] };
      const isForeign = isSelfClosing && nearest(FOREIGN, NONE) > 0;
      if (VOID_ELEMENTS.has(name) || isForeign) put(element);
      else push(element);
    },
    close,
    isWithin: (name) => nearest(new Set([name]), NONE) > 0,
  };
};

interface Opened {
  element: HtmlElement;
  /** Where the element was put, which is not always what was open. */
  parent: HtmlElement;
}

const NONE: ReadonlySet<string> = new Set();
const TABLE = new Set(['table']);
const CELL = new Set(['td', 'th']);
const PARAGRAPH = new Set(['p']);
const HEADING = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const FOREIGN = new Set(['svg', 'math']);
const SEEN_THROUGH = new Set(['html', 'head', 'body']);
const LIST_ITEM = new Set(['li']);
const TERM = new Set(['dt', 'dd']);
const OPTION = new Set(['option']);

/** Beyond these no end tag reaches, but that of a part of a table. */
const SCOPE = new Set(['table', 'td', 'th', 'caption', 'button', 'object', 'template', 'applet', 'svg', 'math']);
const ENDS_PARAGRAPH = new Set([...BLOCK_ELEMENTS, 'form', 'nav', 'menu', 'dialog', 'hgroup', 'search']);
const IMPLIED_ENDS: Record<string, { names: ReadonlySet<string>; bounds: ReadonlySet<string> } | undefined> = {
  li: { names: LIST_ITEM, bounds: new Set([...SCOPE, 'ul', 'ol', 'menu', 'blockquote']) },
  dt: { names: TERM, bounds: new Set([...SCOPE, 'dl', 'blockquote']) },
  dd: { names: TERM, bounds: new Set([...SCOPE, 'dl', 'blockquote']) },
  option: { names: OPTION, bounds: new Set([...SCOPE, 'select', 'datalist']) },
};

/** The parts of a table, and what each may stand in; one outside of a table is passed over. */
const SECTIONS = ['table', 'thead', 'tbody', 'tfoot'];
const TABLE_FRAMES: Record<string, ReadonlySet<string> | undefined> = {
  ...{ caption: TABLE, colgroup: TABLE, thead: TABLE, tbody: TABLE, tfoot: TABLE },
  ...{ tr: new Set(SECTIONS), td: new Set([...SECTIONS, 'tr']), th: new Set([...SECTIONS, 'tr']) },
};
const TABLE_FRAME = new Set([...SECTIONS, 'tr', 'colgroup']);
const IN_TABLE = new Set([
  ...['caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'],
  ...['script', 'style', 'template', 'form', 'input'],
]);
