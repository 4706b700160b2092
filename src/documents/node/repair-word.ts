import { DOMParser, XMLSerializer } from '@xmldom/xmldom';
import type { OfficeParts } from './office-file.ts';
import { readWordNumbers, type WordNumbers } from './word-numbers.ts';
import type { ListPlace, WordStyles } from './word-styles.ts';

/** Parts of a Word document whose text is read. */
const PARTS = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml'];

/** The style that code gets, whatever its own is called. */
export const CODE_STYLE = 'CodeBlock';

/**
 * Puts right what the converter shows by mistake or loses: hidden and moved text and tables of contents go; fields, text directions and tags
 * give what they enclose; equations become text; styles that are based on headings, on lists and on hidden ones count as these; items keep
 * their numbers.
 */
export function repairWord(parts: OfficeParts, styles: WordStyles): void {
  const numbers = readWordNumbers(parts.get('word/numbering.xml') ?? '');
  for (const part of PARTS) {
    const xml = parts.get(part);
    if (xml !== undefined && MARKS.test(xml)) parts.set(part, repair(xml, { styles, numbers }));
  }
}

/** What there is to repair begins so. */
const MARKS =
  /<(?:w:vanish|w:specVanish|w:rStyle|w:rFonts|w:pStyle|w:numPr|w:outlineLvl|w:fldSimple|w:bdo|w:dir|w:smartTag|w:moveFrom|w:dstrike|w:sdt|w:br|w:cr|w:ptab|w:ruby|w:hidden|w:gridBefore|mc:AlternateContent|m:oMath)\b/;

type Node = ReturnType<DOMParser['parseFromString']>['documentElement'];
type XmlDocument = ReturnType<DOMParser['parseFromString']>;

interface Repair {
  styles: WordStyles;
  numbers: WordNumbers;
}

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

const settingOf = (node: Node | undefined): string => node?.getAttribute('w:val') ?? '';

const UNWRAPPED = new Set(['w:fldSimple', 'w:bdo', 'w:dir', 'w:smartTag', 'm:oMathPara']);
const MAX_DEPTH = 200;

const repair = (xml: string, state: Repair): string => {
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  const visit = (node: Node, depth: number): void => {
    for (const child of childrenOf(node)) {
      const name = child.nodeName;
      if (isUnseen(child, state)) {
        node.removeChild(child);
        continue;
      }
      const other = replacementOf(child, document);
      if (other !== undefined) {
        node.replaceChild(other, child);
        if (other.nodeName !== 'w:pict') continue;
      }
      const current = other ?? child;
      if (name === 'w:dstrike' && isOn(child)) node.appendChild(document.createElement('w:strike'));
      if (name === 'w:p') readParagraph(child, document, state);
      if (name === 'w:tr') padRow(child, document);
      if (depth < MAX_DEPTH) visit(current, depth + 1);
      if (!UNWRAPPED.has(name)) continue;
      while (child.firstChild !== null) node.insertBefore(child.firstChild, child);
      node.removeChild(child);
    }
  };
  visit(document.documentElement, 0);
  return new XMLSerializer().serializeToString(document);
};

/** What Word does not show, and the table of contents that it makes itself. */
function isUnseen(node: Node, { styles }: Repair): boolean {
  switch (node.nodeName) {
    case 'w:moveFrom':
      return true;
    case 'w:r':
      return isHidden(node, styles);
    case 'w:p': {
      const style = styleOf(node);
      return styles.isContents(style) || styles.isHidden(style);
    }
    case 'w:tr':
      return isOn(named(named(node, 'w:trPr'), 'w:hidden'));
    case 'w:sdt':
      return /table of contents/i.test(
        settingOf(named(named(named(node, 'w:sdtPr'), 'w:docPartObj'), 'w:docPartGallery')),
      );
    default:
      return false;
  }
}

const styleOf = (paragraph: Node): string =>
  settingOf(named(named(paragraph, 'w:pPr'), 'w:pStyle'));

const isHidden = (run: Node, styles: WordStyles): boolean => {
  const properties = named(run, 'w:rPr');
  const own = named(properties, 'w:vanish', 'w:specVanish');
  if (own !== undefined) return isOn(own);
  return styles.isHidden(settingOf(named(properties, 'w:rStyle')));
};

/** What the converter reads in place of what it does not know. */
function replacementOf(node: Node, document: XmlDocument): Node | undefined {
  switch (node.nodeName) {
    case 'm:oMath':
      return runOf(document, formulaOf(node));
    case 'w:ruby':
      return textOf(
        document,
        `${wordsOf(named(node, 'w:rubyBase'))} (${wordsOf(named(node, 'w:rt'))})`,
      );
    case 'w:cr':
      return document.createElement('w:br');
    case 'w:br':
      return node.hasAttribute('w:type') ? document.createElement('w:br') : undefined;
    case 'w:ptab':
      return document.createElement('w:tab');
    case 'mc:AlternateContent': {
      // The converter finds a text box by its older form alone.
      const box = named(node, 'mc:Fallback') === undefined ? boxIn(node, 0) : undefined;
      if (box === undefined) return undefined;
      const picture = document.createElement('w:pict');
      picture.appendChild(box);
      return picture;
    }
    default:
      return undefined;
  }
}

const wordsOf = (node: Node | undefined): string => node?.textContent?.trim() ?? '';

function boxIn(node: Node, depth: number): Node | undefined {
  for (const child of childrenOf(node)) {
    const box =
      child.nodeName === 'w:txbxContent' ? child : depth < 12 ? boxIn(child, depth + 1) : undefined;
    if (box !== undefined) return box;
  }
  return undefined;
}

/** Characters that no text has: they enclose the number of an item, until its element is there. */
const OPEN = '\ue000';
const CLOSE = '\ue001';

/** Gives items of lists the numbers that Word shows, in HTML that the converter made of a repaired document. */
export function withNumbers(html: string): string {
  return html
    .replace(new RegExp(`<li>${OPEN}(\\d{1,9})${CLOSE}`, 'g'), '<li value="$1">')
    .replace(new RegExp(`${OPEN}(\\d{1,9})${CLOSE}`, 'g'), '$1. ');
}

/** Its style becomes one that the converter knows; it gets the number that Word shows. */
function readParagraph(paragraph: Node, document: XmlDocument, { styles, numbers }: Repair): void {
  const settings = named(paragraph, 'w:pPr');
  const style = styleOf(paragraph);
  const outline = named(settings, 'w:outlineLvl');
  const direct = outline === undefined ? undefined : Number(settingOf(outline)) + 1;
  const heading = direct !== undefined && direct <= 9 ? direct : styles.headingOf(style);
  const place = placeOf(settings, style, styles);
  const isCode = styles.isCode(style) || (place === undefined && isFixed(paragraph, styles));
  if (heading === undefined && place === undefined && !isCode) return;
  const properties = settings ?? document.createElement('w:pPr');
  if (settings === undefined) paragraph.insertBefore(properties, paragraph.firstChild);
  if (heading !== undefined) setStyle(properties, `Heading${Math.min(heading, 6)}`, document);
  else if (isCode) setStyle(properties, CODE_STYLE, document);
  if (place === undefined) return;
  const level = place.level ?? numbers.levelOf(place.numId, style);
  const number = numbers.next(place.numId, level);
  const own = named(properties, 'w:numPr');
  // `2.3.1.` is no number that items of Markdown have.
  if (heading !== undefined || /\d\W+\d/.test(number?.label ?? '')) {
    if (own !== undefined) properties.removeChild(own);
    if (number !== undefined && number.label !== '')
      prepend(paragraph, `${number.label} `, document);
    return;
  }
  if (own === undefined) properties.appendChild(listOf(place.numId, level, document));
  const hasWords = (paragraph.textContent ?? '').trim() !== '';
  if (number !== undefined && number.value > 0 && hasWords)
    prepend(paragraph, OPEN + number.value + CLOSE, document);
}

/** Whether all its characters have the same width, as those of code. */
function isFixed(paragraph: Node, styles: WordStyles): boolean {
  const runs = runsIn(paragraph);
  if (runs.length === 0) return false;
  return runs.every((run) => {
    const properties = named(run, 'w:rPr');
    if (named(properties, 'w:rFonts') !== undefined) return true;
    return styles.isFixed(settingOf(named(properties, 'w:rStyle')) || styleOf(paragraph));
  });
}

/** Those that have words, also in links and tags. */
const runsIn = (node: Node): Node[] =>
  childrenOf(node).flatMap((child) => {
    if (child.nodeName === 'w:pPr') return [];
    if (child.nodeName !== 'w:r') return runsIn(child);
    return child.textContent?.trim() ? [child] : [];
  });

function placeOf(
  properties: Node | undefined,
  style: string,
  styles: WordStyles,
): ListPlace | undefined {
  const own = named(properties, 'w:numPr');
  const level = named(own, 'w:ilvl');
  const inherited = styles.listOf(style);
  const numId = settingOf(named(own, 'w:numId')) || inherited?.numId || '';
  // 0 takes a paragraph out of the list of its style.
  if (numId === '' || numId === '0') return undefined;
  return {
    numId,
    level:
      level === undefined ? (own === undefined ? inherited?.level : 0) : Number(settingOf(level)),
  };
}

function setStyle(properties: Node, id: string, document: XmlDocument): void {
  const own = named(properties, 'w:pStyle');
  const style = own ?? document.createElement('w:pStyle');
  style.setAttribute('w:val', id);
  if (own === undefined) properties.insertBefore(style, properties.firstChild);
}

function listOf(numId: string, level: number, document: XmlDocument): Node {
  const list = document.createElement('w:numPr');
  for (const [name, value] of [
    ['w:ilvl', String(level)],
    ['w:numId', numId],
  ] as const) {
    const part = document.createElement(name);
    part.setAttribute('w:val', value);
    list.appendChild(part);
  }
  return list;
}

const prepend = (paragraph: Node, value: string, document: XmlDocument): void => {
  const properties = named(paragraph, 'w:pPr');
  paragraph.insertBefore(runOf(document, value), properties?.nextSibling ?? null);
};

const MAX_PADDING = 50;

/** A row that begins in a later column has empty cells before it. */
function padRow(row: Node, document: XmlDocument): void {
  const properties = named(row, 'w:trPr');
  const count = Math.min(Number(settingOf(named(properties, 'w:gridBefore'))) || 0, MAX_PADDING);
  for (let at = 0; at < count; at += 1) {
    const cell = document.createElement('w:tc');
    cell.appendChild(document.createElement('w:p'));
    row.insertBefore(cell, properties?.nextSibling ?? null);
  }
}

const textOf = (document: XmlDocument, value: string): Node => {
  const text = document.createElement('w:t');
  text.setAttribute('xml:space', 'preserve');
  text.appendChild(document.createTextNode(value));
  return text;
};

const runOf = (document: XmlDocument, value: string): Node => {
  const run = document.createElement('w:r');
  run.appendChild(textOf(document, value));
  return run;
};

/** An equation on one line: `(a)/(b)`, `x^2`, `∑_(i=1)^n`, `√(y)` (ISO 29500-1, 22.1). */
const formulaOf = (node: Node): string => {
  const part = (name: string, separator = ', '): string =>
    childrenOf(node)
      .filter(({ localName }) => localName === name)
      .map(formulaOf)
      .join(separator);
  const setting = (name: string, initial: string): string => {
    const properties = childrenOf(node).find(({ localName }) => /Pr$/.test(localName ?? ''));
    return named(properties, `m:${name}`)?.getAttribute('m:val') ?? initial;
  };
  const script = (mark: '_' | '^', name: string): string =>
    part(name) === '' ? '' : mark + grouped(part(name));
  switch (node.localName) {
    case 't':
      return node.textContent ?? '';
    case 'f':
      return `(${part('num')})/(${part('den')})`;
    case 'sSup':
    case 'sSub':
    case 'sSubSup':
      return part('e') + script('_', 'sub') + script('^', 'sup');
    case 'sPre':
      return `${script('_', 'sub')}${script('^', 'sup')}${part('e')}`;
    case 'nary':
      return `${setting('chr', '∫')}${script('_', 'sub')}${script('^', 'sup')} ${part('e')}`;
    case 'limLow':
      return part('e') + script('_', 'lim');
    case 'limUpp':
      return part('e') + script('^', 'lim');
    case 'func':
      return `${part('fName')} ${part('e')}`;
    case 'rad':
      return `${script('^', 'deg')}√(${part('e')})`;
    case 'd':
      return setting('begChr', '(') + part('e', setting('sepChr', '|')) + setting('endChr', ')');
    case 'm':
      return `[${part('mr', '; ')}]`;
    case 'mr':
      return part('e', ' ');
    case 'eqArr':
      return part('e', '; ');
    default:
      return /Pr$/.test(node.localName ?? '') ? '' : childrenOf(node).map(formulaOf).join('');
  }
};

const grouped = (text: string): string => ([...text].length > 1 ? `(${text})` : text);
