import { memo, SHORT_TEXTS } from '../platform/lru-cache.ts';
import { withoutMarks } from './analyse-text.ts';
import { detectLanguage } from './detect-language.ts';
import { languageNamed } from './language.ts';
import CLASSES from './lists/word-classes.json' with { type: 'json' };
import { isUnspaced, segmentsOf } from './spaced-words.ts';
import type { Span } from './split-sentences.ts';

/**
 * A closed class of words, to which a language adds none: `demonstratives` are pronouns unless they begin a noun phrase ("that" in "that
 * error"), `expletives` are pronouns that mean nothing beside an `impersonal` word ("is it possible"), `enclitics` are pronouns at the end of
 * an infinitive, `endings` stand after a topic.
 */
type WordClass = keyof typeof CLASSES;

export interface Word extends Span {
  /** In lower case. */
  word: string;
  classes: ReadonlySet<WordClass>;
  /** It may name a subject: it belongs to no class and is no stop word. */
  isContent: boolean;
}

const CLASS_NAMES = Object.keys(CLASSES) as WordClass[];
const LANGUAGES = Object.keys(CLASSES.questions);

/** The words of a class in a language; empty for a language without such words. */
export function wordsOfClass(name: WordClass, language: string): readonly string[] {
  const lists: Readonly<Record<string, string>> = CLASSES[name];
  return Object.hasOwn(lists, language) ? (lists[language] ?? '').split(' ') : [];
}

type Vocabulary = ReadonlyMap<string, ReadonlySet<WordClass>>;
const NO_CLASSES: ReadonlySet<WordClass> = new Set();
const vocabularies = new Map<string, Vocabulary>();

const vocabularyOf = (language: string): Vocabulary => {
  const cached = vocabularies.get(language);
  if (cached !== undefined) return cached;
  const vocabulary = new Map<string, Set<WordClass>>();
  for (const name of CLASS_NAMES) {
    if (name === 'enclitics') continue;
    for (const word of wordsOfClass(name, language)) {
      vocabulary.set(word, (vocabulary.get(word) ?? new Set()).add(name));
    }
  }
  // Tags come from detection and from callers, who may send any.
  if (LANGUAGES.includes(language)) vocabularies.set(language, vocabulary);
  return vocabulary;
};

/** The classes of a word, and of an English contraction those of its beginning: "isn't", "what's". */
const classesOf = (word: string, vocabulary: Vocabulary): ReadonlySet<WordClass> => {
  const classes = vocabulary.get(word);
  if (classes !== undefined || !word.includes("'")) return classes ?? NO_CLASSES;
  const base = word.replace(/'\p{L}{1,2}$/u, '');
  return vocabulary.get(base) ?? vocabulary.get(base.replace(/n$/, '')) ?? NO_CLASSES;
};

const TOKEN = /[\p{L}\p{M}\p{N}]+(?:[-.:/'][\p{L}\p{M}\p{N}]+)*'?/gu;

const tokensOf = (text: string): { index: number; token: string }[] =>
  isUnspaced(text)
    ? [...segmentsOf(text)].flatMap(({ index, segment, isWordLike }) =>
        isWordLike === true ? [{ index, token: segment }] : [],
      )
    : [...text.matchAll(TOKEN)].map(({ index, 0: token }) => ({ index, token }));

/** The words of a text in a language. What is written together with a pronoun is a word of its own: "l'", "-il", "-lo" of "devolverlo". */
export function wordsIn(text: string, language: string): Word[] {
  const vocabulary = vocabularyOf(language);
  const enclitics = wordsOfClass('enclitics', language);
  const words = tokensOf(text).flatMap(({ index, token }) => {
    let start = index;
    return piecesOf(token.toLowerCase(), vocabulary, enclitics).map((piece, place) => {
      const word = piece.replace(/-$/, '');
      const at = start;
      start += piece.length;
      const own = classesOf(word, vocabulary);
      const isAttached = place > 0 && own.has('demonstratives');
      const classes = isAttached ? new Set([...own, 'pronouns' as const]) : own;
      return { word, classes, start: at, end: at + word.length };
    });
  });
  const { stopWords } = languageNamed(language);
  // Their lists have no diacritics: without them, "ändere" is "andere".
  const isKnown = LANGUAGES.includes(language);
  const isFunctionWord = (word: string) => {
    const { size } = classesOf(word, vocabulary);
    const isImpersonal = size === 1 && classesOf(word, vocabulary).has('impersonal');
    return size > 0 ? !isImpersonal : stopWords.has(isKnown ? word : withoutMarks(word));
  };
  return words.map((word, at): Word => {
    const before = words[at - 1];
    // "In May", "May 2026": a capital makes a name of a function word.
    const isCapital = before !== undefined && /^\p{Lu}/u.test(text.slice(word.start, word.end));
    const isNamed =
      before?.classes.has('prepositions') === true || /^\p{N}/u.test(words[at + 1]?.word ?? '');
    if (isCapital && isNamed) return { ...word, classes: NO_CLASSES, isContent: true };
    const isJoined = word.word.includes('-') && word.word.split('-').every(isFunctionWord);
    const isContent = !isJoined && !isFunctionWord(word.word);
    return { ...word, isContent: isContent || /\p{N}/u.test(word.word) };
  });
}

const piecesOf = (
  token: string,
  vocabulary: Vocabulary,
  enclitics: readonly string[],
): string[] => {
  if (enclitics.length === 0 && !/['-]/.test(token)) return [token];
  const isReferring = (word: string) =>
    ['pronouns', 'demonstratives', 'determiners'].some((name) =>
      vocabulary.get(word)?.has(name as WordClass),
    );
  const elided = /^\p{L}+'(?=\p{L})/u.exec(token)?.[0] ?? '';
  const rest = vocabulary.has(elided) ? token.slice(elided.length) : token;
  const parts = rest.split(/(?<=-)/);
  const enclitic = enclitics.find(
    (word) =>
      rest.length >= MIN_WITH_ENCLITIC &&
      rest.endsWith(word) &&
      INFINITIVE.test(rest.slice(0, -word.length)),
  );
  const pieces = enclitic === undefined ? [rest] : [rest.slice(0, -enclitic.length), enclitic];
  return [
    token.slice(0, -rest.length),
    ...(parts.slice(1).some(isReferring) ? parts : pieces),
  ].filter((piece) => piece !== '');
};

const MIN_WITH_ENCLITIC = 6;
const INFINITIVE = /[aeiouáéíóú]r$/;

/** Whether the word at a place stands for something that is named elsewhere. */
export function isPronoun(
  words: readonly Word[],
  at: number,
  text: string,
  language: string,
): boolean {
  const word = words[at];
  if (word === undefined) return false;
  const { classes, start } = word;
  const isReferring = classes.has('pronouns') || classes.has('demonstratives');
  if (!isReferring) return false;
  const before = words[at - 1];
  // "Sie" and "Lei" address a person, "IT" is a name.
  const isBeginning = before === undefined || /[.!?…¿¡"'“„«(-]/.test(text.slice(before.end, start));
  if (!isBeginning && /^\p{Lu}/u.test(text.slice(start, word.end))) return false;
  if (classes.has('expletives')) {
    const isImpersonal = words
      .slice(Math.max(0, at - 2), at + 3)
      .some((each) => each.classes.has('impersonal'));
    if (isImpersonal && words.some((each) => each.isContent && !each.classes.has('impersonal')))
      return false;
  }
  if (classes.has('pronouns')) return true;
  const next = nextInClause(words, at, text);
  if (next === undefined) return true;
  // "How do I get there?", and not "Are there any?"
  if (classes.has('others')) return false;
  // "The orders that were returned"
  if (classes.has('subordinators') && before?.isContent === true && next.classes.has('verbs'))
    return false;
  if (!next.isContent || next.classes.has('impersonal'))
    return NOUN_PHRASE.every((name) => !next.classes.has(name));
  const afterNext = nextInClause(words, at + 1, text);
  if (afterNext !== undefined && !afterNext.classes.has('prepositions')) return false;
  // "Dove la trovo?" asks for it by a verb, "Quando la garanzia scade?" names it.
  if (before?.classes.has('questions') === true) return true;
  return language === CAPITALISING && /^\P{Ll}.*\s\p{Ll}\S*$/su.test(text.slice(0, next.end));
}

/** German writes nouns with a capital: what follows "das" in "Kann ich das ändern?" is none. */
const CAPITALISING = 'de';

/** After one of these, "that" begins a clause. */
const NOUN_PHRASE: readonly WordClass[] = ['determiners', 'pronouns', 'demonstratives'];

const nextInClause = (words: readonly Word[], at: number, text: string): Word | undefined => {
  const next = words[at + 1];
  return next !== undefined && !/[.,;:!?\n]/.test(text.slice(words[at]?.end, next.start))
    ? next
    : undefined;
};

/**
 * Words of a language that name no subject, in lower case without diacritics: its stop words and closed classes. Empty for a language that is
 * not known.
 */
export function functionWordsOf(language: string): ReadonlySet<string> {
  const cached = functionWords.get(language);
  if (cached !== undefined) return cached;
  const words = new Set([
    ...languageNamed(language).stopWords,
    ...[...vocabularyOf(language).keys()].map(withoutMarks),
  ]);
  if (LANGUAGES.includes(language)) functionWords.set(language, words);
  return words;
}
const functionWords = new Map<string, ReadonlySet<string>>();

/** Worth of a detected language, in words that it knows; of a few words it is a guess. */
const DETECTED = 1.5;
const FEW_WORDS = 4;
/** Worth of the language of the text before. */
const EARLIER = 0.5;

/** The language with most words of a text in its closed classes, several for a text of a few words that they share: all of them count. */
export function languagesOf(text: string, before = ''): readonly string[] {
  return before === '' ? languagesOfText(text) : languagesLike(text, detectLanguage(before));
}

const languagesLike = (text: string, earlier: string | undefined): readonly string[] => {
  // The letter of a code such as `E40` is no word.
  const words = tokensOf(text.toLowerCase()).flatMap(({ token }) =>
    /\p{N}/u.test(token) ? [] : [token],
  );
  const detected = detectLanguage(text);
  if (detected !== undefined && (isUnspaced(text) || !LANGUAGES.includes(detected)))
    return [detected];
  const scores = LANGUAGES.map((language): number => (language === 'en' ? 0.1 : 0));
  for (const word of words) {
    const languages = languagesWith(word);
    for (let at = 0; at < scores.length; at++)
      scores[at] = (scores[at] ?? 0) + ((languages >> at) & 1);
  }
  const add = (language: string | undefined, score: number) => {
    const at = LANGUAGES.indexOf(language ?? '');
    if (at >= 0) scores[at] = (scores[at] ?? 0) + score;
  };
  if (words.length >= FEW_WORDS) add(detected, DETECTED);
  add(earlier, EARLIER);
  const most = Math.max(...scores);
  return LANGUAGES.filter((_, at) => scores[at] === most);
};

const languagesOfText = memo((text: string) => languagesLike(text, undefined), SHORT_TEXTS);

/** The languages that have a word in a closed class, as bits in the order of `LANGUAGES`. */
const languagesWith = (word: string): number => {
  languagesByWord ??= wordsByLanguages();
  const own = languagesByWord.get(word) ?? 0;
  if (!word.includes("'")) return own;
  // "L'" and "what" of "l'eau" and "what's".
  return (
    own |
    (languagesByWord.get(word.replace(/'.*/, "'")) ?? 0) |
    (languagesByWord.get(word.replace(/'.*/, '')) ?? 0)
  );
};
let languagesByWord: ReadonlyMap<string, number> | undefined;

const wordsByLanguages = (): Map<string, number> => {
  const languages = new Map<string, number>();
  for (const [at, language] of LANGUAGES.entries())
    for (const word of vocabularyOf(language).keys())
      languages.set(word, (languages.get(word) ?? 0) | (1 << at));
  return languages;
};
