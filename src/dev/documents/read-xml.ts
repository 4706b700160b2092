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
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => open?.(localName(name), attributes));
  parser.on('closetag', ({ name }) => close?.(localName(name)));
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

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Elements and attributes that may still be read of a document. */
export interface XmlBudget {
  nodes: number;
  isCut: boolean;
}

/** Deeper XML is written by no program, and the libraries that make a tree of it are recursive. */
const MAX_DEPTH = 300;

/**
 * XML that has no more elements and attributes than the budget, which it uses up: what follows is cut, and what is open is closed. For
 * libraries that make a tree, in which an element takes a kilobyte.
 *
 * @throws {NotReadable} When it is nested too deep.
 */
export function boundXml(xml: string, budget: XmlBudget): string {
  const parser = new SaxesParser();
  const open: string[] = [];
  let cut: number | undefined;
  parser.on('opentag', ({ name, attributes, isSelfClosing }: SaxesTagPlain) => {
    budget.nodes -= 1 + Object.keys(attributes).length;
    if (budget.nodes < 0) {
      cut = xml.lastIndexOf('<', parser.position - 1);
      throw new Enough();
    }
    if (isSelfClosing) return;
    open.push(name);
    if (open.length > MAX_DEPTH) throw new NotReadable(`its XML is nested more than ${MAX_DEPTH} levels deep`);
  });
  parser.on('closetag', ({ isSelfClosing }) => {
    if (!isSelfClosing) open.pop();
  });
  // The library that makes the tree decides what is damaged.
  parser.on('error', () => undefined);
  try {
    parser.write(xml).close();
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  if (cut === undefined) return xml;
  budget.isCut = true;
  return (
    xml.slice(0, cut) +
    open
      .toReversed()
      .map((name) => `</${name}>`)
      .join('')
  );
}
