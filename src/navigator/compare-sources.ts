import {
  type AlternativeAnswer,
  levelOf,
  MAX_ALTERNATIVES,
  type NavigatorResponse,
} from '../contract/navigator-response.ts';
import {
  differenceOf,
  overlapOf,
  SAME_PATTERN,
  type Statement,
  statementsOf,
} from '../grounding/compare-statements.ts';
import type { AnswerPassage, FoundAnswer } from '../grounding/find-answer.ts';
import { sectionOfChunk, stemsOf } from '../grounding/sections.ts';
import { type AnswerPhrases, filled } from '../runtime/answer-phrases.ts';
import { escapeHtml, escapeText } from '../runtime/escape-html.ts';
import type { Edition } from '../search/open-edition.ts';
import type { Span } from '../text/split-sentences.ts';
import { titleOfPath } from '../text/title-of-path.ts';
import {
  citationOf,
  citeSources,
  leadTo,
  oneLine,
  type PlacedQuote,
  sectionOf,
  showPassage,
} from './compose-answer.ts';
import type { AnswerViolation, ArticleHit, NavigatorAnswer } from './navigator-answer.ts';

interface AlternativesInput {
  /** The edition that is cited. */
  edition: string;
  /** Probability of the answer, 0 to 1. */
  probability: number;
  /** Cited sources of the answer: what they say is no alternative to it. */
  sources: NavigatorResponse['sources'];
  comparisons: readonly Comparison[];
  phrases: AnswerPhrases;
  /** What was found besides; absent for an answer of a model, which has read it and has chosen. */
  readings?:
    | { found: FoundAnswer; quotesIn: (passages: readonly AnswerPassage[]) => readonly PlacedQuote[] }
    | undefined;
}

/**
 * Up to two other answers: what a source says that contradicts the answer, and what another article answers almost as probably. Most answers
 * have none.
 */
export const alternativesOf = (input: AlternativesInput): AlternativeAnswer[] => {
  const cited = new Set(input.sources.map(({ file }) => file));
  const conflicts = input.comparisons.filter(
    ({ verdict, other }) => verdict === 'conflicts' && !cited.has(other.source.id) && saysSomething(other.text),
  );
  const once = new Map(conflicts.map((conflict) => [conflict.other.source.id, conflict]));
  const all = [
    ...[...once.values()].map((each) => conflictOf(each, input)),
    ...readingsOf(input, new Set(once.keys())),
  ];
  return all.slice(0, MAX_ALTERNATIVES);
};

const conflictOf = (
  { other, difference, citation }: Comparison,
  { edition, probability, phrases }: AlternativesInput,
): AlternativeAnswer => ({
  kind: 'conflict',
  answer: escapeHtml([leadTo(other.source, phrases), ...headingOf(other), other.text.trim()].join('\n\n')),
  sources: [
    {
      file: other.source.id,
      section: sectionOf({ headingPath: [...other.headingPath] }, other.source),
      relevance: 'Says otherwise than the answer',
      excerpts: [{ quote: other.text, start: other.start, end: other.end }],
      edition,
    },
  ],
  confidence: levelOf(probability),
  probability: rounded(probability),
  reason: escapeText(`${filled(phrases.conflict, { citation, difference })}.`, 1000),
});

/** Code that differs from other code in a number, such as a version, contradicts nothing. */
const saysSomething = (text: string): boolean => stemsOf(text.replace(/`[^`]*`/g, ' ')).length >= LEAST_WORDS;
const LEAST_WORDS = 3;

const headingOf = ({ headingPath }: OtherStatement): string[] =>
  headingPath.length === 0 ? [] : [`**${escapeText(headingPath.map((each) => oneLine(each, 120)).join(' › '), 600)}**`];

/** Another article is a reading of its own only if it holds this share of what the answer holds of the question. */
const LEAST_HELD = 0.9;
/** Least share of the best passage's probability. A smaller one is found by chance. */
const LEAST_SHARE = 0.5;
/** Least probability of an alternative. With these three, half of the readings answer a question that the answer does not (docs/answers.md). */
const LEAST_PROBABILITY = 0.15;

const readingsOf = (
  { edition, probability, readings, phrases }: AlternativesInput,
  taken: ReadonlySet<string>,
): AlternativeAnswer[] => {
  if (readings === undefined) return [];
  const { found, quotesIn } = readings;
  const best = Math.max(...found.passages.map(({ share }) => share));
  const held = Math.max(...found.passages.map((passage) => heldBy(passage, found)));
  return found.others
    .filter(
      (other) =>
        !taken.has(other.source.id) && other.share >= LEAST_SHARE * best && heldBy(other, found) >= LEAST_HELD * held,
    )
    .map((other) => ({ other, likely: Math.min(probability, (found.probability * other.share) / best) }))
    .filter(({ likely }) => likely >= LEAST_PROBABILITY)
    .map(({ other, likely }) => {
      return {
        kind: 'other_reading' as const,
        answer: escapeHtml(
          [leadTo(other.source, phrases), ...showPassage(other, { question: found.question, phrases })].join('\n\n'),
        ),
        sources: citeSources(quotesIn([other]), edition).slice(0, MAX_SOURCES),
        confidence: levelOf(likely),
        probability: rounded(likely),
        reason: escapeText(
          `${phrases.closeSecond}: “${oneLine(other.source.title || titleOfPath(other.source.id), 200)}”.`,
          1000,
        ),
      };
    });
};

const MAX_SOURCES = 5;

/** Share of the question's informative words in a passage, its headings and its title, by rarity, 0 to 1. */
const heldBy = ({ source, unit }: AnswerPassage, { question }: FoundAnswer): number => {
  const words = new Set([
    ...stemsOf(source.title),
    ...unit.parts.flatMap(({ section, pieces }) => [
      ...stemsOf(section.path.join('\n')),
      ...pieces.flatMap(({ stems }) => stems),
    ]),
  ]);
  const own = question.terms.filter(({ weight }) => weight === 1);
  const total = own.reduce((sum, { idf }) => sum + idf, 0);
  const sum = own.reduce((all, { idf, forms }) => all + ([...forms].some((form) => words.has(form)) ? idf : 0), 0);
  return total > 0 ? sum / total : 0;
};

/** An answer without the alternatives that break a rule, and the violations of the answer itself. */
export const withoutFaultyAlternatives = <Found extends { rule: string; alternative?: number | undefined }>(
  answer: NavigatorAnswer,
  found: readonly Found[],
): { answer: NavigatorAnswer; violations: Found[]; dropped: AnswerViolation[] } => {
  const faulty = found.filter(({ alternative }) => alternative !== undefined);
  const violations = found.filter(({ alternative }) => alternative === undefined);
  if (faulty.length === 0) return { answer, violations, dropped: [] };
  const { alternatives = [], ...response } = answer.response;
  const kept = alternatives.filter((_, at) => !faulty.some(({ alternative }) => alternative === at));
  return {
    answer: { ...answer, response: { ...response, ...(kept.length > 0 ? { alternatives: kept } : {}) } },
    violations,
    dropped: [...new Set(faulty.map(({ rule }) => rule))].map((rule) => ({ rule, outcome: 'dropped' })),
  };
};

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

/** What another source states about a shown statement. */
export interface Comparison {
  /** `agrees`: it states the same; `conflicts`: the same words with another number or a negation. */
  verdict: 'agrees' | 'conflicts';
  /** For a conflict: what differs, "24 V instead of 12 V" or "the other denies it". */
  difference: string;
  /** The other source: "guides/ssl.md, Certificates". */
  citation: string;
  /** What it says. */
  other: OtherStatement;
}

/** A sentence, item or row of another article, with its place in it. */
interface OtherStatement extends Span {
  text: string;
  source: ArticleHit['source'];
  headingPath: readonly string[];
}

/** Sections of other articles with at least this share of the best score are compared. */
const COMPARED_FROM = 0.6;
const COMPARED_HITS = 2;

/**
 * Compares shown statements with other articles, sentence by sentence: agreement raises the confidence, a conflict lowers it. Unrelated
 * sections are ignored.
 */
export const compareWithOthers = (
  edition: Edition,
  quotes: readonly PlacedQuote[],
  { hits }: { hits: readonly Pick<ArticleHit, 'chunk' | 'score' | 'source'>[] },
): Comparison[] => {
  const close = hits.filter(({ score }) => score >= COMPARED_FROM * (hits[0]?.score ?? 0));
  return [...Map.groupBy(quotes, ({ article }) => article)].flatMap(([article, own]) => {
    const shown = own.flatMap((quote) => statementsIn(edition, quote));
    return close
      .filter(({ source }) => source.id !== article.id && !isSiblingOf(source, article))
      .slice(0, COMPARED_HITS)
      .flatMap(({ chunk, source }) => {
        const section = sectionOfChunk(edition, chunk);
        const found = compare(shown, statementsOf(section));
        if (found === undefined) return [];
        const { statement, ...compared } = found;
        const { text, start, end } = statement;
        const other = { text, start, end, source, headingPath: section.path };
        return {
          ...compared,
          other,
          citation: citationOf({ chunk: { headingPath: [...section.path] }, article: source }),
        };
      });
  });
};

/** Only about another device: a difference is no conflict. */
const isSiblingOf = ({ devices }: ArticleHit['source'], article: PlacedQuote['article']): boolean =>
  devices.length > 0 && article.devices.length > 0 && !devices.some((device) => article.devices.includes(device));

const statementsIn = (edition: Edition, { chunk, start, end }: PlacedQuote): Statement[] =>
  statementsOf(sectionOfChunk(edition, chunk.index)).filter(
    (statement) => statement.start < chunk.start + end && statement.end > chunk.start + start,
  );

const compare = (
  shown: readonly Statement[],
  others: readonly Statement[],
): (Pick<Comparison, 'verdict' | 'difference'> & { statement: Statement }) | undefined => {
  const pairs = others.flatMap((other) =>
    shown
      .filter(({ words }) => overlapOf(words, other.words) >= SAME_PATTERN)
      .map((one) => ({ difference: differenceOf(one, other), statement: other })),
  );
  const conflict = pairs.find(({ difference }) => difference !== '');
  if (conflict !== undefined) return { verdict: 'conflicts', ...conflict };
  return pairs[0] === undefined ? undefined : { verdict: 'agrees', ...pairs[0] };
};
