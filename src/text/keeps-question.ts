import { wordsOf as contentWordsOf } from './analyse-text.ts';
import { isContentWord, pronounsIn, readQuestion } from './refers-back.ts';
import { stem } from './stem.ts';
import { functionWordsOf, languagesOf, type Word, wordsIn } from './word-classes.ts';

const MAX_READ = 8000;

/**
 * Whether a rewritten question asks the same, in any language. It has no content word that is not in the conversation, and all words of the
 * question in order. Where a word of the question refers back, it names a thing, with one article or with the words before it in a turn ("in
 * the US"); a question that is only a part ("And on the II?") is completed at its ends.
 *
 * @param before.questions Previous questions, as typed or rewritten.
 * @param before.answers Answers of the same turns.
 */
export const keepsQuestion = (
  written: string,
  question: string,
  { questions, answers }: { questions: readonly string[]; answers: readonly string[] },
): boolean => {
  const { language, words: own, pronounsAt, part } = ownWordsIn(question.slice(0, MAX_READ));
  const stemsOf = (text: string) => wordsIn(text.slice(0, MAX_READ), language).map(({ word }) => stem(word));
  const turns = [...questions, ...answers].map(stemsOf);
  const conversationStems = new Set([stemsOf(question), ...turns].flat());
  const words = wordsIn(written.slice(0, MAX_READ), language);
  if (words.some(({ word, isContent }) => isContent && !conversationStems.has(stem(word)))) return false;
  const namesThing = (stretch: readonly Word[]) => {
    const subject = stretch.findIndex(isContentWord);
    const lead = stretch.slice(0, subject + 1).map(({ word }) => stem(word));
    return stretch.at(-1)?.isContent === true && (subject <= 1 || turns.some((turn) => hasRun(turn, lead)));
  };
  const places = placesInOrder(own, words);
  if (new Set(places.filter((place) => place !== undefined)).size < own.length) return false;
  return stretchesOf(words, places, own.length).every(({ stretch, from, to }) => {
    const isLast = to === own.length;
    if (part === undefined) return (isLast || pronounsAt.some((at) => at > from && at <= to)) && namesThing(stretch);
    // "And on the II?" may become "How do I reset the II?", and never "… with the II?".
    const preposition = stretch.slice(-2).findLast(isPreposition)?.word ?? part.preposition;
    return isLast || (from < 0 && (part.preposition ?? preposition) === preposition);
  });
};

/**
 * Whether parts that somebody else wrote ask together what a question asks, in any language: each has words of the question in its order, and in
 * place of a pronoun a thing that the question names, with one article; together they have all of its words but those that ask and join.
 */
export const isSplitOf = (question: string, parts: readonly string[]): boolean => {
  const { language, words: own, pronounsAt } = ownWordsIn(question.slice(0, MAX_READ), true);
  const things = new Set(own.filter(isContentWord).map(({ word }) => word));
  const keptPlaces = new Set<number | undefined>();
  const isKept = parts.every((part) => {
    const words = wordsIn(part.slice(0, MAX_READ), language);
    const places = placesInOrder(own, words);
    for (const place of places) keptPlaces.add(place);
    const stretches = stretchesOf(words, places, own.length);
    return (
      words.some(({ isContent }, at) => isContent && places[at] !== undefined) &&
      stretches.every(({ stretch, from, to }) => {
        const subject = stretch.findIndex(isContentWord);
        const isThing = subject >= 0 && subject <= 1 && stretch.at(-1)?.isContent === true;
        const isOfQuestion = stretch.every(({ word, isContent }) => !isContent || things.has(word));
        const isOfPronoun = isThing && isOfQuestion && pronounsAt.some((at) => at > from && at <= to);
        return isOfPronoun || stretch.every(isFree);
      })
    );
  });
  return isKept && own.every((word, place) => keptPlaces.has(place) || isFree(word));
};

/** The words of a question that have to stand in one that asks the same and stands alone. */
interface OwnWords {
  language: string;
  words: Word[];
  /** Places at which words that refer back stood between them. */
  pronounsAt: number[];
  /** It is only a part of a question, "And on the II?": `preposition` stood before its first word. */
  part: { preposition: string | undefined } | undefined;
}

/** @param isWhole Whether the question continues nothing that was said before. */
const ownWordsIn = (question: string, isWhole = false): OwnWords => {
  const [language = 'en'] = languagesOf(question);
  const unshortened = { language, rest: question, words: wordsIn(question, language), isPart: false };
  const reading = isWhole ? unshortened : readQuestion(question, language);
  const { words, isPart } = reading;
  const pronouns = pronounsIn(reading).filter((word) => isWhole || !word.classes.has('determiners'));
  const first = isPart ? Math.max(0, words.findIndex(isContentWord)) : 0;
  // Without what follows the last word that names something, such as "too" and "instead".
  const last = words.findLastIndex(
    (word) => word.isContent || word.classes.has('questions') || pronouns.includes(word),
  );
  const own: Word[] = [];
  const pronounsAt: number[] = [];
  for (const word of words.slice(first, isWhole || last < 0 ? words.length : last + 1)) {
    if (pronouns.includes(word)) pronounsAt.push(own.length);
    else own.push(word);
  }
  const preposition = words.slice(0, first).findLast(isPreposition)?.word;
  return { language, words: own, pronounsAt, part: isPart ? { preposition } : undefined };
};

const isPreposition = ({ classes }: Word): boolean => classes.has('prepositions');
/** It asks or joins, so that what is asked does not depend on it; a contraction may be a negation. */
const isFree = ({ word, classes }: Word): boolean =>
  !word.includes("'") && (classes.has('questions') || classes.has('verbs') || classes.has('coordinators'));

/** Adjacent words that another text lacks: `from` and `to` are the places in it of the words around them. */
const stretchesOf = (words: readonly Word[], places: readonly (number | undefined)[], end: number) => {
  const stretches: { stretch: Word[]; from: number; to: number }[] = [];
  let from = -1;
  for (const [at, word] of words.entries()) {
    const place = places[at];
    if (place !== undefined) from = place;
    else if (at > 0 && places[at - 1] === undefined) stretches.at(-1)?.stretch.push(word);
    else stretches.push({ stretch: [word], from, to: places.slice(at).find((next) => next !== undefined) ?? end });
  }
  return stretches;
};

const hasRun = (words: readonly string[], run: readonly string[]): boolean =>
  words.some((_, at) => run.every((word, next) => words[at + next] === word));

/** The places of words among others, in their order and as many as there can be; undefined for one that has none. */
const placesInOrder = (among: readonly Word[], words: readonly Word[]): (number | undefined)[] => {
  const lengths = Array.from({ length: words.length + 1 }, () => new Uint16Array(among.length + 1));
  const lengthAt = (at: number, place: number): number => lengths[at]?.[place] ?? 0;
  const isSame = (at: number, place: number) => words[at]?.word === among[place]?.word;
  for (let at = words.length - 1; at >= 0; at--) {
    const row = lengths[at] ?? new Uint16Array();
    for (let place = among.length - 1; place >= 0; place--) {
      const longest = Math.max(lengthAt(at + 1, place), lengthAt(at, place + 1));
      row[place] = isSame(at, place) ? lengthAt(at + 1, place + 1) + 1 : longest;
    }
  }
  let place = 0;
  return words.map((_, at) => {
    while (place < among.length && !isSame(at, place) && lengthAt(at, place + 1) >= lengthAt(at + 1, place)) place++;
    return place < among.length && isSame(at, place) ? place++ : undefined;
  });
};

/** Whether each word of a text that may name something, as a stem, occurs in one of the others: then it says nothing that they do not say. */
export const hasOnlyWordsOf = (text: string, others: readonly string[]): boolean => {
  if (others.includes(text)) return true;
  const otherStems = new Set(others.flatMap((other) => contentWordsOf(other).map(stem)));
  const functionWords = functionWordsOf(languagesOf(text)[0] ?? 'en');
  return contentWordsOf(text).every((word) => functionWords.has(word) || otherStems.has(stem(word)));
};
