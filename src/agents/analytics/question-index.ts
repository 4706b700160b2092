import type { Catalogue, NamedQuestion } from './catalogue.ts';
import { isNearWord } from './is-near-word.ts';
import { type QuestionWord, wordsOfQuestion } from './words-of-question.ts';

/** The named questions, prepared for matching by their words. */
export interface QuestionIndex {
  entries: IndexedQuestion[];
  /** What words stand for, in order: a synonym is its first, a misspelt word the known one, a filler nothing. */
  termsOf(words: readonly QuestionWord[]): string[];
  /** How much a term tells; most of all one that no question has. */
  weightOf(term: string): number;
}

export interface IndexedQuestion {
  question: NamedQuestion;
  /** Of the description and of each example. */
  phrases: ReadonlySet<string>[];
  terms: ReadonlySet<string>;
}

export const indexQuestions = ({ questions, synonyms }: Catalogue): QuestionIndex => {
  const meanings = new Map(
    synonyms.flatMap((group) => {
      const stems = group.map((word) => wordsOfQuestion(word)[0]?.stem ?? word);
      return stems.map((stem) => [stem, stems[0] ?? stem] as const);
    }),
  );
  const plainTerms = (words: readonly QuestionWord[]): string[] =>
    words.filter(({ text }) => !FILLERS.has(text)).map(({ stem }) => meanings.get(stem) ?? stem);
  const phraseTerms = (text: string) => new Set(plainTerms(wordsOfQuestion(text.replace(/\{\w+\}/g, ' '))));
  const entries = questions.map((question) => {
    const phrases = [question.description, ...question.examples].map(phraseTerms).filter(({ size }) => size > 0);
    return { question, phrases, terms: new Set(phrases.flatMap((phrase) => [...phrase])) };
  });
  const counts = new Map<string, number>();
  for (const { terms } of entries) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const written = writtenWords({ questions, synonyms });
  const spelt = new WeakMap<QuestionWord, QuestionWord>();
  const known = (word: QuestionWord): QuestionWord => {
    if (FILLERS.has(word.text) || counts.has(meanings.get(word.stem) ?? word.stem)) return word;
    // One question is compared with every named one.
    const found = spelt.get(word) ?? written.find(({ text }) => isNearWord(word.text, text)) ?? word;
    spelt.set(word, found);
    return found;
  };
  return {
    entries,
    termsOf: (words) => plainTerms(words.map(known)),
    weightOf: (term) => Math.log(1 + entries.length / (counts.get(term) ?? 0.5)),
  };
};

const writtenWords = ({ questions, synonyms }: Pick<Catalogue, 'questions' | 'synonyms'>): QuestionWord[] =>
  [...synonyms.flat(), ...questions.flatMap(({ description, examples }) => [description, ...examples])].flatMap(
    (text) => wordsOfQuestion(text.replace(/\{\w+\}/g, ' ')),
  );

/** Words that tell no question from another. What asks for a person, a reason or a way is not among them. */
const FILLERS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those i me my we us our you your it its they them their s t ll re ve m d ' +
    'is am are was were be been being do does did has have had can could will would should ' +
    'what which how and or but if as of at for with to from in on into over during there here ' +
    'please show give list tell get see find display want need know let now right currently moment just still so far ' +
    'shop store company business overall exactly'
  ).split(' '),
);
