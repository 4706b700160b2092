import type { LibrarianInfo } from '../contract/librarian.ts';
import { covers } from '../signing/capabilities.ts';
import { wordsOf } from '../text/analyse-text.ts';
import { isFiller } from '../text/question-forms.ts';
import { stem } from '../text/stem.ts';
import type { AnalysedQuery } from './analyse-query.ts';
import type { EditionEntry } from './article.ts';
import { buildEdition } from './build-edition.ts';
import { type Edition, openEdition } from './open-edition.ts';
import { inverseFrequency, RANKING } from './open-index.ts';
import { searchEdition } from './search-edition.ts';

/** The librarians that one caller may use. */
export interface Candidates {
  all: readonly LibrarianInfo[];
  /** Librarians with one kind of source. */
  single: readonly LibrarianInfo[];
  /** Hybrid librarians that can delegate to at least two of these. */
  combiners: readonly string[];
  /** The configured default, if it is among them. */
  defaultLibrarian: string | undefined;
  /** Index over `single`. */
  index: RoutingIndex;
  /** Index over `all`, built when first needed. */
  fullIndex(): RoutingIndex;
}

/** Result of lexical routing. */
export interface Choice {
  /** Undefined without clear evidence and without a permitted default librarian. */
  to: string | undefined;
  /** Whether the default librarian was chosen for want of clear evidence for another. */
  isDefault: boolean;
  /** Evidence for a librarian, including the prior of the default one. */
  strengthOf: (id: string) => number;
  /** Whether the margin over the next best is so large that a model's choice would hardly differ. */
  isClear: boolean;
}

/** The librarians whose capabilities the caller holds. */
export const permittedLibrarians = (librarians: readonly LibrarianInfo[], held: readonly string[]): LibrarianInfo[] =>
  librarians.filter(({ capabilities = [] }) => capabilities.every((capability) => covers(held, capability)));

/** Bound of the cache, in sets of rights; a miss rebuilds an index. */
const CACHED_SETS = 16;

/** Prepares a set of librarians for routing once, and caches the sets used last. All must come from one directory. */
export const candidatesCache = (defaultLibrarian: string) => {
  const known = new Map<string, Candidates>();
  return (librarians: readonly LibrarianInfo[]): Candidates => {
    const key = librarians.map(({ id }) => id).join(' ');
    const candidates = known.get(key) ?? prepare(librarians, defaultLibrarian);
    known.set(key, candidates);
    if (known.size > CACHED_SETS) known.delete(known.keys().next().value ?? '');
    return candidates;
  };
};

const prepare = (librarians: readonly LibrarianInfo[], defaultLibrarian: string): Candidates => {
  const ids = new Set(librarians.map(({ id }) => id));
  const single = librarians.filter(({ id, combines }) => id === defaultLibrarian || combines === undefined);
  // A hybrid without its delegates has nothing to combine.
  const combining = librarians.filter(
    (librarian) => !single.includes(librarian) && (librarian.combines ?? []).filter((id) => ids.has(id)).length > 1,
  );
  const all = [...single, ...combining];
  let full: RoutingIndex | undefined;
  return {
    all,
    single,
    combiners: combining.map(({ id }) => id),
    defaultLibrarian: ids.has(defaultLibrarian) ? defaultLibrarian : undefined,
    index: createRoutingIndex(single, defaultLibrarian),
    fullIndex: () => {
      full ??= createRoutingIndex(all, defaultLibrarian);
      return full;
    },
  };
};

/**
 * Margin by which the evidence for another librarian must exceed that for the default one, whose knowledge base may hold
 * anything. Chosen by ten-fold cross-validation on the librarians' own examples (86 % found), and on development questions: those
 * labelled for other librarians, and customers' questions that are off topic for all others (96 to 100 % stay).
 */
const POSITIVE_EVIDENCE = 1.05;
/** Prior of the default librarian when clauses are compared. */
const HEAD_START = 0.6;
/** Margin above which a choice is clear. */
const CLEAR_LEAD = 0.5;

/** The librarian whose description and examples clearly match the question, otherwise the default one. */
export const chooseLibrarian = (
  question: string,
  index: RoutingIndex,
  defaultLibrarian: string | undefined,
): Choice => {
  const evidence = index.evidenceFor(question);
  const matchOf = (id: string | undefined) => (id === undefined ? 0 : (evidence.get(id)?.match ?? 0));
  const strengthOf = (id: string) => matchOf(id) + (id === defaultLibrarian ? HEAD_START : 0);
  const [best, second] = [...evidence.keys()]
    .filter((id) => id !== defaultLibrarian)
    .sort((left, right) => matchOf(right) - matchOf(left));
  const typical = best === undefined ? 0 : (evidence.get(best)?.typical ?? 0);
  const lead = matchOf(best) + typical - matchOf(defaultLibrarian);
  if (best === undefined || lead <= POSITIVE_EVIDENCE) {
    return { to: defaultLibrarian, isDefault: true, strengthOf, isClear: lead < POSITIVE_EVIDENCE - CLEAR_LEAD };
  }
  const isClear = lead - POSITIVE_EVIDENCE >= CLEAR_LEAD && matchOf(best) - matchOf(second) >= CLEAR_LEAD;
  return { to: best, isDefault: false, strengthOf, isClear };
};

/** Search index over the descriptions of some librarians. */
export interface RoutingIndex {
  /**
   * The evidence by librarian id; librarians without any are absent. Only the default librarian is included without a shared
   * content word.
   */
  evidenceFor(question: string): ReadonlyMap<string, Evidence>;
}

/** Evidence for a librarian; comparable between questions. */
interface Evidence {
  /** Match with its texts: 0 upwards, 1 and more when one of them covers most of the question. */
  match: number;
  /** Weight of words typical of it, compared with the default librarian: 0 upwards, about 0.5 for a sure sign. */
  typical: number;
}

/** Examples that count; each further one of the same librarian counts less, so that many examples are no advantage. */
const EXAMPLES = 30;
const FURTHER = 0.9;
/**
 * Weights of single examples, of all texts of a librarian, of word pairs, and of typical words. The first three were chosen by
 * ten-fold cross-validation on the examples (a wide plateau), the last in the same way, together with the threshold of
 * `chooseLibrarian`.
 */
const WEIGHTS = { example: 0.5, whole: 2, pairs: 1, typical: 0.15 };

/** Below this number of word pairs they are weak evidence. */
const FEW_PAIRS = 3;
/** A longer question contains, by chance, some content words that are typical of a librarian. */
const FEW_SUBJECTS = 4;

/** Bound of the cache of evidence by question. */
const CACHED_QUESTIONS = 256;
/** Only this much of a question is read, in UTF-16 units. */
const MAX_LENGTH = 2000;

/**
 * Builds small indexes over descriptions and example questions: of single examples, of each librarian as a whole, of word pairs,
 * and of words typical of a librarian compared with the default one.
 */
const createRoutingIndex = (
  librarians: readonly LibrarianInfo[],
  defaultLibrarian: string | undefined,
): RoutingIndex => {
  const ids = librarians.map(({ id }) => id);
  const single = editionOf(librarians);
  const idOf = Array.from({ length: single.articleCount }, (_, article) => single.article(article).id);
  const whole = createWordIndex(librarians.map((librarian) => textsOf(librarian).flatMap(stemsOf)));
  const pairs = createWordIndex(librarians.map((librarian) => textsOf(librarian).flatMap(pairsOf)));
  const typical = typicalWords(librarians, defaultLibrarian);
  const typicalOf = (id: string, subjects: readonly string[]): number =>
    [...new Set(subjects)].reduce((sum, word) => sum + WEIGHTS.typical * (typical.get(id)?.get(word) ?? 0), 0);
  const evidenceFor = (question: string): Map<string, Evidence> => {
    const { query, hits } = searchEdition(single, withForm(question), { limit: EXAMPLES });
    const evidence = new Map<string, Evidence>();
    const words = readWordsOf(query).filter((word) => whole.has(stem(word)));
    const subjects = words.filter(isSubject).map(stem);
    const length = query.terms.filter(({ word }) => isSubject(word)).length / FEW_SUBJECTS;
    const knowing = whole.scoresFor(subjects);
    if (knowing.every((score) => score === 0)) return evidence;
    const add = (id: string, score: number) => {
      const mayAnswer = id === defaultLibrarian || (knowing[ids.indexOf(id)] ?? 0) > 0;
      if (score <= 0 || !mayAnswer) return;
      const known = evidence.get(id) ?? { match: 0, typical: typicalOf(id, subjects) / Math.max(1, length) };
      evidence.set(id, { ...known, match: known.match + score });
    };
    const seen = new Map<string, number>();
    for (const { article, score } of hits) {
      const id = idOf[article] ?? '';
      const place = seen.get(id) ?? 0;
      seen.set(id, place + 1);
      add(id, (WEIGHTS.example * score * FURTHER ** place) / query.total);
    }
    const asked = pairsOf(question);
    const asWhole = whole.scoresFor(new Set(words.map(stem)));
    const asPairs = pairs.scoresFor(new Set(asked));
    for (const [place, id] of ids.entries()) {
      add(id, (WEIGHTS.whole * (asWhole[place] ?? 0)) / query.total);
      add(id, (WEIGHTS.pairs * (asPairs[place] ?? 0)) / Math.max(FEW_PAIRS, asked.length));
    }
    return evidence;
  };
  return { evidenceFor: cached(evidenceFor) };
};

/** Cached for the latest questions. */
const cached = <T>(find: (question: string) => T): ((question: string) => T) => {
  const known = new Map<string, T>();
  return (question) => {
    const found = known.get(question) ?? find(question);
    if (question.length <= MAX_CACHED_LENGTH) known.set(question, found);
    if (known.size > CACHED_QUESTIONS) known.delete(known.keys().next().value ?? '');
    return found;
  };
};

/** In UTF-16 units. */
const MAX_CACHED_LENGTH = 500;

/** Share of a librarian's texts that contain a typical word: three texts in 150 are chance. */
const TYPICAL_SHARE = 0.025;
const MAX_TYPICAL = 3;

/** For each librarian the words that it uses more often than the default one, with the logarithm of the ratio. */
const typicalWords = (
  librarians: readonly LibrarianInfo[],
  defaultLibrarian: string | undefined,
): ReadonlyMap<string, ReadonlyMap<string, number>> => {
  const counts = librarians.map((librarian) =>
    countsOf(textsOf(librarian).flatMap((text) => [...new Set(wordsOf(text).filter(isSubject).map(stem))])),
  );
  const usual = counts[librarians.findIndex(({ id }) => id === defaultLibrarian)];
  const others = librarians.flatMap((librarian, place): [string, ReadonlyMap<string, number>][] => {
    if (librarian.id === defaultLibrarian) return [];
    const least = TYPICAL_SHARE * textsOf(librarian).length;
    const typical = [...(counts[place] ?? [])].flatMap(([word, count]): [string, number][] => {
      const more = Math.log((count + 0.5) / ((usual?.get(word) ?? 0) + 0.5));
      return count >= least && more > 0 ? [[word, Math.min(MAX_TYPICAL, more)]] : [];
    });
    return [[librarian.id, new Map(typical)]];
  });
  return new Map(others);
};

/** Few texts, ranked by BM25 as retrieval ranks its passages; lighter than an edition. */
interface WordIndex {
  has(word: string): boolean;
  /** The score of each text for these words, 0 upwards, in the order of the texts; a repeated word counts twice. */
  scoresFor(words: Iterable<string>): Float64Array;
}

/** @param texts The words of each, in the same form as the words of a question. */
const createWordIndex = (texts: readonly (readonly string[])[]): WordIndex => {
  const postings = new Map<string, { text: number; impact: number }[]>();
  const meanLength = Math.max(1, texts.reduce((sum, words) => sum + words.length, 0) / Math.max(1, texts.length));
  for (const [text, words] of texts.entries()) {
    const lengthFactor = 1 - RANKING.b + (RANKING.b * words.length) / meanLength;
    for (const [word, count] of countsOf(words)) {
      const frequency = count / lengthFactor;
      const posting = { text, impact: ((RANKING.k1 + 1) * frequency) / (frequency + RANKING.k1) };
      const known = postings.get(word);
      if (known === undefined) postings.set(word, [posting]);
      else known.push(posting);
    }
  }
  return {
    has: (word) => postings.has(word),
    scoresFor: (words) => {
      const scores = new Float64Array(texts.length);
      for (const word of words) {
        const found = postings.get(word) ?? [];
        const idf = inverseFrequency(found.length, texts.length);
        for (const { text, impact } of found) scores[text] = (scores[text] ?? 0) + idf * impact;
      }
      return scores;
    },
  };
};

const countsOf = (words: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

const textsOf = ({ name, description = '', examples = [] }: LibrarianInfo): string[] => [
  `${name}. ${description}`,
  ...examples,
];

const stemsOf = (text: string): string[] => wordsOf(withForm(text)).map(stem);

/** The words of a question that occur in the examples, with typing mistakes corrected. */
const readWordsOf = ({ terms }: AnalysedQuery): string[] =>
  terms.flatMap(({ word, corrections: [read = word], postings }) => (postings.length > 0 ? [read] : []));

/** Whether a word is a content word: without a shared one there is no evidence that the subject is the same. */
const isSubject = (word: string): boolean => !isFiller(word) && !word.startsWith(FORM);

/** Each librarian as an article, each of its texts a chunk. */
const editionOf = (librarians: readonly LibrarianInfo[]): Edition => {
  const entries = librarians.map(
    (librarian): EditionEntry => ({
      article: { id: librarian.id, title: '', url: '', text: '', intents: [], devices: [], lastUpdated: '' },
      chunks: textsOf(librarian)
        .map(withForm)
        .map((text, position) => ({
          articleId: librarian.id,
          position,
          headingPath: [],
          text,
          start: 0,
          end: text.length,
          tokenCount: 0,
        })),
    }),
  );
  return openEdition(buildEdition(entries, { id: 'routing', workspace: 'routing', createdAt: '' }));
};

/**
 * Adds the form of a question as a word of its own: `how many orders` and `how do I order` share every indexed word, and ask for
 * different things. Applied to questions and examples alike.
 */
const withForm = (question: string): string => {
  const text = question.slice(0, MAX_LENGTH);
  const forms = FORMS.flatMap(([form, pattern]) => (pattern.test(text) ? [form] : []));
  return forms.length === 0 ? text : `${text} ${forms.join(' ')}`;
};

const FORM = 'xq';

/** Marker words for forms of questions, which no question contains. */
const FORMS: readonly (readonly [string, RegExp])[] = [
  ['xqcount', /\bhow (?:many|much|often)\b|\bnumber of\b|\bcount\b/i],
  ['xqmeans', /\bhow (?:do|does|can|could|should|would|to|am|is|are|long)\b/i],
  ['xqreason', /\bwhy\b|\bwhat happens\b/i],
  ['xqperson', /\bwho\b|\bwhose\b/i],
  ['xqtrouble', /\b(?:does not|doesn'?t|did not|cannot|can'?t|won'?t|stopped|is not|isn'?t|no longer)\b/i],
  ['xqmay', /\b(?:can|may|could|should|must) (?:i|we|one|it)\b|\bdo i (?:need|have)\b|\bis it\b/i],
  ['xqours', /\b(?:our|we|us)\b/i],
  ['xqmine', /\b(?:my|i|i'm)\b/i],
];

/**
 * Pairs of adjacent words of a question, function words included, each as one token: `how many`, `do we`, `in stock`. They show
 * how something is asked. The first word also counts as a pair; all numbers are equal.
 */
const pairsOf = (question: string): string[] => {
  const words = (question.slice(0, MAX_LENGTH).toLowerCase().match(WORD) ?? []).slice(0, MAX_WORDS);
  const stems = words.map((word) => (NUMBER.test(word) ? ANY_NUMBER : stem(word)));
  return stems.map((word, place) => `${stems[place - 1] ?? START}${JOINT}${word}`);
};

const MAX_WORDS = 60;
/** Drops possessive endings; reads Latin script only. */
const WORD = /[a-z0-9]+(?=['’]s\b)|(?<!['’])[a-z0-9]+|(?<=['’])(?!s\b)[a-z0-9]+/g;
const NUMBER = /^\d+$/;
// Digits, so that a pair is neither split nor stemmed.
const ANY_NUMBER = '9';
const START = '0';
const JOINT = '1';
