import {
  openPronouns,
  pronounsIn,
  type Reading,
  readQuestion,
  refersBack,
  type TurnBefore,
} from './refers-back.ts';
import { type Span, splitSentences } from './split-sentences.ts';
import { stem } from './stem.ts';
import { languagesOf, type Word, wordsIn } from './word-classes.ts';

/**
 * Writes a question that refers back as one that stands alone, in any language: a part of a question replaces its counterpart in the question
 * before, a pronoun is replaced by what that one names. Where neither is possible, both questions are joined. A question that stands alone is
 * returned unchanged, and so is one after a question that refers back itself.
 */
export function completedQuestion(question: string, before: TurnBefore | undefined): string {
  if (before === undefined || !refersBack(question, before)) return question;
  const sentences = splitSentences(before.question);
  if (refersBack(before.question.slice(sentences[0]?.start, sentences[0]?.end))) return question;
  const reading = readQuestion(question, languagesOf(`${before.question} ${question}`)[0] ?? 'en');
  const { rest, isPart, lead, words } = reading;
  const both = `${before.question} ${words.some(({ isContent }) => isContent) ? rest : question.trim()}`;
  if (openPronouns(reading).length === 0)
    return (isPart ? withPart(before.question, reading) : undefined) ?? both;
  // "In the first one" is not about what was named before, and several sentences do not tell which subject is meant.
  const isOfOther = isPart && words[0]?.classes.has('prepositions') === true;
  const completed =
    isOfOther || sentences.length > 1 ? undefined : withSubject(before.question, reading);
  return completed === undefined ? both : `${lead}${completed}`;
}

/** What stands around a part of a message. */
interface Around {
  /** The parts before it that stand alone, or earlier messages. */
  earlier: readonly string[];
  next?: string | undefined;
  /** It asks for what only a thing has, such as its stock; false when absent. */
  isOfThing?: boolean;
}

/**
 * Names the subject of a part of a message that refers to it by a pronoun, or that names next to nothing ("and the price?"): what the nearest
 * part before it names, else the next one.
 */
export function standalonePart(part: string, { earlier, next, isOfThing = false }: Around): string {
  const [language = 'en'] = languagesOf([...earlier, next ?? '', part].join(' '));
  const reading = readQuestion(part, language);
  const last = earlier.toReversed();
  if (openPronouns(reading).length > 0)
    return (
      last
        .map((other) => withSubject(other, reading))
        .find((completed) => completed !== undefined) ?? part
    );
  const own = phrasesIn(part, language);
  const isShort = own.flatMap(({ words }) => words).length < 2;
  const needsName = pronounsIn(reading).length > 0 || (isOfThing && isShort);
  if (own.some(({ isName }) => isName) || !needsName) return part;
  const name = [...last, next ?? '']
    .map((other) => nameIn(other, language))
    .find((each) => each !== undefined);
  return name === undefined ? part : `${name}: ${part}`;
}

/** The question with what the one before it names in place of its pronouns; none when that one names nothing. */
const withSubject = (before: string, reading: Reading): string | undefined => {
  const subject = subjectOf(before, reading.language);
  if (subject === undefined) return undefined;
  let completed = '';
  let end = 0;
  for (const pronoun of openPronouns(reading)) {
    const between = reading.rest.slice(end, pronoun.start);
    // "The same ones" has two, which are replaced once.
    if (end === 0 || between.trim() !== '') completed += `${between}${subject}`;
    end = pronoun.end;
  }
  return completed + reading.rest.slice(end);
};

/** Adjacent words that may name something. */
interface Phrase extends Span {
  words: Word[];
  /** The preposition that it follows, maybe with an article between. */
  preposition?: Word | undefined;
  /** A function word that stands directly before it and is no preposition. */
  article?: Word | undefined;
  /** It has a capital after the beginning of the text, or a number. */
  isName: boolean;
}

/** The last words of a longer text are hardly its subject. */
const MAX_PHRASES = 3;

/** What a question names: its first name that is no place, else its last words that follow no preposition, with what a preposition adds to them. */
const subjectOf = (text: string, language: string): string | undefined => {
  const phrases = phrasesIn(text, language);
  const name = nameIn(text, language);
  if (name !== undefined || phrases.length > MAX_PHRASES) return name;
  const subject =
    phrases.findLast(({ preposition }) => preposition === undefined) ?? phrases.at(-1);
  if (subject === undefined) return undefined;
  const next = phrases[phrases.indexOf(subject) + 1];
  const isAdded =
    next?.preposition !== undefined &&
    text.slice(subject.end, next.preposition.start).trim() === '';
  return text.slice(subject.start, isAdded ? next.end : subject.end);
};

/** The first name of a text that is no place: "to Canada" is one, "of the Orbit" is none. */
const nameIn = (text: string, language: string): string | undefined => {
  const isPlace = ({ preposition, article }: Phrase) =>
    preposition !== undefined && article === undefined;
  const name = phrasesIn(text, language).find((phrase) => phrase.isName && !isPlace(phrase));
  return name && text.slice(name.start, name.end);
};

/** @param isWhole Whether the text is a whole question, whose first word has a capital for that reason. */
const phrasesIn = (text: string, language: string, isWhole = true): Phrase[] => {
  const phrases: Phrase[] = [];
  const words = wordsIn(text, language);
  let between: Word[] = [];
  for (const [at, word] of words.entries()) {
    if (!word.isContent) {
      between.push(word);
      continue;
    }
    const { start, end } = word;
    const last =
      between.length === 0 && isBlank(text.slice(words[at - 1]?.end, start))
        ? phrases.at(-1)
        : undefined;
    const isFirst = isWhole && at === 0;
    const isName =
      last?.isName === true
        ? /^[\p{Lu}\p{N}]/u.test(text.slice(start))
        : beginsName(text, words, at, isFirst);
    const preposition = between.find(({ classes }) => classes.has('prepositions'));
    const article = between.at(-1) === preposition ? undefined : between.at(-1);
    if (last === undefined)
      phrases.push({ words: [word], preposition, article, isName, start, end });
    // What stands before a name tells of it, what follows it is asked of it.
    else if (isName && !last.isName)
      phrases[phrases.length - 1] = { words: [word], isName, start, end };
    else if (isName === last.isName) Object.assign(last, { words: [...last.words, word], end });
    between = [];
  }
  return phrases;
};

const isBlank = (text: string): boolean => text.trim() === '';

/** A capital inside a word or after the beginning, or a number in it or after it: "iPhone", "apollo 2". */
const beginsName = (
  text: string,
  words: readonly Word[],
  at: number,
  isFirst: boolean,
): boolean => {
  const word = text.slice(words[at]?.start, words[at]?.end);
  if (/^\p{N}+$/u.test(word)) return false;
  const isNumbered = /^\p{N}/u.test(words[at + 1]?.word ?? '');
  return /\p{L}.*[\p{Lu}\p{N}]/u.test(word) || (!isFirst && /^\p{Lu}/u.test(word)) || isNumbered;
};

/**
 * The question before with a part of another one in place of its counterpart: what shares a word with it, follows the same preposition, or is a
 * name too. What follows another preposition is added.
 */
const withPart = (before: string, { rest, language }: Reading): string | undefined => {
  const part = rest.replace(END, '');
  const [own] = phrasesIn(part, language, false);
  if (own === undefined) return undefined;
  const phrases = phrasesIn(before, language);
  const text = part.slice(own.start);
  const put = (other: string, { start, end }: Span) =>
    `${before.slice(0, start)}${other}${before.slice(end)}`;
  const stems = own.words.map(({ word }) => stem(word));
  const isShared = ({ word }: Word) => stems.includes(stem(word));
  const shared = phrases.find(({ words }) => words.some(isShared));
  if (shared !== undefined) {
    // Only the word before it differs: "this month" in place of "last month".
    const isOther =
      shared.words.every(isShared) && own.article !== undefined && shared.article !== undefined;
    return isOther
      ? put(part.slice(own.article?.start), { ...shared, start: shared.article?.start ?? 0 })
      : put(text, shared);
  }
  const { preposition } = own;
  const beside = phrases.find(
    (other) => preposition !== undefined && other.preposition?.word === preposition.word,
  );
  if (beside?.preposition !== undefined) {
    const last = beside.words[Math.min(beside.words.length, own.words.length) - 1] ?? beside;
    return put(part.slice(preposition?.end), { start: beside.preposition.end, end: last.end });
  }
  if (preposition !== undefined) return `${before.replace(END, '')} ${part}?`;
  const hasNumber = ({ words }: Phrase) => words.some(({ word }) => /\p{N}/u.test(word));
  const names = phrases.filter(({ isName }) => isName && own.isName);
  const alike = names.find((name) => hasNumber(name) === hasNumber(own)) ?? names[0];
  return alike && put(text, alike);
};

const END = /[\s?？.!]+$/u;
