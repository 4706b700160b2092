import type { AskEvent } from '../../client/index.ts';
import { type InlinePart, readInline } from '../markup/read-inline.ts';
import { type MarkdownBlock, readMarkdown } from '../markup/read-markdown.ts';
import { idAsWords } from '../text/id-as-words.ts';
import { createElement, linkTo } from './options.ts';

/** Below this the answer is shown with a warning; what was declined has no sources. */
const HEDGED_BELOW = 0.6;

interface AnswerTexts {
  sources: string;
  hedged: string;
  reported: string;
}

type Response = Extract<AskEvent, { type: 'done' }>['response'];

/** An answer while it arrives: its statements with numbers of their sources, and below them the sources. */
export const createAnswer = (texts: AnswerTexts) => {
  const element = createElement('div', { class: 'answer' });
  const list = createElement('ol', { class: 'sources' });
  /** Statements by the index of their event. */
  const statements = new Map<number, HTMLElement>();
  const numbers = new Map<string, number>();
  /** Names of external librarians by their ids. */
  const names = new Map<string, string>();
  const reportedBy = (id: string): string => texts.reported.replace('{librarian}', names.get(id) ?? idAsWords(id));

  const numberOf = ({
    name,
    url,
    section,
    reported_by: reporter,
  }: {
    name: string;
    url?: string | undefined;
    section?: string | undefined;
    reported_by?: string | undefined;
  }) => {
    const key = `${reporter ?? ''} ${url ?? name}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size + 1);
    const label = section === undefined || section === '' ? name : `${name} › ${section}`;
    const origin = reporter === undefined ? [] : [` (${reportedBy(reporter)})`];
    list.append(createElement('li', {}, linkTo(url, label), ...origin));
    return numbers.size;
  };

  return {
    element,
    count: () => statements.size,
    add: (event: AskEvent): void => {
      if (event.type === 'routing')
        for (const { id, name } of event.librarians) if (name !== undefined) names.set(id, name);
      if (event.type === 'statement') {
        const cited = [...new Set(event.sources.map(numberOf))].map((number) => ` [${number}]`).join('');
        const shown = createElement('div', { class: 'statement' }, ...markdownElements(event.text));
        if (cited !== '') lastLine(shown).append(createElement('span', { class: 'quiet' }, cited));
        // At each, since others of the same answer may be ours.
        if (event.reported_by !== undefined)
          shown.append(createElement('p', { class: 'quiet' }, reportedBy(event.reported_by)));
        statements.set(event.index, shown);
        element.append(shown);
      }
      if (event.type === 'removed' && event.index !== undefined) {
        statements.get(event.index)?.remove();
        statements.delete(event.index);
      }
    },
    /** Adds what is known at the end. */
    end: ({ answer, confidence = 1, sources = [], metadata }: Response): void => {
      if (statements.size === 0 && answer !== undefined) element.append(...markdownElements(answer));
      if (sources.length > 0 && confidence < HEDGED_BELOW)
        element.prepend(createElement('p', { class: 'quiet' }, texts.hedged));
      const reporters = metadata?.reporters;
      if (typeof reporters === 'object' && reporters !== null)
        for (const [id, name] of Object.entries(reporters)) names.set(id, String(name));
      const reporter = metadata?.reported_by;
      if (typeof reporter === 'string' && statements.size === 0)
        element.prepend(createElement('p', { class: 'quiet' }, reportedBy(reporter)));
      if (list.childElementCount > 0) element.append(createElement('p', { class: 'quiet' }, texts.sources), list);
    },
  };
};

/** The element whose text the numbers of sources follow: the last paragraph or list item. */
const lastLine = (statement: HTMLElement): Element => {
  const last = statement.lastElementChild;
  if (last?.matches('ul, ol') === true) return last.lastElementChild ?? last;
  return last?.matches('p') === true ? last : statement;
};

/** Markdown as elements. Raw HTML is shown as text and images become links, so that an answer loads nothing. */
const markdownElements = (markdown: string): Node[] => readMarkdown(markdown).map(elementOf);

const elementOf = (block: MarkdownBlock): Node => {
  switch (block.kind) {
    case 'heading':
      return createElement('h3', {}, ...inlineElements(block.text));
    case 'paragraph':
      return createElement('p', {}, ...inlineElements(block.text));
    case 'code':
      return createElement('pre', { tabindex: 0 }, createElement('code', {}, block.text));
    case 'rule':
      return createElement('hr');
    case 'quote':
      return createElement('blockquote', {}, ...block.blocks.map(elementOf));
    case 'list': {
      const items = block.items.map((blocks) => createElement('li', {}, ...itemElements(blocks, block.isTight)));
      return block.start === undefined
        ? createElement('ul', {}, ...items)
        : createElement('ol', { start: block.start }, ...items);
    }
    case 'table':
      return tableElement(block.rows);
  }
};

const itemElements = (blocks: readonly MarkdownBlock[], isTight: boolean): Node[] =>
  blocks.flatMap((block) => (isTight && block.kind === 'paragraph' ? inlineElements(block.text) : [elementOf(block)]));

const tableElement = ([head = [], ...rows]: readonly string[][]): Node => {
  const cells = head.map((cell) => createElement('th', { scope: 'col' }, ...inlineElements(cell)));
  const lines = rows.map((row) =>
    createElement('tr', {}, ...row.map((cell) => createElement('td', {}, ...inlineElements(cell)))),
  );
  const table = createElement(
    'table',
    {},
    createElement('thead', {}, createElement('tr', {}, ...cells)),
    createElement('tbody', {}, ...lines),
  );
  return createElement('div', { class: 'scrolls', tabindex: 0 }, table);
};

const inlineElements = (text: string): Node[] => {
  const root: Node[] = [];
  /** Children of the elements that are open, innermost last. */
  const open: { part: Extract<InlinePart, { kind: 'open' }>; children: Node[] }[] = [];
  const add = (node: Node): void => void (open.at(-1)?.children ?? root).push(node);
  for (const part of readInline(text)) {
    if (part.kind === 'text') add(document.createTextNode(part.text));
    else if (part.kind === 'code') add(createElement('code', {}, part.text));
    else if (part.kind === 'break') add(createElement('br'));
    else if (part.kind === 'open') open.push({ part, children: [] });
    else {
      const closed = open.pop();
      if (closed !== undefined) add(closeElement(closed.part, closed.children));
    }
  }
  return root;
};

const closeElement = (part: Extract<InlinePart, { kind: 'open' }>, children: Node[]): Node =>
  part.element === 'a' ? linkTo(part.url, ...children) : createElement(part.element, {}, ...children);
