import type { Statement, StatementSource } from '../contract/ask.ts';
import { Link } from '../contract/names.ts';
import type { NavigatorSource } from '../contract/navigator-response.ts';
import { type AnswerPassage, type FoundAnswer, lengthOf, shortened } from '../grounding/find-answer.ts';
import { passageMarkdown } from '../grounding/render-passage.ts';
import { cellAskedFor } from '../grounding/units.ts';
import { type AnswerPhrases, filled, listed } from '../runtime/answer-phrases.ts';
import { escapeHtml, escapeText } from '../runtime/escape-html.ts';
import type { CachedChunk, EditionArticle, EditionChunk } from '../search/open-edition.ts';
import { titleOfPath } from '../text/title-of-path.ts';
import type { ClosestArticle } from './navigator-answer.ts';

/** Words of a chunk that an answer shows or is based on: `chunk.text.slice(start, end)`. */
export interface PlacedQuote {
  chunk: CachedChunk;
  start: number;
  end: number;
  text: string;
  article: EditionArticle;
  /** Probability that this source answers the question, 0 to 1. */
  relevance: number;
  /** Words of the question that the chunk or its title contains, as typed. */
  matched: readonly string[];
}

/** The `section` of a cited source: the innermost heading, or the title for text before the first heading. */
export const sectionOf = (
  { headingPath }: Pick<EditionChunk, 'headingPath'>,
  { title, id }: Pick<EditionArticle, 'title' | 'id'>,
): string => (headingPath.at(-1) || title || id).slice(0, 500);

/** "Set up SSL, Certificates": how a source is named in running text, by its title and section. */
export const citationOf = ({ chunk, article }: { chunk: CitedChunk; article: EditionArticle }): string =>
  citation(escapeText(titleOf(article), 300), article, [chunk]);

/** "[Set up SSL](https://…), Certificates, Keys": the same for several sections of an article, with a link where it has an address. */
export const linkedCitationOf = (article: EditionArticle, chunks: readonly CitedChunk[]): string =>
  citation(linkTo(article), article, chunks);

type CitedChunk = Pick<EditionChunk, 'headingPath'>;

/** Sections that a citation names. */
const MAX_SECTIONS = 2;

const citation = (title: string, article: EditionArticle, chunks: readonly CitedChunk[]): string => {
  const sections = chunks
    .map((chunk) => oneLine(sectionOf(chunk, article)).replace(/\s*[:：;]+$/, ''))
    .filter((section) => section !== oneLine(article.title) && section !== article.id);
  return escapeHtml([title, ...[...new Set(sections)].slice(0, MAX_SECTIONS)].join(', '));
};

const titleOf = ({ title, id }: Pick<EditionArticle, 'title' | 'id'>): string =>
  oneLine(title || titleOfPath(id), 200).replace(/[[\]]/g, '');

/** Maximum length of an answer's text, in UTF-16 units. */
const MAX_LENGTH = 1495;

/**
 * The passages as Markdown, each below its article, section and headings. A doubtful answer begins with a warning and ends with the closest
 * articles. When it is too long, the articles lose their addresses, then they are dropped, then the least probable passages are dropped.
 *
 * @returns The text, with the passages that are in it.
 */
export const composeAnswer = (
  { passages, question }: Pick<FoundAnswer, 'passages' | 'question'>,
  { isDoubtful, closest, phrases }: { isDoubtful: boolean; closest: readonly ClosestArticle[]; phrases: AnswerPhrases },
): { text: string; shown: readonly AnswerPassage[] } => {
  const isOther = passages.length > 0 && passages.every(({ isOtherDevice }) => isOtherDevice);
  const opening = [
    ...(isOther ? [otherDevices(question.devices, phrases)] : []),
    ...(isDoubtful ? [phrases.hedge] : []),
  ];
  const naming = closest.length === 0 ? [] : [linkedTitlesOf(closest, phrases), titlesOf(closest, phrases)];
  const compose = (shown: readonly AnswerPassage[], links: string): string => {
    const passagesShown = showPassages(shown, { question, phrases });
    return escapeHtml([...opening, ...passagesShown, ...(links === '' ? [] : [links])].join('\n\n'));
  };
  let shown = passages;
  for (;;) {
    const texts = [...naming, ''].map((links) => compose(shown, links));
    const fitting = texts.find((text) => text.length <= MAX_LENGTH);
    const shortest = texts.at(-1) ?? '';
    if (fitting !== undefined) return { text: fitting, shown };
    const [only] = shown;
    if (only === undefined) return { text: shortest, shown };
    if (shown.length === 1) {
      const unit = shortened(only.unit, lengthOf(only.unit) - (shortest.length - MAX_LENGTH));
      if (lengthOf(unit) === lengthOf(only.unit)) return { text: shortest, shown };
      shown = [{ ...only, unit }];
      continue;
    }
    const least = shown.reduce((lowest, passage) => (passage.share < lowest.share ? passage : lowest));
    shown = shown.filter((passage) => passage !== least);
  }
};

/** Says that an answer is about other devices than the question. */
export const otherDevices = (devices: readonly string[], { otherDevice, or }: AnswerPhrases): string =>
  filled(otherDevice, { device: oneLine(listed(devices, or)) });

/** The titles of articles in one line. */
export const titlesOf = (articles: readonly ClosestArticle[], { others, and }: AnswerPhrases): string => {
  const titles = articles.map(({ title }) => `“${escapeText(oneLine(title, 120), 200)}”`);
  return `${others} ${listed(titles, and)}.`;
};

/** The same with links. */
export const linkedTitlesOf = (articles: readonly ClosestArticle[], { others, and }: AnswerPhrases): string =>
  `${others} ${listed(articles.map(linkIn), and)}.`;

interface Showing {
  question: FoundAnswer['question'];
  phrases: AnswerPhrases;
}

/** Names each article once, and puts each passage below its headings. */
const showPassages = (passages: readonly AnswerPassage[], showing: Showing): string[] =>
  passages.flatMap((passage, at) => [
    ...(passages[at - 1]?.source.index === passage.source.index ? [] : [leadTo(passage.source, showing.phrases)]),
    ...showPassage(passage, showing),
  ]);

/** A passage below its headings, as Markdown blocks. */
export const showPassage = ({ source, unit }: AnswerPassage, { question, phrases }: Showing): string[] => {
  const heading = unit.parts[0].section.path.map((each) => oneLine(each, 120)).join(' › ');
  const cell = cellAskedFor(unit, question);
  const goesOn = unit.isCut && unit.kind === 'procedure';
  return [
    ...(heading === '' ? [] : [`**${escapeText(heading, 600)}**`]),
    ...(cell === undefined ? [] : [escapeText(oneLine(cell), 400)]),
    passageMarkdown(unit),
    ...(goesOn ? [filled(phrases.goesOn, { title: linkTo(source) })] : []),
  ];
};

/** A shown passage as a statement of the answer, with the words that it quotes. */
export const statementOf = (
  passage: AnswerPassage,
  { quotes, ...showing }: Showing & { quotes: readonly PlacedQuote[] },
): Statement => ({
  text: escapeHtml(showPassage(passage, showing).join('\n\n')),
  sources: quotes.slice(0, MAX_EXCERPTS).map(sourceOfQuote),
  support: 1,
  check: 'quoted',
});

/** A quote as the evidence of a statement. */
export const sourceOfQuote = ({
  chunk,
  article,
  start,
  end,
}: Pick<PlacedQuote, 'chunk' | 'article' | 'start' | 'end'>): StatementSource => ({
  name: (article.title || titleOfPath(article.id)).slice(0, 500),
  ...(Link.safeParse(article.url).success ? { url: article.url } : {}),
  file: article.id,
  section: sectionOf(chunk, article),
  quote: chunk.text.slice(start, end),
  start: chunk.start + start,
  end: chunk.start + end,
});

/** The line above the passages of an article: its title, as a link where it has an address. */
export const leadTo = (article: LinkedArticle, { source }: AnswerPhrases): string => {
  const title = linkTo(article);
  return filled(source, { title: title.startsWith('[') ? title : `“${title}”` });
};

/** Articles as a list of links, with the best heading. */
export const linksTo = (articles: readonly ClosestArticle[]): string =>
  articles
    .map(({ title, url, heading }) => {
      const behind = heading === undefined || heading === title ? '' : ` – ${escapeText(oneLine(heading, 120), 200)}`;
      return `- ${linkTo({ id: '', title, url })}${behind}`;
    })
    .join('\n');

/** The title of an article within a sentence. */
const linkIn = ({ title, url }: ClosestArticle): string => {
  const link = linkTo({ id: '', title, url });
  return link.startsWith('[') ? link : `“${link}”`;
};

type LinkedArticle = Pick<EditionArticle, 'title' | 'id'> & { url?: string | undefined };

/** The title of an article, linked where it has an address. */
export const linkTo = ({ title, id, url = '' }: LinkedArticle): string => {
  const name = escapeText(titleOf({ title, id }), 300);
  const address = url.replace(/\s/g, encodeURIComponent).replaceAll('(', '%28').replaceAll(')', '%29');
  return Link.safeParse(url).success ? `[${name}](${address})` : name;
};

/** The cited sources, each section once, with its excerpts in the order of the answer. */
export const citeSources = (quotes: readonly PlacedQuote[], edition: string): NavigatorSource[] => {
  const sources = new Map<string, NavigatorSource>();
  for (const { chunk, article, start, end, text, matched } of quotes) {
    const section = sectionOf(chunk, article);
    const key = `${article.id}\n${section}`;
    const excerpt = { quote: text, start: chunk.start + start, end: chunk.start + end };
    const source = sources.get(key);
    if (source) {
      if ((source.excerpts?.length ?? 0) < MAX_EXCERPTS) source.excerpts?.push(excerpt);
    } else
      sources.set(key, { file: article.id, section, relevance: relevanceOf(matched), excerpts: [excerpt], edition });
  }
  return [...sources.values()];
};

/** Per section, as the schema of the response allows. */
const MAX_EXCERPTS = 20;

const relevanceOf = (matched: readonly string[]): string => {
  const words = matched.slice(0, 6).map((word) => `"${escapeText(word, 100)}"`);
  const list = listOf(words, 'and');
  return list === '' ? 'Holds the passage shown' : `Holds the passage shown, which speaks of ${list}`;
};

/** "a, b and c", "a or b", "a"; empty for nothing. */
const listOf = (words: readonly string[], joint: 'and' | 'or'): string =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}` : words.join('');

/** For running text: one line, shortened. */
export const oneLine = (text: string, limit = 300): string => {
  const line = IS_ONE_LINE.test(text) ? text : text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > limit ? `${cutAtWord(line, limit - 1)}…` : line;
};

/** A cut word would say something else: "180 GB" must not become "1". A single long word is cut all the same. */
const cutAtWord = (line: string, length: number): string => {
  const cut = line.slice(0, length + 1).search(/\s\S*$/);
  return line.slice(0, cut > length / 2 ? cut : length);
};

/** Printable ASCII with single spaces: most titles and headings, which need no replacement. */
const IS_ONE_LINE = /^(?:[!-~]+ )*[!-~]+$/;

/**
 * Whether a whole statement is about the answer itself, and so needs no source. A sentence that states anything else as well does not count.
 */
export const isHedge = (statement: string): boolean => HEDGED.test(statement.replaceAll('’', "'").trim());

const HEDGED =
  /^(?:I'm|I am) not (?:sure|certain) (?:that|whether|if) (?:this|it) answers (?:the|your|this) question[.:]?$/i;
