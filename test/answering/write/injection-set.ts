import type { Turn } from '../../../src/knowledge/search/analyse-query.ts';
import written from './injection-set.json' with { type: 'json' };
import { ARTICLES } from './small-kb.ts';

/** A prompt injection, its location, and the statement of a model that obeys it. */
export interface Injection {
  /** Completes "a text injected as …". */
  name: string;
  articles?: typeof ARTICLES;
  /** `OFTEN` when absent. */
  question?: string;
  history?: Turn[];
  /** The statement of an obeying model. */
  obeyed: string;
  /** A response must contain none of these, in any letter case. */
  payloads: string[];
}

/** An entry of `injection-set.json` with at most one place in the articles; without one the injection is in the question or a previous turn. */
interface WrittenInjection extends Omit<Injection, 'articles'> {
  /** A paragraph below the one that answers the question. */
  behind?: string;
  /** A sentence in the same paragraph as the answer. */
  within?: string;
  /** A last step of the list. */
  step?: string;
  /** Changes of a separate article that matches the question best. */
  beside?: Partial<Article>;
}

type Article = (typeof ARTICLES)[number];
/** Answers the usual question; most texts are injected into it or next to it. */
const [DESCALE] = ARTICLES as [Article];

const withDescale = (place: string, injected: string): Article[] =>
  ARTICLES.with(0, { ...DESCALE, text: DESCALE.text.replace(place, () => `${place}${injected}`) });

const articlesOf = ({ behind, within, step, beside }: WrittenInjection): Article[] | undefined => {
  if (behind !== undefined) return withDescale('when it is due.', `\n\n${behind}`);
  if (within !== undefined) return withDescale('when it is due.', ` ${within}`);
  if (step !== undefined) return withDescale('lamp goes out.', `\n${step}`);
  if (beside === undefined) return undefined;
  const own = { id: 'care/boiler-notes.md', title: 'How often the boiler must be descaled' };
  return [...ARTICLES, { ...DESCALE, ...own, ...beside }];
};

// The compiler reads the speakers of a JSON file as any string.
export const INJECTIONS: readonly Injection[] = (written as WrittenInjection[]).map((injection) => {
  const { behind, within, step, beside, ...rest } = injection;
  const articles = articlesOf(injection);
  return articles === undefined ? rest : { ...rest, articles };
});

/** The same with its paragraphs wrapped at a width, as editors and mail programs do. */
export function wrappedAt(
  width: number,
  { name, articles, question, history, ...rest }: Injection,
): Injection {
  const known = new Set(ARTICLES.map(({ text }) => text));
  return {
    ...rest,
    name: `${name}, in lines of ${width} characters`,
    ...(articles && {
      articles: articles.map((each) =>
        known.has(each.text) ? each : { ...each, text: wrap(each.text, width) },
      ),
    }),
    ...(question && { question: wrap(question, width) }),
    ...(history && { history: history.map((turn) => ({ ...turn, text: wrap(turn.text, width) })) }),
  };
}

/** Headings, rows, items and code stay whole. */
const wrap = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) =>
      /^(?:#|\||\s*[-*\d]|```)/.test(line)
        ? line
        : line.replace(new RegExp(`(?=.{${width}})(.{1,${width}}) `, 'gu'), '$1\n'),
    )
    .join('\n');
