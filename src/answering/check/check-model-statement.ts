import { parseBlocks } from '../../documents/markdown/blocks.ts';
import { statesSameTime } from '../../language/durations.ts';
import {
  isUnitFactor,
  monthsIn,
  numbersIn,
  sumFor,
  valuesIn,
  type WrittenNumber,
} from '../../language/number-values.ts';
import { sentencesIn } from '../../language/split-sentences.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { Passage } from '../model/answer-prompt.ts';
import { hasPromptInjection } from '../model/prompt-injection.ts';
import { checkStatement, type Evidence, prepareEvidence } from './check-statement.ts';
import { isBoundLiteral, missingLiterals } from './literals.ts';
import { evidenceOfPassage, evidenceOfQuote, type PlacedQuote } from './quote-evidence.ts';
import { plainOf, statementSpans } from './statement-words.ts';
import { isSupportedCode } from './supported-code.ts';

/** What is known of a statement without a judge. */
export interface ModelStatementCheck {
  /** Why it cannot go out, whatever a judge says; undefined otherwise. */
  veto: string | undefined;
  /** What a judge should look at first, in plain words; empty for nothing. */
  doubt: string;
  /** All of its sentences, items and rows stand in its passages as they are. */
  isLiteral: boolean;
}

interface CheckContext {
  question: string;
  /** All that were shown. */
  passages: readonly Passage[];
}

/**
 * Checks a statement of a model against its quotes. Only what no source can be read as saying is a veto: markup that hides something, words
 * to a model, and links, paths, commands, code and numbers that stand nowhere. Everything else is a doubt for the judge.
 *
 * @param text Markdown: a sentence, list, table or code block.
 * @param quotes Those of its quotes that stand in their passages.
 */
export function checkModelStatement(
  text: string,
  quotes: readonly PlacedQuote[],
  context: CheckContext,
): ModelStatementCheck {
  const named = [...new Set(quotes.map(({ passage }) => passage))];
  const veto = vetoOf(text, { sections: named.map(evidenceOfPassage), quotes, context });
  if (veto !== undefined) return { veto, doubt: '', isLiteral: false };
  const isLiteral = isLiteralIn(text, named);
  const { reason } = checkStatement(
    text,
    prepareEvidence(quotes.map(evidenceOfQuote)),
    context.question,
  );
  return { veto: undefined, doubt: isLiteral ? '' : reason, isLiteral };
}

interface VetoOptions {
  /** The passages that it names. */
  sections: readonly Evidence[];
  quotes: readonly PlacedQuote[];
  context: CheckContext;
}

const textsOf = (evidence: readonly Evidence[]): string[] =>
  evidence.flatMap(({ text, headings }) => [text, ...headings]);

const vetoOf = (text: string, { sections, quotes, context }: VetoOptions): string | undefined => {
  if (hasHiddenMarkup(text, sections))
    return 'it has an image or markup that a reader does not see';
  if (hasPromptInjection(text)) return 'it speaks to a model, not to a reader';
  if (quotes.length === 0) return 'no quote of it stands in a passage';
  const titles = context.passages.map(({ title }) => title);
  const named = [...textsOf(sections), ...titles];
  const texts = [...textsOf(context.passages.map(evidenceOfPassage)), ...titles];
  const { question } = context;
  const sources = { texts, named, question };
  const literal = missingLiterals(text, [...texts, question]).find(
    (each) => isBoundLiteral(each) && !isSupportedCode(each, sources),
  );
  if (literal !== undefined)
    return `the evidence does not have ${literal.kind} ${quotedShort(literal.text)}`;
  // The numbers of code are looked at with the code.
  const strange = strangeNumbers(text.replace(CODE, ' '), [...named, question])[0];
  return strange === undefined
    ? undefined
    : `the evidence does not have number ${quotedShort(strange.text)}`;
};

const CODE = /(`{1,3})[^`]*\1/g;

const quotedShort = (text: string): string =>
  JSON.stringify(text.replace(/\s+/g, ' ').slice(0, 60));

/**
 * Numbers that no text has, in digits, words, as a month or in another unit of time, and that are neither the result of a sum that the statement shows nor its factor
 * between units ("2 weeks x 7 = 14 days").
 */
const strangeNumbers = (text: string, known: readonly string[]): WrittenNumber[] => {
  const values = valuesIn(known);
  const numbers = numbersIn(text);
  const missing = numbers.filter((number) => !number.values.some((value) => values.has(value)));
  if (missing.length === 0) return [];
  const months = monthsIn(known);
  const written = known.join('\n');
  const strange = missing.filter((number) => {
    if (number.values.some((value) => months.has(value)) || written.includes(number.text))
      return false;
    // A date in figures: 04.11.2026 for November 4, 2026.
    const figures = number.text.split(/[.,:]/).map((figure) => String(Number(figure)));
    if (figures.length === 3 && figures.every((figure) => values.has(figure) || months.has(figure)))
      return false;
    if (statesSameTime(number.text, text, known)) return false;
    const shown = numbers.filter((each) => each !== number).flatMap((each) => each.values);
    const operands = shown.filter((value) => values.has(value));
    return sumFor(number, operands) === undefined;
  });
  const isExplained = strange.length < missing.length;
  return strange.filter((number) => !isExplained || !number.values.some(isUnitFactor));
};

/**
 * HTML and images outside code. What is escaped, an address in angle brackets and a placeholder (`<version>`) that the evidence contains are
 * shown as they are.
 */
const hasHiddenMarkup = (text: string, evidence: readonly Evidence[]): boolean =>
  HIDDEN_MARKUP.test(
    text
      .replace(CODE, ' ')
      .replace(/<https?:\/\/[^<>\s]{1,2000}>/gi, ' ')
      .replace(/<[\w .-]{1,40}>/g, (placeholder) =>
        evidence.some(({ text: source }) => source.includes(placeholder)) ? ' ' : placeholder,
      ),
  );
/** Behind an even number of backslashes, it is not escaped. */
const HIDDEN_MARKUP = /(?<=(?<!\\)(?:\\\\){0,20})(?:!\[|<[a-z/!?])/i;

/** Whether each sentence, item and row of a text is one of a passage. */
const isLiteralIn = (text: string, passages: readonly Passage[]): boolean => {
  const spans = statementSpans(text);
  const isHeading = parseBlocks(text).some(({ kind }) => kind === 'heading');
  return (
    spans.length > 0 &&
    !isHeading &&
    spans.every(({ start, end }) => {
      const unit = plainOf(text.slice(start, end));
      return unit !== '' && passages.some((passage) => unitsOf(passage).has(unit));
    })
  );
};

const unitsOf = oncePer(
  ({ text }: Passage): ReadonlySet<string> =>
    new Set(statementSpans(text).map(({ start, end }) => plainOf(text.slice(start, end)))),
);

/** Prose without the sentences that must not go out; undefined when nothing is left, or when it is a list, a table or code. */
export function withoutVetoed(
  text: string,
  isVetoed: (sentence: string) => boolean,
): string | undefined {
  if (parseBlocks(text).some(({ kind }) => kind !== 'prose')) return undefined;
  const sentences = sentencesIn(text);
  const rest = sentences.filter((sentence) => !isVetoed(sentence));
  return rest.length === 0 || rest.length === sentences.length ? undefined : rest.join(' ');
}
