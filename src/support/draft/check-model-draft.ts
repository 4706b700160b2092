import { checkStatement } from '../../grounding/check-statement.ts';
import type { CheckedStatement } from '../../grounding/checked-answer.ts';
import type { PlacedQuote } from '../../grounding/quote-evidence.ts';
import type { ShownPassage } from '../../grounding/shown-passages.ts';
import { splitBlocks } from '../../markup/split-blocks.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { type Span, splitSentences } from '../../text/split-sentences.ts';
import { type AlreadyTried, wasTried } from '../ticket/already-tried.ts';
import { primaryOf } from '../ticket/languages.ts';
import type { AnswerPassage } from './answer-passages.ts';
import { isProhibition } from './prohibitions.ts';

/** A step that shares less than this of its content words with the draft is not said in it. */
const SAID_FROM = 0.5;

/**
 * Steps of procedures that statements, each supported, give only in part: one in the middle or the last one may be what makes it safe. What
 * the customer has done may be left out; and one step may be told by itself, where nothing was removed that quotes it or another.
 *
 * @returns These, and whether one is quoted by what was removed.
 */
export const stepsLeftOut = (
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
): { leftOut: string[]; isRemoved: boolean } => {
  let isRemoved = false;
  const text = bodyOf(statements);
  const body = [{ text, headings: [] }];
  const language = detectLanguage(text);
  const leftOut = passages.flatMap((passage) => {
    const quotesIn = (span: Span) =>
      statements.flatMap((statement) =>
        statement.quotes
          .filter((quote) => quote.passage === passage && overlapOf(quote.span, span) > 0)
          .map((quote) => ({ statement, overlap: overlapOf(quote.span, span) })),
      );
    // Words of two languages do not compare: there a step is said that was quoted.
    const isTranslated = language !== undefined && detectLanguage(passage.text) !== language;
    const isSaid = ({ text: step, span }: Step) =>
      isTranslated
        ? quotesIn(span).some(({ overlap }) => overlap >= SAID_FROM * (span.end - span.start))
        : checkStatement(step, body, { question: '' }).coverage >= SAID_FROM;
    return proceduresIn(passage.text).flatMap(({ list, steps }) => {
      const cited = quotesIn(list);
      if (cited.length === 0) return [];
      const said = steps.filter(isSaid);
      const isGivenAsList = cited.some(({ statement }) => proceduresIn(statement.text).length > 0);
      const missing = steps.filter((step) => !said.includes(step) && !wasTried(step.text, alreadyTried));
      const isCut = removedQuotes.some(
        (quote) => quote.passage === passage && missing.some((step) => overlapOf(quote.span, step.span) > 0),
      );
      isRemoved ||= isCut;
      return said.length > 1 || isCut || isGivenAsList ? missing.map((step) => step.text) : [];
    });
  });
  return { leftOut, isRemoved };
};

const overlapOf = (one: Span, other: Span): number => Math.min(one.end, other.end) - Math.max(one.start, other.start);

interface Step {
  text: string;
  span: Span;
}

const proceduresIn = (text: string): { list: Span; steps: Step[] }[] =>
  splitBlocks(text)
    .filter(({ kind, start, items }) => kind === 'list' && items.length > 1 && /^\s*\d/.test(text.slice(start)))
    .map(({ start, end, items }) => ({
      list: { start, end },
      steps: items.map((item) => ({ text: text.slice(item.start, item.end), span: item })),
    }));

export interface MissingWarning {
  sentence: string;
  source: { title: string; url: string };
  /** The first statement that quotes what it belongs to, or what leads over to that; undefined for the warning of the customer's case. */
  before: CheckedStatement<ShownPassage> | undefined;
}

/**
 * What is forbidden and the statements do not say, as the articles write it: the warning of the customer's case, and what stands in the
 * sections that the statements quote. No warning gets lost.
 */
export const missingWarnings = (
  statements: readonly CheckedStatement<ShownPassage>[],
  { warning, language }: { warning: AnswerPassage | undefined; language: string },
): MissingWarning[] => {
  const body = [{ text: bodyOf(statements), headings: [] }];
  const found = new Map<string, MissingWarning>();
  if (warning !== undefined) found.set(warning.text, { sentence: warning.text, source: warning, before: undefined });
  let lead: CheckedStatement<ShownPassage> | undefined;
  for (const statement of statements) {
    const before: CheckedStatement<ShownPassage> = lead ?? statement;
    lead = statement.quotes.length === 0 ? before : undefined;
    for (const { passage, span } of statement.quotes) {
      for (const sentence of sentencesIn(sectionWith(passage.text, span))) {
        const isWarning = isProhibition(sentence, primaryOf(detectLanguage(passage.text) ?? language));
        if (isWarning && !found.has(sentence)) found.set(sentence, { sentence, source: passage.source, before });
      }
    }
  }
  return [...found.values()].filter(
    ({ sentence }) => checkStatement(sentence, body, { question: '' }).verdict !== 'supported',
  );
};

/** What stands under the same heading. */
const sectionWith = (text: string, { start, end }: Span): string => {
  const headings = splitBlocks(text).filter(({ kind }) => kind === 'heading');
  const from = headings.findLast((heading) => heading.end <= start)?.end ?? 0;
  const to = headings.find((heading) => heading.start >= end)?.start ?? text.length;
  return text.slice(from, to);
};

const bodyOf = (statements: readonly CheckedStatement[]): string => statements.map(({ text }) => text).join('\n\n');

/** Of prose and list items, without list marks. */
const sentencesIn = (text: string): string[] =>
  splitBlocks(text)
    .flatMap((block) => (block.kind === 'prose' ? [block] : block.kind === 'list' ? block.items : []))
    .flatMap((part) => splitSentences(text, part).map(({ start, end }) => text.slice(start, end)))
    .map((sentence) => sentence.replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, '').trim());
