import { areContrary, plainOf, readWords, statementSpans, type Word, worthOf } from './statement-words.ts';

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

export interface Comparison {
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
export interface PreparedEvidence {
  sentences: readonly Sentence[];
  /** The headings of each text. */
  headings: readonly Sentence[];
  /** Indexes of the sentences that contain each form. */
  places: ReadonlyMap<string, readonly number[]>;
  /** Normalised text for finding literal quotes. */
  quotes: ReadonlySet<string>;
}

const MAX_SENTENCES = 3000;

export const prepareEvidence = (evidence: readonly Evidence[]): PreparedEvidence => {
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
