import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { NotReadable } from './document-text.ts';

interface XmlHandlers {
  open?(name: string, attributes: Record<string, string>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Thrown to end reading: what follows is not needed. */
export class Enough extends Error {}

/**
 * Reads XML from its beginning to its end, without a tree; names are without their prefix. Nothing but the five entities is resolved.
 *
 * @throws {NotReadable} When it is not well-formed.
 */
export function readXml(xml: string, { open, close, text }: XmlHandlers): void {
  const parser = new SaxesParser();
  let depth = 0;
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw tooDeep();
    open?.(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    close?.(localName(name));
  });
  parser.on('text', (value) => text?.(value));
  parser.on('error', (error) => {
    throw new NotReadable('it is damaged', { cause: error });
  });
  try {
    parser.write(xml).close();
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
}

/** As {@link readXml}; what is damaged is read up to its first mistake. */
export function tryReadXml(xml: string, handlers: XmlHandlers): void {
  try {
    readXml(xml, handlers);
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Elements and attributes that may still be read of a document. */
export interface XmlBudget {
  nodes: number;
  isCut: boolean;
}

export type IsRead = (name: string, parent: string, attributes: Record<string, string>) => boolean;

/** Deeper XML is written by no program, and the libraries that make a tree of it are recursive. */
const MAX_DEPTH = 300;

const tooDeep = (): NotReadable =>
  new NotReadable(`its XML is nested more than ${MAX_DEPTH} levels deep`);

const ATTRIBUTE = /\s([\w:.-]+)\s*=\s*(?:"[^"]*"|'[^']*')/g;

/** Mistakes of the XML after which it is not read on: each takes a stack trace. */
const MAX_ERRORS = 100;

/**
 * XML that has no more elements and attributes than the budget, which it uses up: what follows is cut, and what is open is closed. For
 * libraries that make a tree, in which an element takes a kilobyte.
 *
 * @param isRead Whether an element is read, by its name, that of the one around it and its attributes; others are left out with all that they hold.
 * @param unread Names of attributes that are left out.
 * @throws {NotReadable} When it is nested too deep, or has very many mistakes.
 */
export function boundXml(
  xml: string,
  budget: XmlBudget,
  { isRead, unread }: { isRead: IsRead; unread: RegExp },
): string {
  const parser = new SaxesParser();
  const open: string[] = [];
  const pieces: string[] = [];
  /** What has been copied so far. */
  let from = 0;
  let unreadDepth: number | undefined;
  let isCut = false;
  let errors = 0;
  const startOfTag = (): number => xml.lastIndexOf('<', parser.position - 1);
  parser.on('opentag', ({ name, attributes, isSelfClosing }: SaxesTagPlain) => {
    const isUnread = unreadDepth === undefined && !isRead(name, open.at(-1) ?? '', attributes);
    if (isUnread) pieces.push(xml.slice(from, startOfTag()));
    else if (unreadDepth === undefined) {
      const start = startOfTag();
      const names = Object.keys(attributes);
      const unreadNames = names.filter((each) => unread.test(each)).length;
      budget.nodes -= 1 + names.length - unreadNames;
      isCut = budget.nodes < 0;
      if (isCut || unreadNames > 0) pieces.push(xml.slice(from, start));
      if (isCut) throw new Enough();
      if (unreadNames > 0) {
        pieces.push(
          xml
            .slice(start, parser.position)
            .replace(ATTRIBUTE, (all, each) => (unread.test(each) ? '' : all)),
        );
        from = parser.position;
      }
    }
    if (isUnread && isSelfClosing) from = parser.position;
    if (isSelfClosing) return;
    if (isUnread) unreadDepth = open.length;
    open.push(name);
    if (open.length > MAX_DEPTH) throw tooDeep();
  });
  parser.on('closetag', ({ isSelfClosing }) => {
    if (isSelfClosing) return;
    open.pop();
    if (open.length !== unreadDepth) return;
    unreadDepth = undefined;
    from = parser.position;
  });
  // The library that makes the tree decides what is damaged.
  parser.on('error', (error) => {
    errors += 1;
    if (errors > MAX_ERRORS) throw new NotReadable('it is damaged', { cause: error });
  });
  try {
    parser.write(xml).close();
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  if (!isCut) return pieces.join('') + (unreadDepth === undefined ? xml.slice(from) : '');
  budget.isCut = true;
  return (
    pieces.join('') +
    open
      .toReversed()
      .map((name) => `</${name}>`)
      .join('')
  );
}
