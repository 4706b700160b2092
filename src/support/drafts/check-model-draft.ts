import { checkStatement, prepareEvidence } from '../../answering/check/check-statement.ts';
import type { CheckedStatement } from '../../answering/check/decide-statements.ts';
import type { PlacedQuote } from '../../answering/check/quote-evidence.ts';
import { isProcedure } from '../../answering/check/statement-drafts.ts';
import { hasPromptInjection } from '../../answering/model/prompt-injection.ts';
import type { ShownPassage } from '../../answering/passages/shown-passages.ts';
import { parseBlocks } from '../../documents/markdown/blocks.ts';
import { escapeHtml } from '../../documents/markdown/escape-html.ts';
import { stemsOf } from '../../knowledge/edition/sections.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { type Span, splitSentences } from '../../language/split-sentences.ts';
import { type AlreadyTried, wasTried } from '../message/already-tried.ts';
import { primaryOf } from '../message/languages.ts';
import type { Evidence } from '../retrieval/knowledge.ts';
import PROHIBITIONS from './prohibitions.json' with { type: 'json' };
import { type AnswerPassage, readable } from './quote-passage.ts';
import type { TicketUnits } from './ticket-units.ts';

/** Share of its content words that a step needs in the draft to count as given. */
const GIVEN_FROM = 0.5;

/**
 * Finds the missing steps of procedures that a draft gives only in part: a step in the middle, or the last one, may be what makes the
 * procedure safe. Steps that were already tried may be missing, and a single step may be given when no removed statement quotes the rest.
 *
 * @returns The missing steps, and whether a removed statement quotes one of them.
 */
export function stepsLeftOut(
  statements: readonly CheckedStatement<ShownPassage>[],
  {
    passages,
    removedQuotes,
    alreadyTried,
  }: {
    passages: readonly ShownPassage[];
    removedQuotes: readonly PlacedQuote<ShownPassage>[];
    alreadyTried: AlreadyTried;
  },
): { leftOut: string[]; isRemoved: boolean } {
  let isRemoved = false;
  const text = bodyOf(statements);
  const body = prepareEvidence([{ text, headings: [] }]);
  const language = detectLanguage(text);
  const leftOut = passages.flatMap((passage) => {
    const quotesIn = (span: Span) =>
      statements.flatMap((statement) =>
        statement.quotes
          .filter((quote) => quote.passage === passage && overlapOf(quote.span, span) > 0)
          .map((quote) => ({ statement, overlap: overlapOf(quote.span, span) })),
      );
    // Words of two languages cannot be compared: there a step counts as given when it is quoted.
    const isTranslated = language !== undefined && detectLanguage(passage.text) !== language;
    const isGiven = ({ text: step, span }: Step) =>
      isTranslated
        ? quotesIn(span).some(({ overlap }) => overlap >= GIVEN_FROM * (span.end - span.start))
        : checkStatement(step, body).coverage >= GIVEN_FROM;
    return proceduresIn(passage.text).flatMap(({ list, steps }) => {
      const cited = quotesIn(list);
      if (cited.length === 0) return [];
      const given = steps.filter(isGiven);
      const isGivenAsList = cited.some(({ statement }) => proceduresIn(statement.text).length > 0);
      const missing = steps.filter(
        (step) => !given.includes(step) && !wasTried(step.text, alreadyTried),
      );
      const isCut = removedQuotes.some(
        (quote) =>
          quote.passage === passage && missing.some((step) => overlapOf(quote.span, step.span) > 0),
      );
      isRemoved ||= isCut;
      return given.length > 1 || isCut || isGivenAsList ? missing.map((step) => step.text) : [];
    });
  });
  return { leftOut, isRemoved };
}

const overlapOf = (one: Span, other: Span): number =>
  Math.min(one.end, other.end) - Math.max(one.start, other.start);

interface Step {
  text: string;
  span: Span;
}

const proceduresIn = (text: string): { list: Span; steps: Step[] }[] =>
  parseBlocks(text)
    .filter((block) => block.items.length > 1 && isProcedure(text, block))
    .map(({ start, end, items }) => ({
      list: { start, end },
      steps: items.map((item) => ({ text: text.slice(item.start, item.end), span: item })),
    }));

export interface MissingWarning {
  sentence: string;
  source: { title: string; url: string };
  /** The statement to put the warning before: the first one that quotes its section, or the sentence that introduces that; undefined for the warning about
   * the customer's case. */
  before: CheckedStatement<ShownPassage> | undefined;
}

/**
 * Finds the prohibitions that the statements omit, in the words of the articles: the warning about the customer's case, and those in the
 * sections that the statements quote.
 */
export function missingWarnings(
  statements: readonly CheckedStatement<ShownPassage>[],
  { warning, language }: { warning: AnswerPassage | undefined; language: string },
): MissingWarning[] {
  const body = prepareEvidence([{ text: bodyOf(statements), headings: [] }]);
  const found = new Map<string, MissingWarning>();
  if (warning !== undefined)
    found.set(warning.text, { sentence: warning.text, source: warning, before: undefined });
  let transition: CheckedStatement<ShownPassage> | undefined;
  for (const statement of statements) {
    const before: CheckedStatement<ShownPassage> = transition ?? statement;
    transition = statement.quotes.length === 0 || statement.text.endsWith(':') ? before : undefined;
    for (const { passage, span } of statement.quotes) {
      for (const sentence of sentencesIn(sectionWith(passage.text, span))) {
        const isWarning = isProhibition(
          sentence,
          primaryOf(detectLanguage(passage.text) ?? language),
        );
        if (isWarning && !found.has(sentence))
          found.set(sentence, { sentence, source: passage.source, before });
      }
    }
  }
  return [...found.values()].filter(({ sentence }) => !checkStatement(sentence, body).isSupported);
}

/** The text under the same heading. */
const sectionWith = (text: string, { start, end }: Span): string => {
  const headings = parseBlocks(text).filter(({ kind }) => kind === 'heading');
  const from = headings.findLast((heading) => heading.end <= start)?.end ?? 0;
  const to = headings.find((heading) => heading.start >= end)?.start ?? text.length;
  return text.slice(from, to);
};

const bodyOf = (statements: readonly CheckedStatement[]): string =>
  statements.map(({ text }) => text).join('\n\n');

/** Sentences of prose and list items, without list marks. */
const sentencesIn = (text: string): string[] =>
  parseBlocks(text)
    .flatMap((block) =>
      block.kind === 'prose' ? [block] : block.kind === 'list' ? block.items : [],
    )
    .flatMap((part) => splitSentences(text, part).map(({ start, end }) => text.slice(start, end)))
    .map((sentence) => sentence.replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, '').trim());

/** Share of the message's words that a warning needs; at least two words. */
const WARNED_SHARE = 0.2;
/** Least relevance of an article whose warnings are read. */
const WARNING_FROM = 0.2;

export interface Warning {
  /** Place of the article in the edition. */
  article: number;
  passage: AnswerPassage;
}

/**
 * The prohibition that shares most words with the message: "Do not cut the power while the LED is blue." It is quoted first, whatever
 * else answers, and procedures of other articles are not quoted.
 */
export function warningFor(
  { intents, language }: Evidence,
  { units, question, relevance }: TicketUnits,
): Warning | undefined {
  const terms = question.terms.filter(({ isKnown, weight }) => isKnown && weight === 1);
  const total = terms.reduce((sum, { idf }) => sum + idf, 0);
  let best: { share: number; warning: Warning } | undefined;
  for (const { unit, source } of units) {
    const isAbout = source.intents.some((intent) => intents.includes(intent));
    if (!isAbout || (relevance.get(source.index) ?? 0) < WARNING_FROM) continue;
    for (const { section, pieces } of unit.parts)
      for (const piece of pieces)
        for (const { start, end } of splitSentences(section.text, piece)) {
          const sentence = section.text
            .slice(start, end)
            .replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, '');
          if (!isProhibition(sentence, language ?? '')) continue;
          const stems = new Set(stemsOf(sentence));
          const found = terms.filter(({ forms }) => [...forms].some((form) => stems.has(form)));
          const share = found.reduce((sum, { idf }) => sum + idf, 0) / total;
          if (
            found.length < 2 ||
            share < WARNED_SHARE ||
            share <= (best?.share ?? 0) ||
            hasPromptInjection(sentence)
          )
            continue;
          const text = readable(sentence);
          const passage = {
            title: source.title,
            url: source.url,
            markdown: escapeHtml(text),
            text,
            language: detectLanguage(sentence),
            steps: [sentence],
          };
          best = { share, warning: { article: source.index, passage } };
        }
  }
  return best?.warning;
}

/** Words at the beginning of a clause that forbid something, by language. */
const PROHIBITS = new Map(
  Object.entries(PROHIBITIONS).map(([language, words]) => [
    language,
    new RegExp(`(?:^|[.!;:,–—(]\\s{1,4})[*_"“]{0,3}(?:${words.join('|')})(?!\\p{L})`, 'iu'),
  ]),
);

/**
 * Whether a sentence forbids something: "Do not cut the power while the LED is blue."
 *
 * @param language Primary subtag of BCP 47; without a list for the language, nothing is a prohibition.
 */
const isProhibition = (sentence: string, language: string): boolean =>
  PROHIBITS.get(language)?.test(sentence) === true;
