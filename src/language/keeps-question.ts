import { wordsOf } from './analyse-text.ts';
import { pronounsIn, readQuestion } from './refers-back.ts';
import { stem } from './stem.ts';
import { functionWordsOf, languagesOf, type Word, wordsIn } from './word-classes.ts';

const MAX_READ = 8000;

/**
 * Whether a rewritten question asks the same, in any language: it has no word that may name something and is not in the conversation, and all
 * words of the question in order, but those that refer back. What it adds within a whole question names a thing, with one article at most; a
 * part ("And on the II?") is completed at its ends.
 *
 * @param before.questions Previous questions, as typed or rewritten.
 * @param before.answers Answers of the same turns.
 */
export function keepsQuestion(
  written: string,
  question: string,
  { questions, answers }: { questions: readonly string[]; answers: readonly string[] },
): boolean {
  const [language = 'en'] = languagesOf(question.slice(0, MAX_READ));
  const reading = readQuestion(question.slice(0, MAX_READ), language);
  const pronouns = pronounsIn(reading).filter(({ classes }) => !classes.has('determiners'));
  // Without what follows the last word that names something, such as "too" and "instead".
  const last = reading.words.findLastIndex((word) => isSubject(word) || pronouns.includes(word));
  const asked = reading.words.slice(0, last < 0 ? undefined : last + 1);
  const isPart = reading.isPart || !asked.some(({ isContent }) => isContent);
  const own = asked.filter((word) => !pronouns.includes(word) && (!isPart || isSubject(word)));
  const preposition = isPart ? reading.words.find(isPreposition)?.word : undefined;
  const conversation = new Set(
    [question, ...questions, ...answers].flatMap((text) =>
      wordsIn(text.slice(0, MAX_READ), language).map(({ word }) => stem(word)),
    ),
  );
  let place = 0;
  let added: Word[] = [];
  const isCompletion = (): boolean => {
    const subject = added.findIndex(({ isContent }) => isContent);
    if (!isPart) return added.length === 0 || (added.at(-1)?.isContent === true && subject < 2);
    // "And on the II?" may become "How do I reset the II?", and never "… with the II?".
    const before = place === 0 ? added.slice(-2).findLast(isPreposition)?.word : undefined;
    return (
      (subject < 0 || place % own.length === 0) &&
      (before ?? preposition) === (preposition ?? before)
    );
  };
  for (const word of wordsIn(written.slice(0, MAX_READ), language)) {
    if (word.isContent && !conversation.has(stem(word.word))) return false;
    if (word.word !== own[place]?.word) added.push(word);
    else if (isCompletion()) {
      place += 1;
      added = [];
    } else return false;
  }
  return place === own.length && isCompletion();
}

const isPreposition = ({ classes }: Word): boolean => classes.has('prepositions');
/** It names something, or asks for it. */
const isSubject = ({ isContent, classes }: Word): boolean => isContent || classes.has('questions');

/**
 * Whether parts that somebody else wrote ask together what a question asks: each has words of the question alone and articles, and together
 * they have all of them in its order, but those that refer to another part, ask or join.
 */
export function isSplitOf(question: string, parts: readonly string[]): boolean {
  const text = question.slice(0, MAX_READ);
  const [language = 'en'] = languagesOf(text);
  const words = wordsIn(text, language);
  const pronouns = pronounsIn({ rest: text, words, language });
  const isFree = (word: Word) =>
    pronouns.includes(word) ||
    (!word.word.includes("'") && FREE.some((name) => word.classes.has(name)));
  const own = words.filter((word) => !isFree(word)).map(({ word }) => word);
  const written = parts.map((part) => wordsIn(part.slice(0, MAX_READ), language));
  const placeOf = (part: readonly Word[]) =>
    own.indexOf(part.find(({ word }) => own.includes(word))?.word ?? '');
  const inOrder = written.toSorted((left, right) => placeOf(left) - placeOf(right)).flat();
  let at = 0;
  const isWhole = own.every((word) => {
    at = inOrder.findIndex((other, place) => place >= at && other.word === word) + 1;
    return at > 0;
  });
  const isOfQuestion = ({ word, classes }: Word) =>
    classes.has('determiners') || words.some((other) => other.word === word);
  return isWhole && inOrder.every(isOfQuestion);
}

/** They ask or join, so that what is asked does not depend on them. */
const FREE = ['questions', 'verbs', 'coordinators'] as const;

/** Whether each word of a text that may name something, as a stem, occurs in one of the others: then it says nothing that they do not say. */
export function hasOnlyWordsOf(text: string, others: readonly string[]): boolean {
  if (others.includes(text)) return true;
  const otherStems = new Set(others.flatMap((other) => wordsOf(other).map(stem)));
  const functionWords = functionWordsOf(languagesOf(text)[0] ?? 'en');
  return wordsOf(text).every((word) => functionWords.has(word) || otherStems.has(stem(word)));
}
