import { parseBlocks } from '../markup/blocks.ts';
import { oncePer } from '../runtime/once-per.ts';
import { devicesNamedIn } from '../search/devices-named-in.ts';
import { detectLanguage } from '../text/detect-language.ts';
import { splitSentences } from '../text/split-sentences.ts';
import type { Passage } from './answer-prompt.ts';
import type { Evidence } from './check-statement.ts';
import { isFounded } from './founded-code.ts';
import { isBoundLiteral, missingExactLiterals, missingLiterals } from './literals.ts';
import { isUnitFactor, monthsIn, numbersIn, sumFor, valuesIn, type WrittenNumber } from './number-values.ts';
import { hasPromptInjection } from './prompt-injection.ts';
import { qualifiersOf } from './qualifiers.ts';
import { evidenceOfPassage, evidenceOfQuote, type PlacedQuote } from './quote-evidence.ts';
import { plainOf, readSentence, statementSpans, type Word } from './statement-words.ts';
import { tableDoubt } from './table-doubts.ts';

/** What is known of a statement without a judge. */
export interface ModelStatementCheck {
  /** Why it cannot go out, whatever a judge says; undefined otherwise. */
  veto: string | undefined;
  /** What a judge should look at first, in plain words, the gravest first. */
  doubts: readonly string[];
  /** All of its sentences, items and rows stand in its passages as they are. */
  isLiteral: boolean;
}

export interface CheckContext {
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
export const checkModelStatement = (
  text: string,
  quotes: readonly PlacedQuote[],
  context: CheckContext,
): ModelStatementCheck => {
  const named = [...new Set(quotes.map(({ passage }) => passage))];
  const own = quotes.map(evidenceOfQuote);
  const sections = named.map(evidenceOfPassage);
  const veto = vetoOf(text, { sections, quotes, context });
  if (veto !== undefined) return { veto, doubts: [], isLiteral: false };
  const isLiteral = isLiteralIn(text, named);
  const doubts = [
    ...quotes.flatMap((quote) => tableDoubt(text, quote, context.question) ?? []).slice(0, 1),
    ...numberDoubts(text, { own, sections, context }),
    ...literalDoubts(text, { own, context }),
    ...deviceDoubts(named, context),
    ...(isLiteral ? [] : wordDoubts(text, { own, sections, context })),
  ];
  return { veto: undefined, doubts: [...new Set(doubts)].slice(0, MAX_DOUBTS), isLiteral };
};

const MAX_DOUBTS = 2;

interface Given {
  /** Its quotes, each with its sentence, row or item and the headings above. */
  own: readonly Evidence[];
  /** The passages that it names. */
  sections: readonly Evidence[];
  context: CheckContext;
}

const textsOf = (evidence: readonly Evidence[]): string[] =>
  evidence.flatMap(({ text, headings }) => [text, ...headings]);

const vetoOf = (
  text: string,
  { sections, quotes, context }: Omit<Given, 'own'> & { quotes: readonly PlacedQuote[] },
): string | undefined => {
  if (hasHiddenMarkup(text, sections)) return 'it has an image or markup that a reader does not see';
  if (hasPromptInjection(text)) return 'it speaks to a model, not to a reader';
  if (quotes.length === 0) return 'no quote of it stands in a passage';
  const titles = context.passages.map(({ title }) => title);
  const texts = [...textsOf(sections), ...titles];
  const sources = {
    texts,
    quotes: quotes.map(({ passage, span }) => passage.text.slice(span.start, span.end)),
    question: context.question,
  };
  const allowed = [...texts, context.question];
  const literal = missingExactLiterals(text, allowed).find((each) => isBoundLiteral(each) && !isFounded(each, sources));
  if (literal !== undefined) return `the evidence does not have ${literal.kind} ${quotedShort(literal.text)}`;
  const strange = strangeNumbers(text, allowed)[0];
  return strange === undefined ? undefined : `the evidence does not have number ${quotedShort(strange.text)}`;
};

const quotedShort = (text: string): string => JSON.stringify(text.replace(/\s+/g, ' ').slice(0, 60));

/**
 * Numbers that no text has, in digits, words or as a month, and that are neither the result of a sum that the statement shows nor its factor
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
    if (number.values.some((value) => months.has(value)) || written.includes(number.text)) return false;
    // A date in figures: 04.11.2026 for November 4, 2026.
    const figures = number.text.split(/[.,:]/).map((figure) => String(Number(figure)));
    if (figures.length === 3 && figures.every((figure) => values.has(figure) || months.has(figure))) return false;
    const shown = numbers.filter((each) => each !== number).flatMap((each) => each.values);
    const operands = shown.filter((value) => values.has(value));
    return sumFor(number, operands) === undefined;
  });
  const isExplained = strange.length < missing.length;
  return strange.filter((number) => !isExplained || !number.values.some(isUnitFactor));
};

const numberDoubts = (text: string, { own, sections, context }: Given): string[] => {
  const near = [...textsOf(own), context.question];
  const values = valuesIn(near);
  const missing = numbersIn(text).filter((number) => !number.values.some((value) => values.has(value)));
  if (missing.length === 0) return [];
  const anywhere = valuesIn(textsOf(sections));
  return missing.map((number) => {
    const sum = sumFor(number, values);
    const where = number.values.some((value) => anywhere.has(value)) ? ', only elsewhere in the section' : '';
    return `number ${number.text} is not in the quotes${where}${sum === undefined ? '' : ` (${sum}?)`}`;
  });
};

/** Names, codes and numbers with another unit. */
const literalDoubts = (text: string, { own, context }: Pick<Given, 'own' | 'context'>): string[] =>
  missingLiterals(text, [...textsOf(own), context.question])
    .filter((literal) => literal.kind !== 'number' || /\p{L}/u.test(literal.text))
    .map((literal) => `${literal.kind} ${quotedShort(literal.text)} is not in the quotes`);

/** The question names a device, and an article is about others. */
const deviceDoubts = (named: readonly Passage[], { question, passages }: CheckContext): string[] => {
  const devices = devicesNamedIn(question, [...new Set(passages.flatMap((each) => each.devices ?? []))]);
  if (devices.length === 0) return [];
  const strange = named.find(
    ({ devices: own = [] }) => own.length > 0 && !own.some((device) => devices.includes(device)),
  );
  return strange === undefined
    ? []
    : [
        `the question is about ${devices.join(', ')}, its article about ${(strange.devices ?? []).slice(0, 3).join(', ')}`,
      ];
};

/** Content words that the passages lack, and words that limit, deny or widen; only between texts of one language. */
const wordDoubts = (text: string, { own, sections, context }: Given): string[] => {
  const language = detectLanguage(text) ?? detectLanguage(context.question);
  const source = detectLanguage(sections.map((each) => each.text).join('\n'));
  if (language === undefined || source !== language) return [];
  const wordsIn = (part: string): readonly Word[] =>
    readSentence(part, language).words.filter((word) => word.text.length > 3 && !/\d/.test(word.text));
  const stems = new Set([...textsOf(sections), context.question].flatMap(wordsIn).map(({ forms }) => forms[0]));
  const added = wordsIn(text).flatMap((word) => (stems.has(word.forms[0]) ? [] : word.text));
  const words = [...new Set(added)];
  return [
    ...qualifierDoubts(text, own.map((each) => each.text).join('\n'), language),
    ...(words.length < 2 ? [] : [`not in the section: ${words.slice(0, 5).join(', ')}`]),
  ];
};

const qualifierDoubts = (text: string, source: string, language: string): string[] => {
  const patterns = qualifiersOf(language);
  if (patterns === undefined || text.includes('\n')) return [];
  const has = (pattern: RegExp, where: string): string[] => [
    ...new Set([...where.toLowerCase().matchAll(pattern)].map(([word]) => word)),
  ];
  const lost = [patterns.denies, patterns.limits].flatMap((pattern) =>
    has(pattern, text).length > 0 ? [] : has(pattern, source),
  );
  const added = [patterns.denies, patterns.widens].flatMap((pattern) =>
    has(pattern, source).length > 0 ? [] : has(pattern, text),
  );
  return [
    ...(added.length === 0 ? [] : [`added: ${added.slice(0, 3).join(', ')}`]),
    ...(lost.length === 0 ? [] : [`left out: ${lost.slice(0, 3).join(', ')}`]),
  ];
};

/**
 * HTML and images outside code. What is escaped, an address in angle brackets and a placeholder (`<version>`) that the evidence contains are
 * shown as they are.
 */
const hasHiddenMarkup = (text: string, evidence: readonly Evidence[]): boolean =>
  HIDDEN_MARKUP.test(
    text
      .replace(/(`{1,3})[^`]*\1/g, ' ')
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
export const withoutVetoed = (text: string, isVetoed: (sentence: string) => boolean): string | undefined => {
  if (parseBlocks(text).some(({ kind }) => kind !== 'prose')) return undefined;
  const sentences = splitSentences(text).map(({ start, end }) => text.slice(start, end));
  const kept = sentences.filter((sentence) => !isVetoed(sentence));
  return kept.length === 0 || kept.length === sentences.length ? undefined : kept.join(' ');
};
