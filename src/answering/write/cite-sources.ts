import type { Statement, StatementSource } from '../../contract/core/ask.ts';
import { Link } from '../../contract/core/names.ts';
import type { NavigatorSource } from '../../contract/core/navigator-response.ts';
import type { Source } from '../../contract/core/response.ts';
import { escapeHtml, escapeText } from '../../documents/markdown/escape-html.ts';
import type {
  CachedChunk,
  EditionArticle,
  EditionChunk,
} from '../../knowledge/edition/open-edition.ts';
import type { Span } from '../../language/split-sentences.ts';
import { titleOfPath } from '../../language/title-of-path.ts';
import { memo } from '../../platform/lru-cache.ts';
import { type AnswerPhrases, filled, listed } from './answer-phrases.ts';
import type { ClosestArticle } from './navigator-answer.ts';

/** Words of a chunk: `chunk.text.slice(start, end)`. */
export interface Place extends Span {
  chunk: CachedChunk;
}

/** A statement of an answer, quoted or written by a model, with the words that it rests on. */
export interface CitedStatement {
  /** Markdown, not escaped. */
  text: string;
  places: readonly Place[];
  /** Probability that the places state it, 0 to 1; 1 for a quote. */
  support: number;
  /** Probability that its sources answer the question, 0 to 1. */
  relevance: number;
  /** Why its sources are cited; their first words when absent. */
  reason?: string | undefined;
}

/** Per statement, and per section, as the schema of the response allows. */
const MAX_EXCERPTS = 20;

/** A statement as a reader gets it. */
export function statementOf({ text, places, support }: CitedStatement): Statement {
  return {
    text: escapeHtml(text),
    sources: places.slice(0, MAX_EXCERPTS).map(evidenceOf),
    support: rounded(support),
    check: support === 1 ? 'quoted' : 'judged',
  };
}

const evidenceOf = ({ chunk, start, end }: Place): StatementSource => ({
  name: titleOf(chunk.source),
  ...addressOf(chunk.source),
  file: chunk.source.id,
  section: sectionOf(chunk),
  ...excerptOf({ chunk, start, end }),
});

const excerptOf = ({ chunk, start, end }: Place) => ({
  quote: chunk.text.slice(start, end),
  start: chunk.start + start,
  end: chunk.start + end,
});

/** The cited sections, each once, with their excerpts in the order of the answer. */
export function citedSections(
  statements: readonly Pick<CitedStatement, 'places' | 'reason'>[],
  edition: string,
): NavigatorSource[] {
  const sections = new Map<
    string,
    NavigatorSource & { excerpts: ReturnType<typeof excerptOf>[] }
  >();
  for (const { places, reason } of statements)
    for (const place of places) {
      const file = place.chunk.source.id;
      const section = sectionOf(place.chunk);
      const excerpt = excerptOf(place);
      const relevance =
        reason ?? `States what the answer says: ${escapeText(oneLine(excerpt.quote, 120), 160)}`;
      const key = `${file}\n${section}`;
      const source = sections.get(key) ?? { file, section, relevance, excerpts: [], edition };
      sections.set(key, source);
      const isNew = !source.excerpts.some(
        ({ start, end }) => start === excerpt.start && end === excerpt.end,
      );
      if (isNew && source.excerpts.length < MAX_EXCERPTS) source.excerpts.push(excerpt);
    }
  return [...sections.values()];
}

/** The cited articles, each once, the most relevant first. */
export function citedArticles(statements: readonly CitedStatement[]): Source[] {
  const articles = new Map<string, Source>();
  for (const { places, relevance } of statements.toSorted((a, b) => b.relevance - a.relevance))
    for (const { chunk } of places) {
      const { source } = chunk;
      const key = `${titleOf(source)}\n${source.url}`;
      if (articles.has(key)) continue;
      articles.set(key, {
        name: titleOf(source),
        type: 'document',
        relevance: rounded(relevance),
        ...addressOf(source),
      });
    }
  return [...articles.values()];
}

/** An article to read on, as data. */
export function closestOf(
  source: Pick<EditionArticle, 'title' | 'id' | 'url'>,
  heading: string | undefined,
): ClosestArticle {
  return {
    title: titleOf(source),
    ...addressOf(source),
    file: source.id.slice(0, 500),
    ...(heading === undefined ? {} : { heading: heading.slice(0, 500) }),
  };
}

const titleOf = ({ title, id }: Pick<EditionArticle, 'title' | 'id'>): string =>
  (title || titleOfPath(id)).slice(0, 500);

const addressOf = ({ url }: Pick<EditionArticle, 'url'>): { url?: string } =>
  isLink(url) ? { url } : {};

/** By address: an answer names the same articles several times. */
const isLink = memo((url: string) => Link.safeParse(url).success, { max: 2000 });

/** The `section` of a cited source: the innermost heading, or the title for text before the first heading. */
export function sectionOf({
  headingPath,
  source: { title, id },
}: Pick<EditionChunk, 'headingPath'> & { source: Pick<EditionArticle, 'title' | 'id'> }): string {
  return (headingPath.at(-1) || title || id).slice(0, 500);
}

/** "[Set up SSL](https://…), Certificates": an article in running text, with its section where all that is cited is in one. */
export function citationOf(
  chunks: readonly Pick<CachedChunk, 'headingPath' | 'source'>[],
  nameOf: (article: EditionArticle) => string = linkTo,
): string {
  const [article] = chunks.map(({ source }) => source);
  if (article === undefined) return '';
  const sections = chunks.map((chunk) => oneLine(sectionOf(chunk)).replace(/\s*[:：;]+$/, ''));
  const [section = '', ...others] = new Set(sections);
  const isArticle =
    others.length > 0 || section === oneLine(article.title) || section === article.id;
  return escapeHtml(isArticle ? nameOf(article) : `${nameOf(article)}, ${section}`);
}

/** The title of an article in running text, without a link. */
export function nameOf({ title, id }: Pick<EditionArticle, 'title' | 'id'>): string {
  return escapeText(oneLine(title || titleOfPath(id), 200).replace(/[[\]]/g, ''), 300);
}

type LinkedArticle = Pick<EditionArticle, 'title' | 'id'> & { url?: string | undefined };

/** The title of an article, linked where it has an address. */
export function linkTo({ title, id, url = '' }: LinkedArticle): string {
  const name = nameOf({ title, id });
  const address = url
    .replace(/\s/g, encodeURIComponent)
    .replaceAll('(', '%28')
    .replaceAll(')', '%29');
  return Link.safeParse(url).success ? `[${name}](${address})` : name;
}

/** The title of an article within a sentence. */
const linkIn = (article: LinkedArticle): string => {
  const link = linkTo(article);
  return link.startsWith('[') ? link : `“${link}”`;
};

/** The line above the passages of an article. */
export function leadTo(article: LinkedArticle, { source }: AnswerPhrases): string {
  return filled(source, { title: linkIn(article) });
}

/** Says that an answer is about other devices than the question. */
export function otherDevices(
  devices: readonly string[],
  { otherDevice, or }: AnswerPhrases,
): string {
  return filled(otherDevice, { device: oneLine(listed(devices, or)) });
}

/** Further articles in one line, with links or by their titles alone. */
export function othersIn(
  articles: readonly ClosestArticle[],
  { others, and }: AnswerPhrases,
  isLinked: boolean,
): string {
  const names = articles.map(({ title, url }) =>
    linkIn({ id: '', title: isLinked ? title : oneLine(title, 120), url: isLinked ? url : '' }),
  );
  return `${others} ${listed(names, and)}.`;
}

/** Articles as a list of links, with the best heading. */
export function linksTo(articles: readonly ClosestArticle[]): string {
  return articles
    .map(({ title, url, heading }) => {
      const isOther = heading !== undefined && heading !== title;
      const behind = isOther ? ` – ${escapeText(oneLine(heading, 120), 200)}` : '';
      return `- ${linkTo({ id: '', title, url })}${behind}`;
    })
    .join('\n');
}

/** A share or probability with three digits, 0 to 1. */
export function rounded(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000;
}

/** For running text: one line, shortened. */
export function oneLine(text: string, limit = 300): string {
  const line = IS_ONE_LINE.test(text) ? text : text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > limit ? `${cutAtWord(line, limit - 1)}…` : line;
}

/** A cut word would say something else: "180 GB" must not become "1". A single long word is cut all the same. */
const cutAtWord = (line: string, length: number): string => {
  const cut = line.slice(0, length + 1).search(/\s\S*$/);
  return line.slice(0, cut > length / 2 ? cut : length);
};

/** Printable ASCII with single spaces: most titles and headings, which need no replacement. */
const IS_ONE_LINE = /^(?:[!-~]+ )*[!-~]+$/;
