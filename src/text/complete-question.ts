import { openPronouns, pronounsIn, type Reading, readQuestion, refersBack, type TurnBefore } from './refers-back.ts';
import { type Span, splitSentences } from './split-sentences.ts';
import { stem } from './stem.ts';
import { languagesOf, type Word, wordsIn } from './word-classes.ts';

/**
 * Writes a question that refers back as one that stands alone, in any language: a part of a question replaces its counterpart in the question
 * before, a pronoun is replaced by what that one names. Where neither is possible, both questions are joined. A question that stands alone is
 * returned unchanged, and so is one after a question that refers back itself.
 */
export const completedQuestion = (question: string, before: TurnBefore | undefined): string => {
  if (before === undefined || !refersBack(question, before)) return question;
  const sentences = splitSentences(before.question);
  if (refersBack(before.question.slice(sentences[0]?.start, sentences[0]?.end))) return question;
  const reading = readQuestion(question, languagesOf(`${before.question} ${question}`)[0] ?? 'en');
  const { rest, isPart, lead, words } = reading;
  const own = words.some(isContentWord) ? rest : question.trim();
  const both = `${before.question} ${own}`;
  if (openPronouns(reading).length === 0) return (isPart ? withPart(before.question, reading) : undefined) ?? both;
  // "In the first one" is not about what was named before, and several sentences do not tell which subject is meant.
  const isOfOther = isPart && words[0]?.classes.has('prepositions') === true;
  const isClear = !isOfOther && sentences.length === 1;
  const completed = isClear ? withSubject(before.question, reading) : undefined;
  return completed === undefined ? both : `${lead}${completed}`;
};

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
export const standalonePart = (part: string, { earlier, next, isOfThing = false }: Around): string => {
  const [language = 'en'] = languagesOf([...earlier, next ?? '', part].join(' '));
  const reading = readQuestion(part, language);
  const last = earlier.toReversed();
  if (openPronouns(reading).length > 0) {
    return last.map((other) => withSubject(other, reading)).find((completed) => completed !== undefined) ?? part;
  }
  const own = phrasesIn(part, wordsIn(part, language));
  const isShort = own.flatMap(({ words }) => words).length < 2;
  const needsName = pronounsIn(reading).length > 0 || (isOfThing && isShort);
  if (own.some(({ isName }) => isName) || !needsName) return part;
  const name = [...last, next ?? ''].map((other) => nameIn(other, language)).find((each) => each !== undefined);
  return name === undefined ? part : `${name}: ${part}`;
};

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
  words: readonly Word[];
  /** The preposition that it follows, maybe with an article between. */
  preposition: Word | undefined;
  /** A function word that stands directly before it and is no preposition. */
  article: Word | undefined;
  /** It has a capital after the beginning of the text, or a number. */
  isName: boolean;
  /** A preposition stands directly before it: "to Canada", and not "of the Orbit". */
  isPlace: boolean;
}

/** What a question names: its first name that is no place, else its last words that follow no preposition, with what a preposition adds to them. */
const subjectOf = (text: string, language: string): string | undefined => {
  const name = nameIn(text, language);
  if (name !== undefined) return name;
  const phrases = phrasesIn(text, wordsIn(text, language));
  if (phrases.length > MAX_PHRASES) return undefined;
  const subject = phrases.findLast(({ preposition }) => preposition === undefined) ?? phrases.at(-1);
  if (subject === undefined) return undefined;
  const next = phrases[phrases.indexOf(subject) + 1];
  const isAdded = next?.preposition !== undefined && text.slice(subject.end, next.preposition.start).trim() === '';
  return text.slice(subject.start, isAdded ? next.end : subject.end);
};

/** The last words of a longer text are hardly its subject. */
const MAX_PHRASES = 3;

const nameIn = (text: string, language: string): string | undefined => {
  const name = phrasesIn(text, wordsIn(text, language)).find(({ isName, isPlace }) => isName && !isPlace);
  return name && text.slice(name.start, name.end);
};

/** @param isWhole Whether the text is a whole question, whose first word has a capital for that reason. */
const phrasesIn = (text: string, words: readonly Word[], isWhole = true): Phrase[] => {
  const runs: { words: Word[]; preposition: Word | undefined; before: Word | undefined }[] = [];
  let preposition: Word | undefined;
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    const isSame = before?.isContent === true && /^\s+$/.test(text.slice(before.end, word.start));
    if (!word.isContent) {
      if (before?.isContent === true) preposition = undefined;
      if (preposition === undefined && word.classes.has('prepositions')) preposition = word;
    } else if (isSame) runs.at(-1)?.words.push(word);
    else {
      runs.push({ words: [word], preposition, before });
      preposition = undefined;
    }
  }
  return runs.map(({ words: run, preposition: own, before }) => {
    const name = run.findIndex((word, at) => isName(text, word, run[at + 1], isWhole && word === words[0]));
    const rest = run.slice(Math.max(0, name));
    const other = rest.findIndex((word, at) => at > 0 && !goesOnWithName(text, word, rest[at + 1]));
    const nameWords = name < 0 || other < 0 ? rest : rest.slice(0, other);
    return {
      words: nameWords,
      preposition: name > 0 ? undefined : own,
      article: name > 0 || before?.isContent === true || before === own ? undefined : before,
      isName: name >= 0,
      isPlace: name <= 0 && own !== undefined && text.slice(own.end, run[0]?.start).trim() === '',
      start: nameWords[0]?.start ?? 0,
      end: nameWords.at(-1)?.end ?? 0,
    };
  });
};

const isContentWord = ({ isContent }: Word): boolean => isContent;
const startsWithNumber = (word: Word | undefined): boolean => /^\p{N}/u.test(word?.word ?? '');

/** A name has several words: "Apollo III", "apollo 2". */
const goesOnWithName = (text: string, { start }: Word, next: Word | undefined): boolean =>
  /^[\p{Lu}\p{N}]/u.test(text.slice(start)) || startsWithNumber(next);

/** A capital inside a word or after the beginning, or a number in it or after it: "iPhone", "apollo 2". */
const isName = (text: string, { start, end }: Word, next: Word | undefined, isFirst: boolean): boolean => {
  const word = text.slice(start, end);
  if (/^\p{N}+$/u.test(word)) return false;
  return /\p{L}.*[\p{Lu}\p{N}]/u.test(word) || (!isFirst && /^\p{Lu}/u.test(word)) || startsWithNumber(next);
};

/**
 * The question before with a part of another one in place of its counterpart: what shares a word with it, follows the same preposition, or is a
 * name too. What follows another preposition is added.
 */
const withPart = (before: string, { rest, words, language }: Reading): string | undefined => {
  const part = rest.replace(END, '');
  const own = phrasesIn(part, words, false)[0];
  const partWords = part.slice(words.find(isContentWord)?.start);
  if (own === undefined) return undefined;
  const phrases = phrasesIn(before, wordsIn(before, language));
  const put = (text: string, { start, end }: Span) => `${before.slice(0, start)}${text}${before.slice(end)}`;
  const stems = own.words.map(({ word }) => stem(word));
  const isShared = ({ word }: Word) => stems.includes(stem(word));
  for (const { words: others, end, article } of phrases) {
    const at = others.findIndex(isShared);
    const first = others[Math.max(0, at - stems.indexOf(stem(others[at]?.word ?? '')))];
    if (at < 0 || first === undefined) continue;
    // Only the word before it differs: "this month" in place of "last month".
    const isOther = others.every(isShared) && own.article !== undefined && article !== undefined;
    return isOther
      ? put(part.slice(own.article?.start), { start: article.start, end })
      : put(partWords, { start: first.start, end });
  }
  const { preposition } = own;
  if (preposition !== undefined) {
    const beside = phrases.find(({ preposition: other }) => other?.word === preposition.word);
    if (beside?.preposition === undefined) return `${before.replace(END, '')} ${part}?`;
    const last = beside.words[Math.min(beside.words.length, own.words.length) - 1] ?? beside;
    return put(part.slice(preposition.end), { start: beside.preposition.end, end: last.end });
  }
  if (!own.isName) return undefined;
  const names = phrases.filter(({ isName: isNamed }) => isNamed);
  const hasNumber = (text: string) => /\p{N}/u.test(text);
  const alike =
    names.find(({ start, end }) => hasNumber(before.slice(start, end)) === hasNumber(partWords)) ?? names[0];
  return alike && put(partWords, alike);
};

const END = /[\s?？.!]+$/u;
