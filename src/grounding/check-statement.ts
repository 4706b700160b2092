import { statesLackOfInformation } from '../contract/navigator-response.ts';
import type { Span } from '../text/split-sentences.ts';
import weights from './check-weights.json' with { type: 'json' };
import { type Literal, missingLiterals } from './literals.ts';
import { areContrary, plainOf, readWords, statementSpans, type Word, worthOf } from './statement-words.ts';

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
const isConnecting = (sentence: string): boolean =>
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

/** A text that may support a statement, with its context: title, headings, products. */
export interface Evidence {
  /** Markdown. */
  text: string;
  headings: readonly string[];
}

/** Features of a sentence compared with its evidence. 0: nothing contradicts it; higher values are evidence against it. */
export const FEATURES = [
  /** Share of its content words that the evidence lacks, 0 to 1. */
  'absent',
  /** Share of its content words that the nearest sentence of the evidence and its headings lack, 0 to 1. */
  'own',
  /** Number of its names and numbers that the evidence lacks, up to 2. */
  'names',
  'numbers',
  /** The same for the nearest sentence, times the similarity of the sentences otherwise: an exchanged name or number. */
  'closeName',
  'closeNumber',
  'closeNegation',
  'closeContrary',
  /** It is a question or an exclamation, and the evidence is not. */
  'chat',
] as const;
export type Features = Record<(typeof FEATURES)[number], number>;

interface Comparison {
  features: Features;
  /** Its content words that the evidence lacks. */
  absentWords: string[];
  /** Exactly one of the two sentences has a negation. */
  negationDiffers: boolean;
  /** Words whose contrary occurs in the nearest sentence. */
  contraries: string[];
}

interface Sentence {
  words: readonly Word[];
  /** All forms of all words. */
  forms: ReadonlySet<string>;
  negations: readonly Negation[];
  text: string;
  /** Index of its text in the evidence. */
  source: number;
}

/** Evidence that is indexed for comparison with many sentences. */
interface PreparedEvidence {
  sentences: readonly Sentence[];
  /** The headings of each text. */
  headings: readonly Sentence[];
  /** Indexes of the sentences that contain each form. */
  places: ReadonlyMap<string, readonly number[]>;
  /** Normalised text for finding literal quotes. */
  quotes: ReadonlySet<string>;
}

const MAX_SENTENCES = 3000;

const prepareEvidence = (evidence: readonly Evidence[]): PreparedEvidence => {
  const sentences = evidence
    .flatMap(({ text }, source) =>
      statementSpans(text).map(({ start, end }) => readSentence(text.slice(start, end), source)),
    )
    .slice(0, MAX_SENTENCES);
  const places = new Map<string, number[]>();
  sentences.forEach(({ forms }, at) => {
    for (const form of forms) {
      const known = places.get(form);
      if (known === undefined) places.set(form, [at]);
      else known.push(at);
    }
  });
  const headings = evidence.map((each, source) => readHeadings(each.headings, source));
  return { sentences, headings, places, quotes: new Set(sentences.map(({ text }) => plainOf(text))) };
};

const readSentence = (text: string, source: number): Sentence => {
  const words = readWords(text);
  return { words, forms: new Set(words.flatMap(({ forms }) => forms)), negations: negationsIn(words), text, source };
};

/** A negation in a heading applies to that heading only. */
const readHeadings = (headings: readonly string[], source: number): Sentence => ({
  ...readSentence(headings.join('. '), source),
  negations: headings.flatMap((heading) => negationsIn(readWords(heading))),
});

const isSought = ({ role }: Word): boolean => role === 'content' || role === 'name' || role === 'number';

const NO_SENTENCE: Sentence = { words: [], forms: new Set(), negations: [], text: '', source: -1 };

/**
 * Compares a sentence with the nearest sentence of the evidence.
 *
 * @returns Undefined for a sentence without content words.
 */
export const compareSentence = (sentence: string, evidence: PreparedEvidence): Comparison | undefined => {
  const words = readWords(sentence);
  const sought = words.filter(isSought);
  if (sought.length === 0) return undefined;
  const nearest = nearestSentence(sought, evidence);
  const above = evidence.headings[nearest.source] ?? NO_SENTENCE;
  const everywhere = [evidence.places, ...evidence.headings.map(({ forms }) => forms)];
  const here = [nearest.forms, above.forms];
  const found = sought.map((word) => ({ word, anywhere: foundIn(word, everywhere), own: foundIn(word, here) }));
  const total = Math.max(
    MIN_TOTAL,
    found.reduce((sum, { word }) => sum + word.weight, 0),
  );
  const missing = (where: 'anywhere' | 'own') =>
    found.reduce((sum, each) => sum + each.word.weight * (1 - each[where]), 0) / total;
  const lacking = (where: 'anywhere' | 'own', role?: Word['role']) =>
    found.filter((each) => each[where] < FOUND_FROM && (role === undefined || each.word.role === role));
  const upTo2 = (where: 'anywhere' | 'own', role: Word['role']) => Math.min(2, lacking(where, role).length);
  const close = (1 - missing('own')) ** 2;
  const contraries = contrariesOf(words, nearest, above);
  const negations = (those: readonly Word[]) => those.filter(({ role }) => role === 'negation').length;
  // "not open" equals "closed".
  const isContrary = contraries.length > 0 && negations(words) % 2 === negations(nearest.words) % 2;
  const negationDiffers = contraries.length === 0 && differsInNegation(words, nearest, above);
  return {
    features: {
      absent: missing('anywhere'),
      own: missing('own'),
      names: upTo2('anywhere', 'name'),
      numbers: upTo2('anywhere', 'number'),
      closeName: close * upTo2('own', 'name'),
      closeNumber: close * upTo2('own', 'number'),
      closeNegation: negationDiffers ? close : 0,
      closeContrary: isContrary ? close : 0,
      chat: /[?!]/.test(sentence) && !/[?!]/.test(nearest.text) ? 1 : 0,
    },
    absentWords: lacking('anywhere').map(({ word }) => word.text),
    negationDiffers,
    contraries: isContrary ? contraries : [],
  };
};

/** Least `worthOf` of a word that counts as found. */
const FOUND_FROM = 0.5;
/** Lower bound of the total weight, so that one missing word does not fail a sentence of low-weight words. */
const MIN_TOTAL = 0.3;

const foundIn = (word: Word, places: readonly { has(form: string): boolean }[]): number => {
  let best = 0;
  for (const form of word.forms) {
    const worth = worthOf(form, word.key);
    if (worth > best && places.some((each) => each.has(form))) best = worth;
  }
  return best;
};

/** A word in more sentences than this is not distinctive: only the first ones are considered. */
const MAX_PLACES = 200;

/** The sentence with the largest overlap, weighted by rarity; the first one when several tie. */
const nearestSentence = (sought: readonly Word[], { sentences, places }: PreparedEvidence): Sentence => {
  const scores = new Float64Array(sentences.length);
  for (const word of new Map(sought.map((each) => [each.key, each])).values()) {
    const gains = new Map<number, number>();
    for (const form of word.forms) {
      const where = places.get(form) ?? [];
      const rarity = Math.log(1 + sentences.length / Math.max(1, where.length)) + 0.5;
      const gain = word.weight * worthOf(form, word.key) * rarity;
      for (const at of where.slice(0, MAX_PLACES)) gains.set(at, Math.max(gain, gains.get(at) ?? 0));
    }
    for (const [at, gain] of gains) scores[at] = (scores[at] ?? 0) + gain;
  }
  const best = scores.reduce((best, score, at) => (score > (scores[best] ?? 0) ? at : best), 0);
  return (scores[best] ?? 0) > 0 ? (sentences[best] ?? NO_SENTENCE) : NO_SENTENCE;
};

/**
 * Whether one side negates something that the other side states without a negation. A negation in a heading ("Not covered") applies to the
 * sentences below it.
 */
const differsInNegation = (words: readonly Word[], nearest: Sentence, above: Sentence): boolean => {
  const own = negationsIn(words);
  if (isLone([...nearest.negations, ...above.negations], { others: own, words })) return true;
  return above.negations.length === 0 && isLone(own, { others: nearest.negations, words: nearest.words });
};

interface Negation {
  /** Keys of the words directly in the scope of its negations. */
  denied: readonly string[];
  /** The same with the words before the negation: "adapters must not be used". */
  around: ReadonlySet<string>;
}

/** Scope of a negation, in content words. */
const REACH = 3;

const negationsIn = (words: readonly Word[]): Negation[] =>
  words.flatMap(({ role }, at) => {
    if (role !== 'negation') return [];
    const before = words.slice(0, at).filter(isSought).slice(-REACH);
    const behind = words
      .slice(at + 1, at + 1 + 2 * REACH)
      .filter(isSought)
      .slice(0, REACH);
    const keysOf = (those: readonly Word[]) => those.map(({ key }) => key);
    return [
      {
        denied: keysOf(behind.length > 0 ? behind : before),
        around: new Set(keysOf([...before, ...behind])),
      },
    ];
  });

/** Whether one of the negations applies to words that the other side states without a negation near them. */
const isLone = (
  negations: readonly Negation[],
  { others, words }: { others: readonly Negation[]; words: readonly Word[] },
): boolean =>
  negations.some(({ denied }) => {
    if (others.some(({ around }) => denied.some((key) => around.has(key)))) return false;
    const said = denied.filter((key) => words.some((word) => word.key === key));
    return said.length > 0 && 2 * said.length >= denied.length;
  });

const contrariesOf = (words: readonly Word[], nearest: Sentence, above: Sentence): string[] => {
  const isFound = (word: Word) =>
    word.forms.some((form) => !form.endsWith('-') && (nearest.forms.has(form) || above.forms.has(form)));
  return words
    .filter(({ role }) => role !== 'negation' && role !== 'number')
    .filter((word) => !isFound(word))
    .filter((word) =>
      nearest.words.some((other) => areContrary(word, other) && !words.some(({ key }) => key === other.key)),
    )
    .map(({ text }) => text);
};
