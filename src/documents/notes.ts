import type { Element, ElementContent, Root } from 'hast';
import { detectLanguage } from '../language/detect-language.ts';
import {
  classesOf,
  element,
  elementChildren,
  elementsOf,
  isElement,
  labelOf,
  lineOf,
  propertyOf,
  textOf,
} from './hast.ts';
import DATA from './note-labels.json' with { type: 'json' };

type Kind = 'note' | 'tip' | 'important' | 'warning' | 'caution' | 'danger';

const KIND_BY_NAME = new Map(
  Object.entries(DATA.kinds).flatMap(([kind, names]) =>
    names.map((name) => [name, kind as Kind | ''] as const),
  ),
);
const LABELS: Readonly<Record<string, Record<Kind, string>>> = DATA.labels;
const LABEL_WORDS = new Set(
  Object.values(LABELS).flatMap((labels) =>
    Object.values(labels).map((label) => label.toLowerCase()),
  ),
);
for (const name of KIND_BY_NAME.keys()) LABEL_WORDS.add(name);

/** Whether a word names a kind of note: `warning`, `callout`. */
export function isNoteName(name: string): boolean {
  return KIND_BY_NAME.has(name.toLowerCase());
}

/** The attributes by which our own reading of Markdown marks a note. */
const NOTE_KIND = 'dataNoteKind';
const NOTE_TITLE = 'dataNoteTitle';

/**
 * Turns notes, as site generators and Markdown write them, into quotes that begin with their label and title in bold. A note without a
 * title gets the label of its kind, in the language of the document.
 */
export function readNotes(root: Root, language: string | undefined): void {
  let known = language?.slice(0, 2).toLowerCase();
  const languageOf = (): string => {
    known ??= detectLanguage(textOf(root).slice(0, 4000)) ?? 'en';
    return known;
  };
  for (const node of elementsOf(root)) {
    if (node.tagName === 'blockquote') readAlert(node, languageOf);
    else if (node.properties[NOTE_KIND] !== undefined) readMarked(node, languageOf);
    else readStyled(node, languageOf);
  }
}

function become(note: Element, label: string, children: ElementContent[]): void {
  note.tagName = 'blockquote';
  note.properties = {};
  note.children = label === '' ? children : [labelOf(label), ...children];
}

function labelWith(name: string, title: string, languageOf: () => string): string {
  const kind = KIND_BY_NAME.get(name.toLowerCase()) ?? '';
  const words = title.replace(/\s*[:：]$/, '');
  if (kind === '') return words === '' ? '' : labelEnd(words);
  const label =
    LABELS[languageOf()]?.[kind] ?? (words === '' ? LABELS.en?.[kind] : undefined) ?? '';
  if (words === '') return `${label}:`;
  return label === '' || LABEL_WORDS.has(words.toLowerCase())
    ? labelEnd(words)
    : `${label}: ${words}`;
}

/** With a colon, unless it is a question or a call. */
const labelEnd = (words: string): string => (/[?!？！]$/u.test(words) ? words : `${words}:`);

function readMarked(node: Element, languageOf: () => string): void {
  const title = propertyOf(node, NOTE_TITLE) ?? '';
  become(node, labelWith(propertyOf(node, NOTE_KIND) ?? '', title, languageOf), node.children);
}

/** `> [!NOTE]` of GitHub, `> [!note]- Title` of Obsidian. */
function readAlert(quote: Element, languageOf: () => string): void {
  const paragraph = elementChildren(quote)[0];
  const first = paragraph?.children[0];
  if (!isElement(paragraph, 'p') || first?.type !== 'text') return;
  const match = /^\s*\[!([\w-]{1,40})(?:\|[^\]\n]{0,80})?\][+-]?[ \t]*([^\n]*)\n?/.exec(
    first.value,
  );
  if (match === null || !isNoteName(match[1] ?? '')) return;
  const isAloneInLine =
    first.value.length > match[0].length ||
    match[0].endsWith('\n') ||
    paragraph.children.length === 1;
  first.value = first.value.slice(match[0].length);
  const title = isAloneInLine ? (match[2] ?? '').trim() : '';
  if (!isAloneInLine) first.value = `${match[2] ?? ''}${first.value}`;
  if (textOf(paragraph).trim() === '' && elementChildren(paragraph).length === 0)
    quote.children = quote.children.filter((child) => child !== paragraph);
  become(quote, labelWith(match[1] ?? '', title, languageOf), quote.children);
}

const CONTAINER =
  / (?:admonition|admonitionblock|theme-admonition|custom-block|markdown-alert|starlight-aside|callout|alert|hint|confluence-information-macro|panel-(?:note|warning|info)) /;
/** Kinds that an element may name by a class alone. */
const BARE = / (note|tip|warning|caution|important|danger) /;
const TITLE =
  / (?:admonition-title|admonition-heading\S*|admonitionheading\S*|custom-block-title|markdown-alert-title|starlight-aside__title|alert-heading|callout-title(?:-inner)?|title) /;
const MAX_TITLE = 200;

/** Notes as pages of site generators show them. */
function readStyled(node: Element, languageOf: () => string): void {
  if (!isElement(node, 'div', 'aside', 'details', 'section', 'p')) return;
  const classes = classesOf(node);
  if (
    classes === '' ||
    !(CONTAINER.test(classes) || (BARE.test(classes) && node.tagName !== 'details'))
  )
    return;
  const kind = classes.match(/[a-z]+/g)?.find((word) => KIND_BY_NAME.get(word)) ?? '';
  if (kind === '' && / (?:alert|hint|callout) /.test(classes) && !/admonition/.test(classes))
    return;
  if (node.tagName === 'p') {
    const starts = LABEL_WORDS.has(
      (/^[\p{L} ]{1,20}(?=[:：])/u.exec(lineOf(node))?.[0] ?? '').toLowerCase(),
    );
    become(node, starts ? '' : labelWith(kind, '', languageOf), [element('p', node.children)]);
    return;
  }
  const inner = elementsOf(node).slice(0, 40);
  const [opening] = elementChildren(node);
  const head =
    inner.find((each) => TITLE.test(classesOf(each)) || each.tagName === 'summary') ??
    (isElement(opening, 'h2', 'h3', 'h4', 'h5', 'h6') ? opening : undefined);
  const title = head === undefined ? '' : lineOf(head).slice(0, MAX_TITLE);
  if (head !== undefined)
    for (const parent of [node, ...inner])
      parent.children = parent.children.filter((child) => child !== head);
  // Asciidoctor puts the text of a note into a cell beside its icon.
  const content = inner.find((each) => each.tagName === 'td' && / content /.test(classesOf(each)));
  if (content !== undefined && title === '') {
    const icon = inner.find((each) => each.tagName === 'td' && / icon /.test(classesOf(each)));
    const words =
      icon === undefined
        ? ''
        : lineOf(icon) ||
          (propertyOf(
            elementsOf(icon).find((each) => each.tagName === 'img'),
            'alt',
          ) ??
            '');
    become(node, labelWith(kind, words, languageOf), content.children);
    return;
  }
  const starts = LABEL_WORDS.has(
    (/^[\p{L} ]{1,20}(?=[:：])/u.exec(lineOf(node))?.[0] ?? '').toLowerCase(),
  );
  become(
    node,
    starts && title === '' ? '' : labelWith(kind, title, languageOf),
    (content ?? node).children,
  );
}
