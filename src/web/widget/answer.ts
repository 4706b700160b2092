import type { AskEvent } from '../../../client/index.ts';
import { idAsWords } from '../../language/id-as-words.ts';
import { createElement, linkTo } from './options.ts';

/** Below this the answer is shown with a warning; what was declined has no sources. */
const HEDGED_BELOW = 0.6;

interface AnswerTexts {
  sources: string;
  hedged: string;
  reported: string;
}

type Response = Extract<AskEvent, { type: 'done' }>['response'];

/**
 * An answer while it arrives: its statements with numbers of their sources, and below them the sources.
 *
 * @param elementsOf Reads Markdown.
 */
export function createAnswer(
  texts: AnswerTexts,
  elementsOf: (markdown: string) => (Node | string)[],
) {
  const element = createElement('div', { class: 'answer' });
  const list = createElement('ol', { class: 'sources' });
  /** Statements by the index of their event. */
  const statements = new Map<number, HTMLElement>();
  const numbers = new Map<string, number>();
  /** Names of external librarians by their ids. */
  const names = new Map<string, string>();
  const reportedBy = (id: string): string =>
    texts.reported.replace('{librarian}', names.get(id) ?? idAsWords(id));

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
        const cited = [...new Set(event.sources.map(numberOf))]
          .map((number) => ` [${number}]`)
          .join('');
        const shown = createElement('div', { class: 'statement' }, ...elementsOf(event.text));
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
      if (statements.size === 0 && answer !== undefined) element.append(...elementsOf(answer));
      if (sources.length > 0 && confidence < HEDGED_BELOW)
        element.prepend(createElement('p', { class: 'quiet' }, texts.hedged));
      const reporters = metadata?.reporters;
      if (typeof reporters === 'object' && reporters !== null)
        for (const [id, name] of Object.entries(reporters)) names.set(id, String(name));
      const reporter = metadata?.reported_by;
      if (typeof reporter === 'string' && statements.size === 0)
        element.prepend(createElement('p', { class: 'quiet' }, reportedBy(reporter)));
      if (list.childElementCount > 0)
        element.append(createElement('p', { class: 'quiet' }, texts.sources), list);
    },
  };
}

/** The element whose text the numbers of sources follow: the last paragraph or list item. */
const lastLine = (statement: HTMLElement): Element => {
  const last = statement.lastElementChild;
  if (last?.matches('ul, ol') === true) return last.lastElementChild ?? last;
  return last?.matches('p') === true ? last : statement;
};
