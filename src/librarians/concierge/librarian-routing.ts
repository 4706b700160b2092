import type { LibrarianInfo } from '../../contract/core/librarian.ts';
import { analyseText } from '../../language/analyse-text.ts';
import { languageNamed } from '../../language/language.ts';
import { spellingIn } from '../../language/spelling.ts';
import { functionWordsOf, languagesOf } from '../../language/word-classes.ts';
import { covers } from '../../platform/context/capabilities.ts';
import { lruCache } from '../../platform/lru-cache.ts';

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
export function permittedLibrarians(
  librarians: readonly LibrarianInfo[],
  held: readonly string[],
): LibrarianInfo[] {
  return librarians.filter(({ capabilities = [] }) =>
    capabilities.every((capability) => covers(held, capability)),
  );
}

/** Bound of the cache, in sets of rights; a miss rebuilds an index. */
const CACHED_SETS = 16;

/** Prepares a set of librarians for routing once, and caches the sets used last. All must come from one directory. */
export function candidatesCache(defaultLibrarian: string) {
  const sets = lruCache<string, Candidates>({ max: CACHED_SETS });
  return (librarians: readonly LibrarianInfo[]): Candidates =>
    sets.getOr(librarians.map(({ id }) => id).join(' '), () =>
      prepare(librarians, defaultLibrarian),
    );
}

const prepare = (librarians: readonly LibrarianInfo[], defaultLibrarian: string): Candidates => {
  const ids = new Set(librarians.map(({ id }) => id));
  const single = librarians.filter(
    ({ id, combines }) => id === defaultLibrarian || combines === undefined,
  );
  // A hybrid without its delegates has nothing to combine.
  const combining = librarians.filter(
    (librarian) =>
      !single.includes(librarian) &&
      (librarian.combines ?? []).filter((id) => ids.has(id)).length > 1,
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
 * Margin by which the evidence for another librarian must exceed that for the default one, whose knowledge base may hold anything.
 * Chosen with the weights below by ten-fold cross-validation on the librarians' own examples (148 of 151 of the default one stay, 84 % of the
 * others are found), on 220 off-topic questions (98 % stay) and on development questions; all of them lie on a wide plateau.
 */
const POSITIVE_EVIDENCE = 1.25;
/** The same where the default librarian is not among them. */
const EVIDENCE_ALONE = 0.4;
/** Prior of the default librarian when clauses are compared. */
const HEAD_START = 0.6;
/** Margin above which a choice is clear. */
const CLEAR_LEAD = 0.6;

/**
 * The librarian whose description and examples clearly match the question, otherwise the default one.
 *
 * @param least Margin by which the evidence for another librarian must exceed that for the default one.
 */
export function chooseLibrarian(
  question: string,
  index: RoutingIndex,
  defaultLibrarian: string | undefined,
  least = defaultLibrarian === undefined ? EVIDENCE_ALONE : POSITIVE_EVIDENCE,
): Choice {
  const evidence = index.evidenceFor(question);
  // One without a word of the question is no better than the others.
  const weakest = Math.min(0, ...evidence.values());
  const matchOf = (id: string | undefined) =>
    id === undefined ? 0 : (evidence.get(id) ?? weakest);
  const strengthOf = (id: string) => matchOf(id) + (id === defaultLibrarian ? HEAD_START : 0);
  const [best, second] = [...evidence.keys()]
    .filter((id) => id !== defaultLibrarian)
    .sort((left, right) => matchOf(right) - matchOf(left));
  const lead = matchOf(best) - matchOf(defaultLibrarian);
  if (best === undefined || lead <= least) {
    return {
      to: defaultLibrarian,
      isDefault: true,
      strengthOf,
      isClear: lead < least - CLEAR_LEAD,
    };
  }
  const isClear = lead - least >= CLEAR_LEAD && matchOf(best) - matchOf(second) >= CLEAR_LEAD;
  return { to: best, isDefault: false, strengthOf, isClear };
}

/** What the descriptions and examples of some librarians tell about a question. */
export interface RoutingIndex {
  /**
   * The evidence by librarian id, comparable between questions: the mean log-likelihood ratio of its words, times the square root of their
   * number. A librarian without a content word of the question is absent; only the default one is always there.
   */
  evidenceFor(question: string): ReadonlyMap<string, number>;
}

/** A pair of adjacent words (`how many`, `wie viele`) tells how something is asked; a word without a subject tells little. */
const WEIGHTS = { content: 1, pair: 0.5, other: 0.2 };
/** Texts that a librarian is assumed to have beside its own, and that all have together, with the words of everybody. */
const PRIOR_OF_ONE = 10;
const PRIOR_OF_ALL = 100;
/** Bound of the evidence of one word. */
const MAX_EVIDENCE = 2;
/** A shorter question is weak evidence, as one of this many words and pairs. */
const FEW_FEATURES = 6;

/** Bound of the cache of evidence by question. */
const CACHED_QUESTIONS = 256;
/** Only this much of a question is read, in UTF-16 units, and this many words. */
const MAX_LENGTH = 2000;
const MAX_WORDS = 200;

/** A naive Bayes model over the words and pairs of words of descriptions and examples, in any language. */
const createRoutingIndex = (
  librarians: readonly LibrarianInfo[],
  defaultLibrarian: string | undefined,
): RoutingIndex => {
  const total = countsOf(librarians.flatMap((librarian) => readTexts(librarian)));
  const spelled = stemSpelling(
    new Map(
      librarians.flatMap((librarian) => readTexts(librarian).flatMap(({ words }) => [...words])),
    ),
  );
  const models = librarians.map((librarian) => ({
    id: librarian.id,
    ...countsOf(readTexts(librarian)),
  }));
  const evidenceFor = (question: string): ReadonlyMap<string, number> => {
    const { language, features, words } = readText(question, spelled);
    const asked = [...features];
    const size = PRIOR_OF_ALL + (total.texts.get(language) ?? 0);
    const scale = Math.sqrt(Math.max(FEW_FEATURES, asked.length));
    const found = models.flatMap(({ id, features: own, texts }): [string, number][] => {
      const mayAnswer =
        id === defaultLibrarian ||
        words.size === 0 ||
        asked.some(([feature, { isContent }]) => isContent && own.get(feature)?.isContent === true);
      if (!mayAnswer) return [];
      const evidence = asked.map(([feature, { weight }]) => {
        const usual = (total.features.get(feature)?.count ?? 0) / size;
        if (usual === 0) return 0;
        const count = (own.get(feature)?.count ?? 0) / usual;
        const ratio = (count + PRIOR_OF_ONE) / ((texts.get(language) ?? 0) + PRIOR_OF_ONE);
        return weight * Math.max(-MAX_EVIDENCE, Math.min(MAX_EVIDENCE, Math.log(ratio)));
      });
      return [[id, evidence.reduce((sum, each) => sum + each, 0) / scale]];
    });
    return new Map(found);
  };
  return { evidenceFor: cached(evidenceFor) };
};

/** Cached for the latest questions. */
const cached = <T extends object>(find: (question: string) => T): ((question: string) => T) => {
  const results = lruCache<string, T>({ max: CACHED_QUESTIONS });
  return (question) =>
    question.length <= MAX_CACHED_LENGTH
      ? results.getOr(question, () => find(question))
      : find(question);
};

/** In UTF-16 units. */
const MAX_CACHED_LENGTH = 500;

/** The texts of each librarian, which belongs to several indexes. */
const textsRead = new WeakMap<LibrarianInfo, ReadText[]>();

const readTexts = (librarian: LibrarianInfo): ReadText[] => {
  const known = textsRead.get(librarian) ?? textsOf(librarian).map((text) => readText(text));
  textsRead.set(librarian, known);
  return known;
};

/** In how many texts each feature is, and how many texts there are by language. */
const countsOf = (texts: readonly ReadText[]) => {
  const features = new Map<string, { count: number; isContent: boolean }>();
  const byLanguage = new Map<string, number>();
  for (const text of texts) {
    byLanguage.set(text.language, (byLanguage.get(text.language) ?? 0) + 1);
    for (const [feature, { isContent }] of text.features) {
      features.set(feature, { count: (features.get(feature)?.count ?? 0) + 1, isContent });
    }
  }
  return { features, texts: byLanguage };
};

const textsOf = ({ name, description = '', examples = [] }: LibrarianInfo): string[] => [
  `${name}. ${description}`,
  ...examples,
];

interface Feature {
  weight: number;
  isContent: boolean;
}

interface ReadText {
  language: string;
  features: ReadonlyMap<string, Feature>;
  /** Its content words, and their stems. */
  words: ReadonlyMap<string, string>;
}

/**
 * The stems of a text and the pairs of adjacent ones; the first word also counts as a pair, and all numbers are equal.
 *
 * @param spelled The stem of the word that a misspelt one stands for, if any.
 */
const readText = (text: string, spelled: (word: string) => string = () => ''): ReadText => {
  const [language = 'en'] = languagesOf(text.slice(0, MAX_LENGTH));
  const { stem, stopWords } = languageNamed(language);
  const functionWords = functionWordsOf(language);
  const features = new Map<string, Feature>();
  const words = new Map<string, string>();
  let before = '^';
  let count = 0;
  const visit = (word: string, kind: string, written: string) => {
    if ((kind !== 'word' && kind !== 'compound') || count >= MAX_WORDS) return;
    count += 1;
    const isNumber = NUMBER.test(word);
    const isContent = !isNumber && !stopWords.has(word) && !functionWords.has(word);
    const read = isNumber ? '0' : stem(written);
    const token = (isContent && spelled(word)) || read;
    if (isContent) words.set(word, token);
    features.set(token, { weight: isContent ? WEIGHTS.content : WEIGHTS.other, isContent });
    features.set(`${before} ${token}`, { weight: WEIGHTS.pair, isContent: false });
    before = token;
  };
  analyseText(text.slice(0, MAX_LENGTH), visit, NO_WORDS);
  return { language, features, words };
};

const NO_WORDS: ReadonlySet<string> = new Set();
const NUMBER = /^\p{N}+$/u;

/**
 * The stem of the one long word of a vocabulary at a distance of one typing mistake; empty for a word that is known.
 *
 * @param vocabulary Content words and their stems.
 */
const stemSpelling = (vocabulary: ReadonlyMap<string, string>): ((word: string) => string) => {
  const spellings = spellingIn([...vocabulary.keys()], { leastLength: LEAST_CORRECTED });
  return (word) => {
    const [near = '', ...others] = spellings(word);
    return others.length === 0 ? (vocabulary.get(near) ?? '') : '';
  };
};
const LEAST_CORRECTED = 6;
