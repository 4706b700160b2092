import {
  type AlternativeAnswer,
  levelOf,
  MAX_ALTERNATIVES,
  type NavigatorResponse,
} from '../contract/navigator-response.ts';
import type { AnswerPassage, FoundAnswer } from '../grounding/find-answer.ts';
import { stemsOf } from '../grounding/sections.ts';
import { escapeHtml, escapeText } from '../runtime/escape-html.ts';
import type { Comparison, OtherStatement } from './compare-sources.ts';
import { citeSources, leadTo, oneLine, type PlacedQuote, sectionOf, showPassage } from './compose-answer.ts';
import type { AnswerViolation, NavigatorAnswer } from './navigator-answer.ts';

interface AlternativesInput {
  /** The edition that is cited. */
  edition: string;
  /** Probability of the answer, 0 to 1. */
  probability: number;
  /** Cited sources of the answer: what they say is no alternative to it. */
  sources: NavigatorResponse['sources'];
  comparisons: readonly Comparison[];
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
  { edition, probability }: AlternativesInput,
): AlternativeAnswer => ({
  kind: 'conflict',
  answer: escapeHtml([leadTo(other.source), ...headingOf(other), other.text.trim()].join('\n\n')),
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
  reason: escapeText(`${citation} contradicts the answer: ${difference}.`, 1000),
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
  { edition, probability, readings }: AlternativesInput,
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
        answer: escapeHtml([leadTo(other.source), ...showPassage(other, found.question)].join('\n\n')),
        sources: citeSources(quotesIn([other]), edition).slice(0, MAX_SOURCES),
        confidence: levelOf(likely),
        probability: rounded(likely),
        reason: escapeText(
          `Another article fits almost as well, and holds as many words of the question: “${oneLine(other.source.title || other.source.id, 200)}”.`,
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
