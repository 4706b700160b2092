import type { AskEvent } from '../../client/index.ts';
import { createElement, linkTo } from './create-element.ts';
import { markdownElements } from './markdown.ts';

/** Below this the answer is shown with a warning; what was declined has no sources. */
const HEDGED_BELOW = 0.6;

interface AnswerTexts {
  sources: string;
  hedged: string;
}

type Response = Extract<AskEvent, { type: 'done' }>['response'];

/** An answer while it arrives: its statements with numbers of their sources, and below them the sources. */
export const createAnswer = (texts: AnswerTexts) => {
  const element = createElement('div', { class: 'answer' });
  const list = createElement('ol', { class: 'sources' });
  /** Statements by the index of their event. */
  const statements = new Map<number, HTMLElement>();
  const numbers = new Map<string, number>();

  const numberOf = ({
    name,
    url,
    section,
  }: {
    name: string;
    url?: string | undefined;
    section?: string | undefined;
  }) => {
    const key = url ?? name;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size + 1);
    const label = section === undefined || section === '' ? name : `${name} › ${section}`;
    list.append(createElement('li', {}, linkTo(url, label)));
    return numbers.size;
  };

  return {
    element,
    count: () => statements.size,
    add: (event: AskEvent): void => {
      if (event.type === 'statement') {
        const cited = [...new Set(event.sources.map(numberOf))].map((number) => ` [${number}]`).join('');
        const shown = createElement('div', { class: 'statement' }, ...markdownElements(event.text));
        if (cited !== '') lastLine(shown).append(createElement('span', { class: 'quiet' }, cited));
        statements.set(event.index, shown);
        element.append(shown);
      }
      if (event.type === 'removed' && event.index !== undefined) {
        statements.get(event.index)?.remove();
        statements.delete(event.index);
      }
    },
    /** Adds what is known at the end. */
    end: ({ answer, confidence = 1, sources = [] }: Response): void => {
      if (statements.size === 0 && answer !== undefined) element.append(...markdownElements(answer));
      if (sources.length > 0 && confidence < HEDGED_BELOW)
        element.prepend(createElement('p', { class: 'quiet' }, texts.hedged));
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
