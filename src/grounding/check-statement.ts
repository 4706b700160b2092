import { statesLackOfInformation } from '../contract/navigator-response.ts';
import type { Span } from '../text/split-sentences.ts';
import weights from './check-weights.json' with { type: 'json' };
import {
  type Comparison,
  compareSentence,
  type Evidence,
  FEATURES,
  type Features,
  type PreparedEvidence,
  prepareEvidence,
} from './compare-statement.ts';
import { type Literal, missingLiterals } from './literals.ts';
import { plainOf, readWords, statementSpans } from './statement-words.ts';

/** The result of checking a statement against its evidence by words. */
export interface StatementCheck {
  /**
   * `unsupported`: the evidence lacks one of its literals. `doubtful`: low coverage, a negation on one side only, or contrary words; a
   * judge may still accept it. `supported`: none of these.
   */
  verdict: 'supported' | 'doubtful' | 'unsupported';
  /** Its literals (numbers, names, code, paths, addresses) that occur neither in the evidence nor in the question. */
  literals: string[];
  /** Share of its content words that the evidence contains, weighted by rarity, 0 to 1. */
  coverage: number;
  negationDiffers: boolean;
  /** The evidence differs by a negation, or says the contrary. */
  isContradicted: boolean;
  /** Probability that the evidence states it, from words alone, 0 to 1. */
  probability: number;
  /** Why it is not `supported`; empty when it is. */
  reason: string;
}

/** A sentence with a lower probability is doubtful. Fitted on the tuning half of rag-answers (docs/support-check.md). */
const DOUBTFUL_BELOW = 0.35;
/** Sentences with a smaller overlap differ in more than a negation. */
const CLOSE_FROM = 0.5;

/**
 * Checks without a model whether evidence states a statement: a sentence, list, table or code block in Markdown. The worst of its
 * sentences decides. A sentence that occurs literally in the evidence is supported.
 *
 * @param options.question The customer's question; its literals may be repeated.
 */
export const checkStatement = (
  statement: string,
  evidence: readonly Evidence[],
  { question }: { question: string },
): StatementCheck => checkPrepared(statement, prepareStatementEvidence(evidence), { question });

/** Evidence that is parsed once for several statements. */
export interface StatementEvidence {
  words: PreparedEvidence;
  texts: readonly string[];
}

export const prepareStatementEvidence = (evidence: readonly Evidence[]): StatementEvidence => ({
  words: prepareEvidence(evidence),
  texts: evidence.flatMap(({ text, headings }) => [text, ...headings]),
});

/** `checkStatement` for parsed evidence. */
export const checkPrepared = (
  statement: string,
  { words, texts }: StatementEvidence,
  { question }: { question: string },
): StatementCheck => {
  const compared = statementSpans(statement).flatMap(({ start, end }) => {
    const sentence = statement.slice(start, end);
    if (statesLackOfInformation(sentence)) return [];
    const isQuote = words.quotes.has(plainOf(sentence));
    const comparison = compareSentence(sentence, words);
    return comparison === undefined
      ? []
      : [{ ...comparison, probability: isQuote ? 1 : probabilityOf(comparison), isQuote }];
  });
  const worst = compared.toSorted((one, other) => one.probability - other.probability)[0];
  const denied = compared.find(({ features, isQuote }) => !isQuote && features.closeNegation >= CLOSE_FROM);
  const literals = missingLiterals(statement, [...texts, question]);
  const isEmpty =
    compared.length === 0 && !statement.includes('`') && !statementSpans(statement).every(isConnectingIn(statement));
  const reason = isEmpty ? 'it states nothing by itself' : reasonOf({ literals, denied, worst });
  return {
    verdict: literals.length > 0 ? 'unsupported' : reason === '' ? 'supported' : 'doubtful',
    literals: literals.map(({ text }) => text),
    coverage: 1 - Math.max(0, ...compared.map(({ features, isQuote }) => (isQuote ? 0 : features.absent))),
    negationDiffers: denied !== undefined,
    isContradicted:
      denied !== undefined || (worst !== undefined && worst.probability < 1 && worst.contraries.length > 0),
    probability: literals.length > 0 || isEmpty ? 0 : (worst?.probability ?? 1),
    reason,
  };
};

/**
 * Whether a sentence only leads to the next one or states a lack of information: "Then follow these steps:", "We have no information
 * about this.". "Yes:" is an answer and does not count.
 */
export const isConnecting = (sentence: string): boolean =>
  (sentence.trimEnd().endsWith(':') &&
    sentence.length <= MAX_CONNECTING_LENGTH &&
    !/\d/.test(sentence) &&
    !readWords(sentence).some(({ role }) => role === 'negation' || role === 'affirmation')) ||
  statesLackOfInformation(sentence);
const isConnectingIn =
  (statement: string) =>
  ({ start, end }: Span): boolean =>
    isConnecting(statement.slice(start, end));
const MAX_CONNECTING_LENGTH = 100;

const reasonOf = ({
  literals,
  denied,
  worst,
}: {
  literals: readonly Literal[];
  denied: Comparison | undefined;
  worst: (Comparison & { probability: number }) | undefined;
}): string => {
  const [literal] = literals;
  if (literal !== undefined)
    return `the evidence does not have ${literal.kind} ${JSON.stringify(literal.text.slice(0, 60))}`;
  if (denied !== undefined) return 'only one of statement and evidence denies';
  if (worst === undefined || worst.probability === 1) return '';
  if (worst.probability >= DOUBTFUL_BELOW && worst.contraries.length === 0) return '';
  if (worst.contraries.length > 0) return `the evidence says the contrary of ${quoted(worst.contraries)}`;
  if (worst.absentWords.length > 0) return `the evidence does not have ${quoted(worst.absentWords)}`;
  return 'no one sentence of the evidence says it';
};

const quoted = (words: readonly string[]): string =>
  [...new Set(words)]
    .slice(0, 3)
    .map((word) => JSON.stringify(word.slice(0, 40)))
    .join(', ');

/** Log-odds that a sentence is not supported. */
export const oddsAgainst = (features: Features, by: Readonly<Record<string, number>> = weights): number =>
  FEATURES.reduce((sum, feature) => sum + (by[feature] ?? 0) * features[feature], by.bias ?? 0);

const probabilityOf = ({ features }: Comparison): number => 1 / (1 + Math.exp(oddsAgainst(features)));
