import { statesLackOfInformation } from '../../contract/core/lack-of-information.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { withSpacedWords } from '../../language/spaced-words.ts';
import weights from './check-weights.json' with { type: 'json' };
import { missingLiterals } from './literals.ts';
import {
  plainOf,
  readSentence,
  type Sentence,
  statementSpans,
  type Word,
} from './statement-words.ts';

/** A text that may support a statement, with its context: title, headings, products. */
export interface Evidence {
  /** Markdown. */
  text: string;
  headings: readonly string[];
}

/** The result of checking a statement against its evidence by words. */
export interface StatementCheck {
  /** Whether the evidence has its literals and enough of its words, without a denial on one side only. */
  isSupported: boolean;
  /** Share of the words of its worst sentence that the evidence contains, 0 to 1. */
  coverage: number;
  /** The nearest sentence of the evidence, or its heading, differs by a denial. */
  isContradicted: boolean;
  /** Probability that the evidence states it, from words alone, 0 to 1. */
  probability: number;
  /** Why it is not `supported`; empty when it is. */
  reason: string;
}

/** Features of a sentence compared with its evidence; higher values speak against it. */
export const FEATURES = [
  /** Share of its words that the evidence lacks, 0 to 1. */
  'absent',
  /** Share of its words that the nearest sentence of the evidence and its headings lack. */
  'own',
  /** Its names, numbers and codes that are absent; those not in the nearest sentence by closeness. */
  'exact',
  /** Closeness to a sentence that differs by a denial. */
  'opposed',
] as const;
export type Features = Record<(typeof FEATURES)[number], number>;

/** A sentence with a lower probability is not supported. Chosen on the tuning half of rag-answers. */
const DOUBTFUL_BELOW = 0.38;
/** Sentences with a lower share of words in common differ in more than a denial. */
const CLOSE_FROM = 0.7;

/** Evidence that is read once for several statements. */
export interface StatementEvidence {
  texts: readonly string[];
  language: string;
  sentences: readonly (Sentence & { source: number })[];
  /** The headings of each text. */
  headings: readonly Sentence[];
  /** Indexes of the sentences that contain each form. */
  places: ReadonlyMap<string, readonly number[]>;
  /** Its sentences, plain, for recognising literal quotes. */
  quotes: ReadonlySet<string>;
}

const MAX_SENTENCES = 3000;

/** The evidence is read in its own language, a statement in another one shares few words with it. */
export function prepareEvidence(evidence: readonly Evidence[]): StatementEvidence {
  const language = detectLanguage(evidence.map(({ text }) => text).join('\n')) ?? 'en';
  const spans = evidence
    .flatMap(({ text }, source) =>
      statementSpans(text).map(({ start, end }) => ({ text: text.slice(start, end), source })),
    )
    .slice(0, MAX_SENTENCES);
  const places = new Map<string, number[]>();
  const sentences = spans.map(({ text, source }, at) => {
    const { words, forms, denials } = readSentence(text, language);
    for (const form of forms) {
      const list = places.get(form);
      if (list === undefined) places.set(form, [at]);
      else list.push(at);
    }
    return { words, forms, denials, source };
  });
  return {
    texts: evidence.flatMap(({ text, headings }) => [text, ...headings]),
    language,
    sentences,
    headings: evidence.map(({ headings }) => readHeadings(headings, language)),
    places,
    quotes: new Set(spans.map(({ text }) => plainOf(text))),
  };
}

/** A denial in a heading applies to that heading only. */
const readHeadings = (headings: readonly string[], language: string): Sentence => {
  const { words, forms } = readSentence(headings.join('. '), language);
  const denials = headings.flatMap((heading) => readSentence(heading, language).denials);
  return { words, forms, denials };
};

/**
 * Checks without a model whether evidence states a statement: a sentence, list, table or code block
 * in Markdown. The worst of its sentences decides. One that occurs literally in the evidence is
 * supported.
 *
 * @param question The customer's question; its literals may be repeated.
 */
export function checkStatement(
  statement: string,
  evidence: StatementEvidence,
  question = '',
): StatementCheck {
  const sentences = statementSpans(statement).map(({ start, end }) => statement.slice(start, end));
  const compared = sentences.flatMap((sentence) =>
    isConnecting(sentence) ? [] : (compareSentence(sentence, evidence) ?? []),
  );
  const worst = compared.toSorted((one, other) => one.probability - other.probability)[0];
  const opposed = compared.find(({ isOpposed }) => isOpposed);
  const [literal] = missingLiterals(statement, [...evidence.texts, question]);
  const isEmpty =
    compared.length === 0 &&
    !statement.includes('`') &&
    sentences.some((sentence) => !isConnecting(sentence));
  const probability = literal !== undefined || isEmpty ? 0 : (worst?.probability ?? 1);
  const reasonOf = (): string => {
    if (literal !== undefined)
      return `the evidence does not have ${literal.kind} ${quoted([literal.text])}`;
    if (isEmpty) return 'it states nothing by itself';
    if (opposed !== undefined) return 'only one of statement and evidence denies';
    if (worst === undefined || probability >= DOUBTFUL_BELOW) return '';
    return worst.absentWords.length > 0
      ? `the evidence does not have ${quoted(worst.absentWords)}`
      : 'no one sentence of the evidence says it';
  };
  const reason = reasonOf();
  return {
    isSupported: reason === '',
    coverage: 1 - Math.max(0, ...compared.map(({ features }) => features?.absent ?? 0)),
    isContradicted: opposed !== undefined,
    probability,
    reason,
  };
}

/**
 * Whether a sentence needs no evidence: it states a lack of information, or introduces the next one
 * ("For example:").
 */
const isConnecting = (sentence: string): boolean =>
  statesLackOfInformation(sentence) ||
  (/[:：]\s*$/.test(sentence) && wordsOf(withSpacedWords(sentence)).length <= MAX_CONNECTING_WORDS);
const MAX_CONNECTING_WORDS = 2;

const quoted = (words: readonly string[]): string =>
  [...new Set(words)]
    .slice(0, 3)
    .map((word) => JSON.stringify(word.slice(0, 60)))
    .join(', ');

/** Log-odds that a sentence is not supported. */
export function oddsAgainst(
  features: Features,
  by: Readonly<Record<string, number>> = weights,
): number {
  return FEATURES.reduce((sum, name) => sum + (by[name] ?? 0) * features[name], by.bias ?? 0);
}

interface Comparison {
  /** Undefined for a sentence of the evidence itself. */
  features: Features | undefined;
  probability: number;
  /** Its words that the evidence lacks. */
  absentWords: string[];
  isOpposed: boolean;
}

/**
 * Compares a sentence with the nearest sentence of the evidence.
 *
 * @returns Undefined for a sentence without content words.
 */
export function compareSentence(text: string, evidence: StatementEvidence): Comparison | undefined {
  const sentence = readSentence(text, evidence.language);
  const { words } = sentence;
  if (words.length === 0) return undefined;
  if (evidence.quotes.has(plainOf(text)))
    return { features: undefined, probability: 1, absentWords: [], isOpposed: false };
  const nearest = nearestSentence(words, evidence);
  const above = evidence.headings[nearest.source] ?? NO_SENTENCE;
  const everywhere = [evidence.places, ...evidence.headings.map(({ forms }) => forms)];
  const absent = words.filter((word) => !isIn(word, everywhere));
  const ownAbsent = words.filter((word) => !isIn(word, [nearest.forms, above.forms]));
  const closeness = 1 - ownAbsent.length / words.length;
  const isDifferent = differsInDenial(sentence, nearest, above);
  const features = {
    absent: absent.length / words.length,
    own: 1 - closeness,
    exact: Math.min(MAX_EXACT, countExact(absent) + closeness ** 2 * countExact(ownAbsent)),
    opposed: isDifferent ? closeness ** 3 : 0,
  };
  return {
    features,
    probability: 1 / (1 + Math.exp(oddsAgainst(features))),
    absentWords: absent.map((word) => word.text),
    isOpposed: isDifferent && closeness >= CLOSE_FROM,
  };
}

const MAX_EXACT = 3;
const NO_SENTENCE = { words: [], forms: new Set<string>(), denials: [], source: -1 };

const countExact = (words: readonly Word[]): number =>
  words.filter(({ isExact }) => isExact).length;

const isIn = ({ forms }: Word, places: readonly { has(form: string): boolean }[]): boolean =>
  forms.some((form) => places.some((each) => each.has(form)));

/** A word in more sentences than this is not distinctive: only the first ones are considered. */
const MAX_PLACES = 200;

/** The sentence with the largest overlap, weighted by rarity; the first one when several tie. */
const nearestSentence = (
  words: readonly Word[],
  { sentences, places }: StatementEvidence,
): StatementEvidence['sentences'][number] => {
  const scores = new Float64Array(sentences.length);
  for (const form of new Set(words.flatMap(({ forms }) => forms))) {
    const list = places.get(form) ?? [];
    const rarity = Math.log(1 + sentences.length / Math.max(1, list.length)) + 0.5;
    for (const at of list.slice(0, MAX_PLACES)) scores[at] = (scores[at] ?? 0) + rarity;
  }
  const best = scores.reduce((top, score, at) => (score > (scores[top] ?? 0) ? at : top), 0);
  return (scores[best] ?? 0) > 0 ? (sentences[best] ?? NO_SENTENCE) : NO_SENTENCE;
};

/**
 * Whether one side denies something that the other states. A denial in a heading ("Not covered")
 * applies to the sentences below it.
 */
const differsInDenial = (sentence: Sentence, nearest: Sentence, above: Sentence): boolean => {
  const others = [...nearest.denials, ...above.denials];
  if (isLone(others, sentence)) return true;
  return above.denials.length === 0 && isLone(sentence.denials, nearest);
};

/** Whether one of the denials is about words that the other sentence has, without a denial near them. */
const isLone = (denials: Sentence['denials'], { forms, denials: others }: Sentence): boolean =>
  denials.some(({ denied }) => {
    if (others.some(({ around }) => denied.some((stem) => around.has(stem)))) return false;
    const common = denied.filter((stem) => forms.has(stem));
    return common.length > 0 && 2 * common.length >= denied.length;
  });
