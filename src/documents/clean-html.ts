import type { Element, ElementContent, Root } from 'hast';
import type { OmissionKind } from '../contract/wire/host-article.ts';
import { formulaOf, plainTex } from './formula.ts';
import {
  classesOf,
  element,
  elementChildren,
  elementsOf,
  INVISIBLE,
  isElement,
  labelOf,
  lineOf,
  type Parent,
  propertyOf,
  spacedTextOf,
  textOf,
  words,
} from './hast.ts';
import { readIcons } from './icons.ts';
import { readNotes } from './notes.ts';
import type { Omissions } from './omissions.ts';
import { noteMark, noteMarksOf, readScript } from './script-marks.ts';
import { spreadSpans } from './table-spans.ts';
import { labelTabs, revealedBy } from './tabs.ts';

export interface CleaningOptions {
  /** Whether it is a page of a site: what surrounds its content is dropped too. */
  isPage?: boolean | undefined;
  /** Address against which relative links are resolved; without one they become their words. */
  base?: string | undefined;
  /** Language of the document, for the labels of notes. */
  language?: string | undefined;
  /** Collects what is left out. */
  omissions?: Omissions | undefined;
}

interface Cleaning {
  isPage: boolean;
  base: string | undefined;
  revealed: ReadonlySet<Element>;
  noteMarks: ReadonlySet<string>;
  isInHeading: boolean;
  isInCode: boolean;
  isInLink: boolean;
  /** The language of code, as an element around it names it. */
  codeLanguage: string | undefined;
  omissions: Omissions | undefined;
}

/**
 * Makes a tree what a reader sees, by elements that Markdown has: nothing hidden, no script, no controls but their labels; tabs and
 * folded parts under their label, merged cells spelled out, notes as quotes. Each rule is linear in the children of a parent.
 */
export function cleanHtml(
  root: Root,
  { isPage = false, base, language, omissions }: CleaningOptions = {},
): void {
  labelTabs(root);
  readIcons(root);
  readNotes(root, language);
  const revealed = revealedBy(root);
  const noteMarks = noteMarksOf(root);
  clean(root, {
    isPage,
    base,
    revealed,
    noteMarks,
    isInHeading: false,
    isInCode: false,
    isInLink: false,
    codeLanguage: undefined,
    omissions,
  });
}

/** Elements that are left out, by what is lost with them; nothing that a reader would miss with the last ones. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  script: 'script style noscript template',
  embedded: 'iframe frame frameset object embed applet canvas audio video',
  image: 'svg',
  control: 'input textarea',
  surrounding: 'nav',
  '': 'link meta base head title rp',
};
const KIND_OF: ReadonlyMap<string, OmissionKind | ''> = new Map(
  Object.entries(LEFT_OUT).flatMap(([kind, names]) =>
    names.split(' ').map((name): [string, OmissionKind | ''] => [name, kind as OmissionKind | '']),
  ),
);
const PAGE_ROLES = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'dialog',
  'alertdialog',
  'tablist',
  'toolbar',
  'menu',
  'menubar',
]);
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const INLINE = new Set('a b code em i samp strong span u font small s del strike'.split(' '));

function clean(parent: Parent, state: Cleaning): void {
  const children: ElementContent[] = [];
  const hasWords = once(() => (parent.children as ElementContent[]).some(isRunningText));
  for (const child of parent.children as ElementContent[]) {
    if (child.type === 'text')
      add(children, words(state.isInCode ? child.value : readText(child.value, parent)));
    if (child.type === 'comment') state.omissions?.add('comment', () => child.value);
    if (child.type !== 'element') continue;
    const dropped = whyDropped(child, parent, state);
    if (dropped !== undefined) {
      if (dropped !== '') state.omissions?.add(dropped, () => spacedTextOf(child));
      continue;
    }
    for (const node of read(child, { parent, before: children, hasWords, state })) {
      const last = children.at(-1);
      if (state.isPage && isContents(node)) {
        // A short paragraph above a list of contents names it.
        if (isElement(last, 'p') && lineOf(last).length <= MAX_CONTENTS_TITLE) children.pop();
        state.omissions?.add('contents', () => spacedTextOf(node));
        continue;
      }
      add(children, node);
    }
  }
  parent.children = children;
  for (const child of children)
    if (child.type === 'text' && child.value.includes(EDGE))
      child.value = child.value.replace(EDGES, partOf);
}

/** Stands at the ends of the text of an image: a character that no text has. Between words it is a space. */
const EDGE = '\ufdd2';
const EDGES = /(?<word>(?<=[\p{Lu}\p{Ll}\p{N}])\ufdd2+(?=[\p{Lu}\p{Ll}\p{N}]))|\ufdd2/gu;
const partOf = (_: string, word: string | undefined): string => (word === undefined ? '' : ' ');

/** Without invisible characters, and without the marks of formulas that a script draws. */
function readText(text: string, parent: Parent): string {
  const visible = text.replace(INVISIBLE, '');
  return visible.includes('\\') && !isElement(parent as Element, 'code', 'kbd', 'samp')
    ? visible.replace(FORMULA, (_, inLine, block) => (inLine ?? block).trim())
    : visible;
}
const FORMULA = /\\\(((?:[^\\]|\\(?![()])){1,500})\\\)|\\\[((?:[^\\]|\\(?![[\]])){1,2000})\\\]/g;

const MAX_CONTENTS_TITLE = 40;

const isRunningText = (node: ElementContent): boolean =>
  node.type === 'text' && /[\p{L}\p{N}]/u.test(node.value);

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Adjacent texts are one, and an empty inline element is its white space: the next library takes cubic time in their number. */
function add(children: ElementContent[], node: ElementContent): void {
  const plain = isEmptyInline(node) ? words(textOf(node)) : node;
  const last = children.at(-1);
  if (plain.type === 'text' && last?.type === 'text') last.value += plain.value;
  else if (plain.type !== 'text' || plain.value !== '') children.push(plain);
}

function isEmptyInline(node: ElementContent): boolean {
  if (node.type !== 'element' || !INLINE.has(node.tagName)) return false;
  const [first, second] = node.children;
  return (
    first === undefined ||
    (second === undefined && first.type === 'text' && first.value.trim() === '')
  );
}

/** Undefined for an element that is read; empty for one whose loss no reader notices. */
function whyDropped(node: Element, parent: Parent, state: Cleaning): OmissionKind | '' | undefined {
  const { tagName, properties } = node;
  const kind = KIND_OF.get(tagName);
  if (isTask(node, parent) || isFormula(node)) return undefined;
  if (kind !== undefined) return tagName === 'input' && isButtonInput(node) ? undefined : kind;
  if (isHidden(node) && !state.revealed.has(node)) return 'hidden';
  if (
    PAGE_ROLES.has(String(properties.role ?? '')) &&
    (state.isPage || properties.role === 'tablist')
  )
    return properties.role === 'tablist' ? '' : 'surrounding';
  if (state.isPage && isSurrounding(node)) return 'surrounding';
  return tagName === 'a' && isAnchorMark(node, parent, state) ? '' : undefined;
}

/** The box of a task that is done or not. */
const isTask = (node: Element, parent: Parent): boolean =>
  node.tagName === 'input' &&
  node.properties.type === 'checkbox' &&
  node.properties.disabled !== undefined &&
  isElement(parent as Element, 'li', 'p', 'label');

/** The source of a formula that a script draws. */
const isFormula = ({ tagName, properties }: Element): boolean =>
  tagName === 'script' && /^math\/tex/i.test(String(properties.type ?? ''));

const isButtonInput = ({ properties }: Element): boolean =>
  /^(?:button|submit|reset|image)$/i.test(String(properties.type ?? ''));

function isHidden(node: Element): boolean {
  const { hidden, ariaHidden, style } = node.properties;
  if (
    (hidden !== undefined && hidden !== false && hidden !== 'until-found') ||
    ariaHidden === 'true'
  )
    return true;
  if (typeof style === 'string' && /(?:display:\s*none|visibility:\s*hidden)/i.test(style))
    return true;
  return / (?:sr-only|visually-hidden|visuallyhidden|screen-reader-text|is-hidden|d-none) /.test(
    classesOf(node),
  );
}

const SURROUNDING =
  / (?:(?:md-|site-|page-)?(?:sidebar|nav|navbar|navigation|breadcrumbs?|pagination)(?:-\S*|__\S*)?|toc|table-of-contents|on-this-page|cookie\S*|\S*consent\S*|skip-(?:link|to-content)|edit-(?:this-)?page|theme-edit\S*|share-\S+|social-\S+|related(?:-\S+)?|prev-next|(?:site-|page-|global-|main-)?footer|(?:theme-)?last-updated|mw-editsection|onetrust\S*|cc-(?:window|banner)|cybotcookiebot\S*|didomi\S*|usercentrics\S*|osano-\S*|truste-\S*|klaro|iubenda-\S*|cmplz-\S*|page-feedback|helpful\S*|\S*was-this-helpful\S*) /;

/** What surrounds the content of a page, by element or name. What begins with a heading is content, unless it is made of links. */
function isSurrounding(node: Element): boolean {
  const { tagName, properties } = node;
  if (tagName === 'aside' || tagName === 'dialog') return true;
  if (isElement(node, 'body', 'main', 'article', 'html', ...HEADINGS)) return false;
  if (isFeedback(node)) return true;
  const id =
    typeof properties.id === 'string' && isElement(node, 'div', 'nav', 'ul', 'header')
      ? `${properties.id.toLowerCase()} `
      : '';
  const names = `${classesOf(node)} ${id}`;
  if (/ \S*menu\S* /.test(names) && shareOfLinks(node) > 0.7) return true;
  if (names.trim() === '' || !SURROUNDING.test(names) || / has-\S*sidebar/.test(names))
    return false;
  const isHeaded = isElement(elementChildren(node)[0], ...HEADINGS);
  return !isHeaded || shareOfLinks(node) > 0.5;
}

/** Headings do not count. */
function shareOfLinks(node: Element): number {
  const inner = elementsOf(node);
  const length = (names: readonly string[]): number =>
    inner
      .filter((each) => isElement(each, ...names))
      .reduce((sum, each) => sum + lineOf(each).length, 0);
  const all = lineOf(node).length - length(HEADINGS);
  return all <= 0 ? 0 : length(['a']) / all;
}

const MAX_FEEDBACK = 100;

/** A short question with buttons to answer it ("Was this page helpful? Yes No"), or a link to edit the page. */
function isFeedback(node: Element): boolean {
  if (!isElement(node, 'p', 'div', 'form', 'section') || node.children.length > 12) return false;
  const line = lineOf(node);
  if (line.length > MAX_FEEDBACK) return false;
  const inner = elementsOf(node);
  if (inner.length > 20) return false;
  const controls = inner.filter(
    (each) => each.tagName === 'button' || each.properties.role === 'button' || isButtonInput(each),
  );
  if (controls.length >= 2 && /[?？؟]/.test(line) && !/[.。]/.test(line)) return true;
  const [link, other] = inner.filter(({ tagName }) => tagName === 'a');
  if (link === undefined || other !== undefined || lineOf(link) !== line) return false;
  return /\/edit(?:\/|$|\?)|[?&]action=edit|\/-\/edit\//.test(propertyOf(link, 'href') ?? '');
}

/** A link that only marks a heading or a place, and one that leads back from a note. */
function isAnchorMark(link: Element, parent: Parent, state: Cleaning): boolean {
  const text = lineOf(link);
  const { href, dataFootnoteBackref } = link.properties;
  if (
    dataFootnoteBackref !== undefined ||
    / \S*(?:footnote-back|fn-backref)\S* /.test(classesOf(link))
  )
    return true;
  if (/^#(?:footnote-ref|endnote-ref|fnref|cite_ref)/.test(String(href ?? ''))) return true;
  if (!state.isInHeading && !isElement(parent as Element, ...HEADINGS)) return false;
  if (/^[\s¶#§🔗]*$/u.test(text)) return elementsOf(link).every(({ tagName }) => tagName !== 'img');
  return (
    / (?:hash-link|headerlink|anchor|permalink|header-anchor|anchor-link|sl-anchor-link) /.test(
      classesOf(link),
    ) &&
    (text.length < 3 || parent.children.length > 1)
  );
}

/** A list of links to places of the page itself. */
function isContents(node: ElementContent): boolean {
  if (!isElement(node, 'ul', 'ol')) return false;
  const inner = elementsOf(node);
  const items = inner.filter(({ tagName }) => tagName === 'li').length;
  const links = inner.filter((each) => each.properties.dataInPage !== undefined);
  if (items < 2 || links.length < items) return false;
  return (
    lineOf(node).replace(/\s/g, '').length === links.map(lineOf).join('').replace(/\s/g, '').length
  );
}

interface Place {
  parent: Parent;
  before: ElementContent[];
  /** Whether words stand beside it. */
  hasWords: () => boolean;
  state: Cleaning;
}

function read(node: Element, place: Place): ElementContent[] {
  const { state, before } = place;
  const { tagName } = node;
  if (tagName === 'button' || (tagName === 'input' && isButtonInput(node)))
    return readButton(node, place);
  if (tagName === 'select') return [words(choicesOf(node))];
  if (tagName === 'math') return [words(formulaOf(node))];
  if (tagName === 'script') return [words(lineOf(node))];
  if (tagName === 'input') return [words(node.properties.checked === undefined ? '[ ] ' : '[x] ')];
  if (tagName === 'img') {
    const alternative = readImage(node, place);
    if (alternative.length === 0) state.omissions?.add('image', () => imageName(node));
    return alternative;
  }
  if (tagName === 'br' && state.isInHeading) return [words(' ')];
  if (tagName === 'wbr') return [];
  if (state.isInCode && isLineNumber(node)) return [];
  if (isBlock(node) && !state.isInHeading && !state.isInCode) node.tagName = 'div';
  const inner = { ...state };
  if (HEADINGS.includes(tagName)) inner.isInHeading = true;
  if (tagName === 'pre') inner.isInCode = true;
  if (isElement(node, 'pre', 'div', 'figure'))
    inner.codeLanguage = languageOf(node) ?? state.codeLanguage;
  if (tagName === 'a') inner.isInLink = propertyOf(node, 'href')?.includes('#') === true;
  if (tagName === 'table' && dropLineNumbers(node) && isListing(node))
    return read(listingOf(node), place);
  const script = scriptOf(node);
  const isLinked =
    script === 'sup' && (state.isInLink || elementsOf(node).some((each) => each.tagName === 'a'));
  const isNoteLink = tagName === 'a' && isNoteReference(node);
  clean(node, inner);
  if (script !== undefined) {
    node.tagName = script;
    return [readScript(node, before, { noteMarks: state.noteMarks, isLinked })];
  }
  switch (tagName) {
    case 'a':
      return isNoteLink
        ? [words(noteMark(lineOf(node).replace(/^\[|\]$/g, ''), before))]
        : readLink(node, state);
    case 'ul':
    case 'ol':
    case 'menu':
      return readList(node);
    case 'p':
      if (elementChildren(node).some((each) => each.tagName === 'div')) node.tagName = 'div';
      return [node];
    case 'table':
      spreadSpans(node);
      return [node];
    case 'summary':
    case 'legend':
      if (
        node.children.length === 0 ||
        elementChildren(node).some((each) => isElement(each, ...HEADINGS))
      )
        return node.children;
      return [element('p', [element('strong', node.children)])];
    case 'rt':
      return [words(` (${lineOf(node)}) `)];
    case 'form':
      if (!state.isPage || !isControlForm(node)) return node.children;
      state.omissions?.add('control', () => spacedTextOf(node));
      return [];
    case 'pre':
      return [withLanguage(node, inner.codeLanguage)];
    default:
      return [isStruck(node) ? element('del', node.children) : node];
  }
}

/** A part of a line that stands in a line of its own: by its style, or as one of several choices. */
const isBlock = (node: Element): boolean =>
  (isElement(node, 'span', 'strong', 'b', 'em', 'i', 'small', 'label') &&
    /display:\s*(?:block|flex|grid|table|list-item)\b/i.test(
      String(node.properties.style ?? ''),
    )) ||
  (node.tagName === 'label' &&
    elementChildren(node).some(
      (each) =>
        each.tagName === 'input' && /^(?:radio|checkbox)$/.test(String(each.properties.type ?? '')),
    ));

/** Whether an element raises or lowers its text, by its name, its class or its style. */
function scriptOf(node: Element): 'sup' | 'sub' | undefined {
  const { tagName } = node;
  if (tagName === 'sup' || tagName === 'sub') return tagName;
  if (!isElement(node, 'span', 'font', 'small')) return undefined;
  const [, align] =
    /vertical-align:\s*(super|sub)\b/i.exec(String(node.properties.style ?? '')) ?? [];
  const name = align ?? / (super|sub)script /.exec(classesOf(node))?.[1];
  return name === undefined ? undefined : name === 'sub' ? 'sub' : 'sup';
}

/** A link to a note, whose mark is raised within it or by a style sheet. */
const isNoteReference = (link: Element): boolean =>
  (link.properties.role === 'doc-noteref' ||
    / (?:footnote-ref(?:erence)?|noteref) /.test(classesOf(link)) ||
    (link.children.length === 1 &&
      isElement(link.children[0], 'sup') &&
      propertyOf(link, 'href')?.startsWith('#') === true)) &&
  /^\[?[\p{L}\p{N}*†‡]{1,5}\]?$/u.test(lineOf(link));

const isStruck = (node: Element): boolean =>
  isElement(node, 'span', 'font') &&
  (/ (?:line-through|strike|strikethrough) /.test(classesOf(node)) ||
    /text-decoration[^;]*line-through/i.test(String(node.properties.style ?? '')));

/** The label of a button in a sentence or cell; one that opens what follows is its heading; others belong to the page. */
function readButton(button: Element, { parent, hasWords, state }: Place): ElementContent[] {
  const label = buttonLabel(button);
  if (label === '') return [];
  // Beside the words of a heading it belongs to the page: to copy its address, to edit it.
  if (state.isInHeading) return hasWords() ? [] : [words(label)];
  if (isElement(parent as Element, 'pre', 'code')) return [];
  if (button.properties.ariaExpanded !== undefined && !hasWords()) return [labelOf(label)];
  return hasWords() || isElement(parent as Element, 'td', 'th', 'dt', 'dd', 'label')
    ? [element('strong', [words(label)])]
    : [];
}

/** What a button shows; of a mere sign, what it is called for those who do not see it. */
function buttonLabel(button: Element): string {
  const shown =
    button.tagName === 'input'
      ? (propertyOf(button, 'value') ?? '')
      : lineOf({ ...button, children: visible(button) });
  return /[\p{L}\p{N}]/u.test(shown)
    ? shown
    : (propertyOf(button, 'ariaLabel') ??
        propertyOf(button, 'alt') ??
        propertyOf(button, 'title') ??
        shown);
}

const visible = ({ children }: Element): ElementContent[] =>
  children.filter((child) => !isElement(child, 'svg', 'style', 'script'));

const MAX_CHOICES = 12;

function choicesOf(select: Element): string {
  const choices = elementsOf(select).filter(({ tagName }) => tagName === 'option');
  return choices.length > MAX_CHOICES
    ? ''
    : choices
        .map(lineOf)
        .filter((choice) => choice !== '')
        .join(' / ');
}

/** An image is its alternative text, apart from words beside it: not the name of a file, and not a single word that stands alone. */
function readImage(image: Element, { hasWords, parent }: Place): ElementContent[] {
  const text = plainTex(
    String(image.properties.alt ?? '')
      .replace(/\s+/g, ' ')
      .replace(
        /(?:^| )(?:Description automatically generated|AI-generated content may be incorrect\.?)$/,
        '',
      )
      .trim(),
  );
  if (text === '' || IMAGE_FILE.test(text)) return [];
  const isWord = !/\s/.test(text) && !/[\u3040-\u30ff\u3400-\u9fff]{3}/u.test(text);
  return isWord &&
    !hasWords() &&
    !isElement(parent as Element, 'td', 'th', 'a', 'span', 'strong', 'em', 'b', 'i', ...HEADINGS)
    ? []
    : [words(EDGE + text + EDGE)];
}

/** The name of a file, its path on the machine of the author, or its address. */
const IMAGE_FILE =
  /^(?:\S+|[A-Z]:[\\/].*|https?:.*)\.(?:png|jpe?g|gif|svg|webp|avif|bmp|emf|wmf|tiff?)$/i;

const imageName = ({ properties }: Element): string =>
  String(properties.alt ?? '').trim() ||
  (String(properties.src ?? '')
    .split(/[?#]/)[0]
    ?.split('/')
    .at(-1) ??
    '');

/** A place of a page; `#/guide` is a page of its own where a script shows pages. */
const PLACE = /#(?!!?\/).*$/s;

/** A link to a place of the same page is its words. */
function readLink(link: Element, { base, isPage }: Cleaning): ElementContent[] {
  const href = propertyOf(link, 'href');
  if (href === undefined) return link.children;
  const address = absolute(href, base);
  const isInPage =
    /^#(?!!?\/)/.test(href) ||
    (base !== undefined &&
      address !== undefined &&
      PLACE.test(address) &&
      address.replace(PLACE, '') === base.replace(PLACE, ''));
  if (isInPage)
    return isPage ? [element('span', link.children, { dataInPage: '' })] : link.children;
  // Markdown links to its source files, which have other addresses on the site.
  const isSource =
    !/^[a-z]+:/i.test(href) && /\.(?:mdx?|markdown|rst|adoc|txt|ipynb)(?:[#?]|$)/i.test(href);
  if (address === undefined || isSource) return link.children;
  return [element('a', link.children, { href: address })];
}

function absolute(href: string, base: string | undefined): string | undefined {
  if (/^(?:https?:\/\/|mailto:)/i.test(href)) return href;
  if (base === undefined || !URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
}

/** Words before the first item stand above the list; where an item has another number than the next one, a new list begins. */
function readList(list: Element): ElementContent[] {
  const first = list.children.findIndex((child) => child.type === 'element');
  const above = list.children.slice(0, Math.max(0, first));
  const hasWords = above.some((child) => child.type === 'text' && child.value.trim() !== '');
  list.children = nestStrayLists(list).filter((child) => !hasWords || !above.includes(child));
  return [
    ...(hasWords ? [element('p', above)] : []),
    ...(list.tagName === 'ol' ? numberedLists(list) : [list]),
  ];
}

function numberedLists(list: Element): Element[] {
  const lists: Element[] = [element('ol', [], list.properties)];
  let next = Number(list.properties.start ?? 1);
  for (const child of list.children) {
    if (isElement(child, 'li')) {
      const value = Number(child.properties.value ?? next);
      if (value !== next && Number.isInteger(value) && value > 0) {
        next = value;
        if (elementChildren(lists.at(-1) as Element).length > 0) lists.push(element('ol', [])); // there is always one
        (lists.at(-1) as Element).properties = { start: value };
      }
      next += 1;
    }
    lists.at(-1)?.children.push(child);
  }
  return lists;
}

/** A list directly in a list belongs to the item before it. */
function nestStrayLists(list: Element): ElementContent[] {
  const children: ElementContent[] = [];
  let item: Element | undefined;
  for (const child of list.children) {
    if (isElement(child, 'ul', 'ol') && item !== undefined) {
      const last = item.children.findLast((each) => each.type === 'element');
      if (isElement(last, child.tagName)) last.children.push(...child.children);
      else item.children.push(child);
      continue;
    }
    const node = isElement(child, 'ul', 'ol') ? element('li', [child]) : child;
    if (isElement(node, 'li')) item = node;
    children.push(node);
  }
  return children;
}

const isLineNumber = (node: Element): boolean =>
  / (?:linenos?|line-numbers?(?:-rows)?|lineno|gutter|rouge-gutter|hljs-ln-numbers|ln|blob-num) /.test(
    classesOf(node),
  );

const cellsOf = (row: Element): Element[] =>
  elementChildren(row).filter((cell) => isElement(cell, 'td', 'th'));

/** Drops the numbers of lines beside code, and says whether there were any. */
function dropLineNumbers(table: Element): boolean {
  let has = false;
  for (const row of elementsOf(table)) {
    if (row.tagName !== 'tr' || !cellsOf(row).some(isLineNumber)) continue;
    has = true;
    row.children = cellsOf(row).filter((cell) => !isLineNumber(cell));
  }
  return has;
}

/** Whether each row is a line of code. */
const isListing = (table: Element): boolean =>
  elementsOf(table).every(
    (each) => each.tagName !== 'pre' && (each.tagName !== 'tr' || cellsOf(each).length === 1),
  );

const listingOf = (table: Element): Element =>
  element('pre', [
    element('code', [
      words(
        elementsOf(table)
          .filter(({ tagName }) => tagName === 'tr')
          .map(textOf)
          .join('\n'),
      ),
    ]),
  ]);

/** A form that only takes input: to search, to subscribe. */
function isControlForm(form: Element): boolean {
  return (
    lineOf(form).split(' ').length < 30 &&
    !elementsOf(form).some((each) => isElement(each, ...HEADINGS, 'ol', 'table', 'pre'))
  );
}

/** Puts the language back to the element where the next library reads it. */
function withLanguage(pre: Element, around: string | undefined): Element {
  const language = propertyOf(pre, 'lang') ?? around;
  const code = elementChildren(pre).find(({ tagName }) => tagName === 'code');
  const holder = code ?? element('code', pre.children);
  if (code === undefined) pre.children = [holder];
  if (language !== undefined) holder.properties.className = [`language-${language}`];
  return pre;
}

/** How generators name the language of code: `language-js`, `highlight-js notranslate`, `highlight-source-js`, `sourceCode js`, `brush: js`. */
const CODE_CLASS =
  / (?:lang(?:uage)?-([\w+#-]{1,40})|highlight-(?:source-|text-)?([\w+#-]{1,40})|sourcecode ([\w+#-]{1,40})|brush: ?([\w+#-]{1,40});?) /;

/** The language that an element around one block of code names. */
function languageOf(node: Element): string | undefined {
  const attribute = propertyOf(node, 'dataLanguage') ?? propertyOf(node, 'dataLang');
  const name = attribute ?? CODE_CLASS.exec(classesOf(node))?.slice(1).find(Boolean);
  if (name === undefined || /^(?:default|none|text|plain|plaintext|wrapper|block|box)$/.test(name))
    return undefined;
  if (!/^[\w+#-]{1,40}$/.test(name)) return undefined;
  if (
    node.tagName !== 'pre' &&
    elementsOf(node).filter(({ tagName }) => tagName === 'pre').length > 2
  )
    return undefined;
  return name;
}
