import { wordsOf as contentWordsOf } from './analyse-text.ts';
import { functionWordsOf, languagesOf, ownWordsIn, type Word } from './refers-back.ts';
import { stem } from './stem.ts';

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
  const { runs, part, wordsOf, isPreposition } = ownWordsIn(question.slice(0, MAX_READ));
  const stemsOf = (text: string) => wordsOf(text.slice(0, MAX_READ)).map(({ word }) => stem(word));
  const turns = [...questions, ...answers].map(stemsOf);
  const conversationStems = new Set([stemsOf(question), ...turns].flat());
  const words = wordsOf(written.slice(0, MAX_READ));
  if (words.some(({ word, isContent }) => isContent && !conversationStems.has(stem(word)))) return false;
  const namesThing = (stretch: readonly Word[]) => {
    const subject = stretch.findIndex(({ isContent }) => isContent);
    const lead = stretch.slice(0, subject + 1).map(({ word }) => stem(word));
    const isNoun = stretch.at(-1)?.isContent === true;
    return stretch.length === 0 || (isNoun && (subject <= 1 || turns.some((turn) => placeOf(lead, turn, 0) >= 0)));
  };
  const texts = words.map(({ word }) => word);
  let end = 0;
  for (const [place, run] of runs.entries()) {
    const at = placeOf(run, texts, end);
    if (at < 0) return false;
    if (part === undefined && (place === 0 ? at > 0 : !namesThing(words.slice(end, at)))) return false;
    // "And on the II?" may become "How do I reset the II?", and never "… with the II?".
    const preposition = texts.slice(Math.max(0, at - 2), at).findLast(isPreposition);
    if (place === 0 && part?.preposition !== undefined && preposition !== undefined && preposition !== part.preposition)
      return false;
    end = at + run.length;
  }
  return part !== undefined || namesThing(words.slice(end));
};

/** The first place of a run of words from a place on; -1 when there is none. */
const placeOf = (run: readonly string[], words: readonly string[], from: number): number =>
  words.findIndex((_, at) => at >= from && run.every((word, next) => words[at + next] === word));

const MAX_READ = 8000;

/**
 * Whether parts that somebody else wrote ask together what a question asks, in any language: each has words of the question in its order, and in
 * place of a pronoun a thing that the question names, with one article; together they have all of its words but those that ask, join and are polite.
 */
export const isSplitOf = (question: string, parts: readonly string[]): boolean => {
  const { runs, wordsOf, isFree } = ownWordsIn(question.slice(0, MAX_READ), true);
  const questionWords = runs.flat();
  const pronounsAt = new Set(runs.map((_, place) => runs.slice(0, place + 1).flat().length));
  const things = new Set(wordsOf(question).flatMap(({ word, isContent }) => (isContent ? [word] : [])));
  const keptPlaces = new Set<number>();
  const isKept = parts.every((part) => {
    const words = wordsOf(part.slice(0, MAX_READ));
    const places = placesInOrder(
      questionWords,
      words.map(({ word }) => word),
    );
    for (const place of places) if (place !== undefined) keptPlaces.add(place);
    const isThing = (stretch: readonly Word[], from: number, to: number): boolean => {
      const subject = stretch.findIndex(({ isContent }) => isContent);
      const isNamed = subject >= 0 && subject <= 1 && stretch.at(-1)?.isContent === true;
      const isOfQuestion = stretch.every(({ word, isContent }) => !isContent || things.has(word));
      return isNamed && isOfQuestion && [...pronounsAt].some((at) => at > from && at <= to);
    };
    for (let at = 0; at < words.length; at++) {
      if (places[at] !== undefined) continue;
      const next = words.findIndex((_, each) => each > at && places[each] !== undefined);
      const end = next < 0 ? words.length : next;
      const stretch = words.slice(at, end);
      const isOfPronoun = isThing(stretch, places[at - 1] ?? -1, places[end] ?? questionWords.length);
      if (!isOfPronoun && !stretch.every(({ word }) => isFree(word))) return false;
      at = end;
    }
    return words.some(({ isContent }, at) => isContent && places[at] !== undefined);
  });
  return isKept && questionWords.every((word, place) => keptPlaces.has(place) || isFree(word));
};

/** The places of words among others, in their order and as many as there can be; undefined for one that has none. */
const placesInOrder = (among: readonly string[], words: readonly string[]): (number | undefined)[] => {
  const lengths = Array.from({ length: words.length + 1 }, () => new Uint16Array(among.length + 1));
  const lengthAt = (at: number, place: number): number => lengths[at]?.[place] ?? 0;
  for (let at = words.length - 1; at >= 0; at--) {
    for (let place = among.length - 1; place >= 0; place--) {
      const isSame = words[at] === among[place];
      const length = isSame
        ? lengthAt(at + 1, place + 1) + 1
        : Math.max(lengthAt(at + 1, place), lengthAt(at, place + 1));
      const row = lengths[at];
      if (row !== undefined) row[place] = length;
    }
  }
  const places: (number | undefined)[] = [];
  let place = 0;
  for (const [at, word] of words.entries()) {
    while (word !== among[place] && place < among.length && lengthAt(at, place + 1) >= lengthAt(at + 1, place)) place++;
    places.push(word === among[place] ? place++ : undefined);
  }
  return places;
};

/** Whether each word of a text that may name something, as a stem, occurs in one of the others: then it says nothing that they do not say. */
export const hasOnlyWordsOf = (text: string, others: readonly string[]): boolean => {
  if (others.includes(text)) return true;
  const otherStems = new Set(others.flatMap((other) => contentWordsOf(other).map(stem)));
  const functionWords = functionWordsOf(languagesOf(text)[0] ?? 'en');
  return contentWordsOf(text).every((word) => functionWords.has(word) || otherStems.has(stem(word)));
};
