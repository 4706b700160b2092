import type { Span } from '../text/split-sentences.ts';
import { type Comparison, compareSentence, type Feature } from './support/compare-sentence.ts';
import type { PreparedSource } from './support/prepare-source.ts';
import { isSought, readWords } from './support/read-words.ts';
import { plainOf, statementSpans } from './support/statements.ts';
import type { SupportReason } from './support/support-reason.ts';
import { SUPPORT_WEIGHTS } from './support/support-weights.ts';

/** A doubt, and the words that it is about. */
interface SupportDoubt {
  reason: SupportReason;
  /** Words of the answer, or of the source where the answer leaves something out; at most 80 characters, may be empty. */
  words: string;
}

/** How well one sentence of an answer is supported. */
export interface SentenceSupport extends Span {
  text: string;
  /** 0 to 1, that the sources say so. */
  probability: number;
  /** The sentence that is nearest to it, and the place of its source in the list given; none where nothing is shared. */
  best: (Span & { source: number; text: string }) | undefined;
  /** What speaks against it, worst first, each reason once; empty for a sentence that stands literally in a source. */
  doubts: SupportDoubt[];
}

/** How well an answer is supported. */
export interface SupportCheck {
  /** 0 to 1, that the sources say all of it: the mean of its sentences' log odds, drawn to the worst; 1 for an answer that states nothing. */
  score: number;
  /** Its sentences, list items and table rows in order, without those that state nothing. */
  sentences: SentenceSupport[];
}

/** From this probability on a sentence counts as supported, and an answer from this score on. */
export const SUPPORTED_FROM = 0.6;

/**
 * Judges, without a model, whether sources say what an answer says, sentence by sentence (docs/support-check.md has the
 * figures and the limits). A sentence that stands literally in a source has probability 1.
 *
 * @param sources As `prepareSource` makes them; keep them for all answers that are checked against them.
 */
export const checkSupport = (answer: string, sources: readonly PreparedSource[]): SupportCheck => {
  const sentences = statementSpans(answer).flatMap((span) => supportOfSentence(answer, span, sources) ?? []);
  return { score: scoreOf(sentences.map(({ probability }) => -logOdds(probability))), sentences };
};

/** An answer's score from the odds against its sentences; a quote is as sure as anything gets, and hides nothing else. */
export const scoreOf = (against: readonly number[]): number => {
  if (against.length === 0) return 1;
  const bounded = against.map((each) => Math.min(LEAST_SURE, Math.max(-MOST_SURE, each)));
  const mean = bounded.reduce((sum, each) => sum + each, 0) / bounded.length;
  return sigmoid(-(WORST_SHARE * Math.max(...bounded) + (1 - WORST_SHARE) * mean));
};

/** The more the worst sentence counts, the more a long answer suffers from false alarms. */
const WORST_SHARE = 0.3;
const MOST_SURE = 4;
const LEAST_SURE = 7;

const supportOfSentence = (
  answer: string,
  span: Span,
  sources: readonly PreparedSource[],
): SentenceSupport | undefined => {
  const text = answer.slice(span.start, span.end);
  const words = readWords(text);
  if (!words.some(isSought)) return undefined;
  const quote = plainOf(text);
  const isQuote = sources.some(({ quotes }) => quotes.has(quote));
  const { found, evidence } = compareSentence(text, words, sources);
  const best = evidence && {
    start: evidence.sentence.start,
    end: evidence.sentence.end,
    text: evidence.sentence.text,
    source: evidence.source,
  };
  if (isQuote) return { ...span, text, probability: 1, best, doubts: [] };
  return { ...span, text, probability: sigmoid(-againstOf(found)), best, doubts: doubtsOf(found) };
};

/** The odds, in natural logarithms, that a sentence is not supported. */
export const againstOf = (
  found: Comparison['found'],
  weights: Readonly<Record<string, number>> = SUPPORT_WEIGHTS,
): number => {
  let sum = weights.bias ?? 0;
  for (const [feature, { value }] of found) sum += (weights[feature] ?? 0) * value;
  return sum;
};

const doubtsOf = (found: Comparison['found']): SupportDoubt[] => {
  const worst = [...found].sort(
    ([one, a], [other, b]) => b.value * SUPPORT_WEIGHTS[other] - a.value * SUPPORT_WEIGHTS[one],
  );
  const doubts = new Map<SupportReason, SupportDoubt>();
  for (const [feature, { words }] of worst) {
    const reason = REASONS[feature];
    if (!doubts.has(reason)) doubts.set(reason, { reason, words });
  }
  return [...doubts.values()];
};

const REASONS: Record<Feature, SupportReason> = {
  absent: 'words-not-in-source',
  absentLong: 'words-not-in-source',
  own: 'wording-differs',
  window: 'wording-differs',
  order: 'wording-differs',
  inserted: 'words-not-in-source',
  nameEarly: 'name-not-in-source',
  nameLate: 'name-not-in-source',
  nameFar: 'wording-differs',
  nameReplaced: 'name-not-in-source',
  oneWordReplaced: 'words-not-in-source',
  numberAbsent: 'number-not-in-source',
  numberReplaced: 'number-not-in-source',
  numberFar: 'number-misplaced',
  numberMisplaced: 'number-misplaced',
  closeNumber: 'number-not-in-source',
  unit: 'unit-differs',
  addsDenial: 'negation-differs',
  denialFar: 'negation-differs',
  closeDenial: 'negation-differs',
  contrary: 'antonym',
  closeContrary: 'antonym',
  swapsNames: 'roles-differ',
  swapsSides: 'roles-differ',
  firstPerson: 'speaks-of-itself',
  chat: 'speaks-of-itself',
  addsAll: 'quantifier-differs',
  addsOnly: 'quantifier-differs',
  dropsOnly: 'quantifier-differs',
  dropsSome: 'quantifier-differs',
  dropsMay: 'modality-differs',
  addsMust: 'modality-differs',
  addsMost: 'comparison-differs',
  dropsIf: 'condition-differs',
};

const sigmoid = (z: number): number => 1 / (1 + Math.exp(-z));

const logOdds = (probability: number): number => Math.log(probability / (1 - probability));
