import type { WordVectors } from '../../ai/embeddings/word-vectors.ts';
import { stemIn } from '../../knowledge/edition/edition-stems.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import { stemsOf } from '../../knowledge/edition/sections.ts';
import {
  type AnalysedQuery,
  analyseQuery,
  backgroundShares,
  type Turn,
} from '../../knowledge/search/analyse-query.ts';
import { devicesNamedAs, ROMAN, wordsOfDevices } from '../../knowledge/search/devices-named-in.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { lastOf, referenceIn } from '../../language/refers-back.ts';
import { stem } from '../../language/stem.ts';
import { functionWordsOf } from '../../language/word-classes.ts';

/** Word vectors, for comparing texts that use different words. */
export type TextVectors = Pick<WordVectors, 'vectorOf'>;

/** A word of the question, or of the previous turns. */
export interface QuestionTerm {
  /** As typed, in lower case. */
  word: string;
  stem: string;
  /** Stems that count as this word: its own, those of its corrections, and the Roman form of a number. */
  forms: ReadonlySet<string>;
  /** Inverse chunk frequency, at most that in general English, times `weight`. */
  idf: number;
  /** 1 for the question's own words, less for those of previous turns. */
  weight: number;
  /** The knowledge base contains it, or its correction. */
  isKnown: boolean;
}

/** The analysis of a question. */
export interface ParsedQuestion {
  text: string;
  query: AnalysedQuery;
  /** The question's own words, then those of the previous turns. */
  terms: readonly QuestionTerm[];
  /** Sum of all idf. */
  total: number;
  /** Devices that it names or that the user has, in lower case. */
  devices: readonly string[];
  /** Vector of the question with the user's previous turn; its length is the share of stems that have a vector. */
  vector: Float32Array | undefined;
}

/** Maximum length of a text that is analysed, in UTF-16 units. */
const MAX_TEXT = 4000;
/** Weight of a word of the previous turns relative to one of the question; of a question without a subject, the one before is a part. */
const TURN_WEIGHTS = { user: 0.5, assistant: 0.2 } as const;

/** Analyses a question together with the last turn of each speaker before it, which the caller passes only for a question that refers back. */
export function parseQuestion(
  edition: Edition,
  question: string,
  {
    history = [],
    devices = [],
    vectors,
  }: {
    history?: readonly Turn[] | undefined;
    devices?: readonly string[] | undefined;
    vectors?: TextVectors | undefined;
  } = {},
): ParsedQuestion {
  const text = question.slice(0, MAX_TEXT);
  const terms = new Map<string, QuestionTerm>();
  const language = detectLanguage(text, edition.languages) ?? edition.languages[0] ?? 'en';
  // How common words are in general is known of English.
  const common = language === 'en' ? NO_WORDS : functionWordsOf(language);
  const read = (said: string, weight: number): AnalysedQuery => {
    const query = analyseQuery(edition, said.slice(0, MAX_TEXT));
    for (const term of query.terms) {
      if (terms.has(term.stem)) continue;
      const roman = ROMAN_BY_DIGITS[term.word];
      terms.set(term.stem, {
        word: term.word,
        stem: term.stem,
        // Texts that are no articles are stemmed as English.
        forms: new Set([
          term.stem,
          stem(term.word),
          ...term.corrections.map((word) => stemIn(edition, word)),
          ...(roman ? [roman] : []),
        ]),
        idf:
          Math.min(term.idf, common.has(term.word) ? FUNCTION_IDF : idfInGeneral(term.stem)) *
          weight,
        weight,
        isKnown: term.postings.length > 0,
      });
    }
    return query;
  };
  const query = read(text, 1);
  for (const speaker of ['user', 'assistant'] as const) {
    const turn = history.findLast((candidate) => candidate.speaker === speaker);
    const isWhole = speaker === 'user' && questionWithTurn(question, history) !== question;
    if (turn !== undefined) read(turn.text, isWhole ? 1 : TURN_WEIGHTS[speaker]);
  }
  const all = [...terms.values()];
  return {
    text,
    query,
    terms: all,
    total: all.reduce((sum, { idf }) => sum + idf, 0),
    devices: [
      ...new Set([
        ...devicesNamed(text, edition.devices()),
        ...devices.map((device) => device.toLowerCase()),
      ]),
    ],
    vector: vectors && meaningOf(questionWithTurn(text, history), vectors),
  };
}

/** Content words of a passage of average length. With 40 or 250 words the evaluation gives almost the same figures. */
const PASSAGE_WORDS = 100;

/** Upper bound of the idf of a word that names no subject: that of "mean" and "cost" in general English. */
const FUNCTION_IDF = 0.9;

const NO_WORDS: ReadonlySet<string> = new Set();

/**
 * Upper bound of a word's idf: its idf in passages of general English. A small knowledge base lacks words such as "already" by chance, and
 * their rarity there says nothing. Infinity for a word that is not among the commonest.
 */
const idfInGeneral = (stemmed: string): number => {
  const share = backgroundShares().get(stemmed);
  return share === undefined
    ? Number.POSITIVE_INFINITY
    : -Math.log(1 - (1 - share) ** PASSAGE_WORDS);
};

/**
 * A question without a subject of its own, preceded by the user's previous turn; any other as it is. One that asks something of its own about
 * a thing that was named before would find what the previous question found.
 */
export function questionWithTurn(question: string, history: readonly Turn[]): string {
  const before = lastOf(history);
  return before === undefined || referenceIn(question, before) !== 'question'
    ? question
    : `${before.question.slice(0, MAX_TEXT)}\n${question}`;
}

/** Scaled by the share of stems that have a vector. */
const meaningOf = (text: string, vectors: TextVectors): Float32Array | undefined => {
  const stems = [...new Set(stemsOf(text))];
  const known = stems.filter((each) => vectors.vectorOf([each]) !== undefined).length;
  return vectors.vectorOf(stems)?.map((value) => (value * known) / stems.length);
};

const ROMAN_BY_DIGITS: Readonly<Record<string, string>> = Object.fromEntries(
  ROMAN.map((roman, at) => [String(at + 1), roman]),
);

/** Devices named in full or in part; after one in full, a second number names another: "Model 2 or 3". */
const devicesNamed = (text: string, devices: readonly string[]): string[] => {
  // "Model 2" is often written "Model II".
  const named = devicesNamedAs(text, devices);
  const counts = (next: string) => wordsOf(next).length > 0;
  const numbered =
    named.length === 0
      ? text
      : text.replace(SECOND_NUMBER, (digits, next: string) =>
          counts(next) ? digits : (ROMAN_BY_DIGITS[digits] ?? digits),
        );
  return [...named, ...devicesNamedInPart(numbered, devices)];
};

/** The 3 of "2 or 3"; the first group is the word behind it, which it may count ("2 or 3 days"). */
const SECOND_NUMBER =
  /(?<=(?<![\p{L}\p{N}.,])(?:\d{1,2}|[ivx]{1,4})(?: \p{L}{1,9} | ?[/&,+] ?))\d{1,2}(?![\p{L}\p{N}%°]|[.,:/-]\p{N})(?= ?(\p{L}*))/giu;

/** Devices that a text names by all words that distinguish them from the others: "the III" of "Model III". */
const devicesNamedInPart = (text: string, devices: readonly string[]): string[] => {
  if (devices.length < 2) return [];
  const said = new Set(wordsOf(text.slice(0, 1000)));
  const words = wordsOfDevices(devices);
  return devices.filter((_, at) => {
    const own = (words[at] ?? []).filter((word) => !words.every((others) => others.includes(word)));
    return (
      own.length > 0 &&
      own.length < (words[at]?.length ?? 0) &&
      own.every((word) => word.length > 1 && said.has(word))
    );
  });
};
