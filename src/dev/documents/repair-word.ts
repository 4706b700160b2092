import { DOMParser, XMLSerializer } from '@xmldom/xmldom';
import { NotReadable } from './document-text.ts';
import type { OfficeParts } from './office-file.ts';
import { readXml } from './read-xml.ts';

/** Parts of a Word document whose text is read. */
const PARTS = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml'];

/**
 * Puts right what the converter shows by mistake or loses: hidden and moved text goes; fields, text directions and tags give what they
 * enclose; equations become text; double strikes are strikes.
 */
export function repairWord(parts: OfficeParts): void {
  const hiddenStyles = hiddenStylesIn(parts.get('word/styles.xml') ?? '');
  for (const part of PARTS) {
    const xml = parts.get(part);
    if (xml !== undefined && MARKS.test(xml)) parts.set(part, repair(xml, hiddenStyles));
  }
}

/** What there is to repair begins so. */
const MARKS = /<(?:w:vanish|w:specVanish|w:rStyle|w:fldSimple|w:bdo|w:dir|w:smartTag|w:moveFrom|w:dstrike|m:oMath)\b/;

type Node = ReturnType<DOMParser['parseFromString']>['documentElement'];

const childrenOf = (node: Node): Node[] => {
  const children: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (child.nodeType === 1) children.push(child as Node); // 1 is an element
  return children;
};

const isOn = (node: Node | undefined): boolean =>
  node !== undefined && !/^(?:0|false|off|none)$/i.test(node.getAttribute('w:val') ?? '');

const named = (node: Node | undefined, ...names: string[]): Node | undefined =>
  node && childrenOf(node).find(({ nodeName }) => names.includes(nodeName));

/** Ids of the styles that hide their text. */
const hiddenStylesIn = (xml: string): ReadonlySet<string> => {
  const hidden = new Set<string>();
  let id = '';
  try {
    readXml(xml, {
      open: (name, attributes) => {
        if (name === 'style') id = attributes['w:styleId'] ?? '';
        if (name === 'vanish' && /^(?:1|true|on)$/.test(attributes['w:val'] ?? 'on')) hidden.add(id);
      },
    });
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
  }
  return hidden;
};

const UNWRAPPED = new Set(['w:fldSimple', 'w:bdo', 'w:dir', 'w:smartTag', 'm:oMathPara']);
const MAX_DEPTH = 200;

const repair = (xml: string, hiddenStyles: ReadonlySet<string>): string => {
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  const visit = (node: Node, depth: number): void => {
    for (const child of childrenOf(node)) {
      const name = child.nodeName;
      if (name === 'w:moveFrom' || (name === 'w:r' && isHidden(child, hiddenStyles))) {
        node.removeChild(child);
        continue;
      }
      if (name === 'm:oMath') {
        node.replaceChild(runOf(document, formulaOf(child)), child);
        continue;
      }
      if (name === 'w:dstrike' && isOn(child)) node.appendChild(document.createElement('w:strike'));
      if (depth < MAX_DEPTH) visit(child, depth + 1);
      if (!UNWRAPPED.has(name)) continue;
      while (child.firstChild !== null) node.insertBefore(child.firstChild, child);
      node.removeChild(child);
    }
  };
  visit(document.documentElement, 0);
  return new XMLSerializer().serializeToString(document);
};

const isHidden = (run: Node, hiddenStyles: ReadonlySet<string>): boolean => {
  const properties = named(run, 'w:rPr');
  const own = named(properties, 'w:vanish', 'w:specVanish');
  if (own !== undefined) return isOn(own);
  return hiddenStyles.has(named(properties, 'w:rStyle')?.getAttribute('w:val') ?? '');
};

const runOf = (document: ReturnType<DOMParser['parseFromString']>, value: string): Node => {
  const run = document.createElement('w:r');
  const text = document.createElement('w:t');
  text.setAttribute('xml:space', 'preserve');
  text.appendChild(document.createTextNode(value));
  run.appendChild(text);
  return run;
};

/** An equation on one line: `(a)/(b)`, `x^2`, `√(y)` (ISO 29500-1, 22.1). */
const formulaOf = (node: Node): string => {
  const part = (name: string): string =>
    childrenOf(node)
      .filter(({ localName }) => localName === name)
      .map(formulaOf)
      .join(', ');
  switch (node.localName) {
    case 't':
      return node.textContent ?? '';
    case 'f':
      return `(${part('num')})/(${part('den')})`;
    case 'sSup':
      return `${part('e')}^${grouped(part('sup'))}`;
    case 'sSub':
      return `${part('e')}_${grouped(part('sub'))}`;
    case 'rad':
      return `√(${part('e')})`;
    case 'd':
      return `(${part('e')})`;
    default:
      return /Pr$/.test(node.localName ?? '') ? '' : childrenOf(node).map(formulaOf).join('');
  }
};

const grouped = (text: string): string => ([...text].length > 1 ? `(${text})` : text);
