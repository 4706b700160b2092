import { type References, referencesIn, refersBack, type TurnBefore, type Word } from './refers-back.ts';
import { type Span, splitSentences } from './split-sentences.ts';
import { stem } from './stem.ts';

/**
 * Writes a question that refers back as one that stands alone, in any language: a part of a question replaces its counterpart in the question
 * before, a pronoun is replaced by what that one names. Where neither is possible, both questions are joined. A question that stands alone is
 * returned unchanged, and so is one after a question that refers back itself.
 */
export const completedQuestion = (question: string, before: TurnBefore | undefined): string => {
  if (before === undefined || !refersBack(question, before)) return question;
  const [first = { start: 0, end: 0 }] = splitSentences(before.question);
  if (refersBack(before.question.slice(first.start, first.end))) return question;
  const references = referencesIn(question, before.question);
  const { rest, isPart, lead, pronouns, wordsOf, hasNoSpaces } = references;
  const own = namingWordsIn(rest, references).some(({ isContent }) => isContent) ? rest : question.trim();
  const both = `${before.question} ${own}`;
  if (hasNoSpaces) return both;
  if (pronouns.length === 0) return (isPart ? withPart(before.question, references) : undefined) ?? both;
  // "In the first one" is not about what was named before, and several sentences do not tell which subject is meant.
  const isOfOther = isPart && references.isPreposition(wordsOf(rest)[0]?.word ?? '');
  const isClear = !isOfOther && splitSentences(before.question).length === 1;
  const completed = isClear ? withSubject(references, before.question) : undefined;
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
  const references = referencesIn(part, [...earlier, next ?? ''].join(' '));
  const others = [...earlier.toReversed(), ...(next === undefined ? [] : [next])];
  if (references.hasNoSpaces) return part;
  if (references.pronouns.length > 0) {
    for (const other of earlier.toReversed()) {
      const completed = withSubject(references, other);
      if (completed !== undefined) return completed;
    }
    return part;
  }
  const own = phrasesIn(part, references);
  const isShort = own.flatMap(({ words }) => words).length < 2;
  if (own.some(({ isName }) => isName) || !(references.hasPronoun || (isOfThing && isShort))) return part;
  const name = others.flatMap((other) => nameIn(other, references) ?? [])[0];
  return name === undefined ? part : `${name}: ${part}`;
};

/** The question with what the one before it names in place of its pronouns; none when that one names nothing. */
const withSubject = ({ rest, pronouns, ...read }: References, before: string): string | undefined => {
  const subject = subjectOf(before, read);
  if (subject === undefined) return undefined;
  let written = '';
  let end = 0;
  for (const pronoun of pronouns) {
    // "the same ones" has two.
    if (pronoun.start < end || (end > 0 && rest.slice(end, pronoun.start).trim() === '')) {
      end = Math.max(end, pronoun.end);
      continue;
    }
    const words = read.wordsOf(rest.slice(pronoun.start, pronoun.end));
    // What precedes the pronoun proper stays: "does that", "the cheaper one".
    const last = words.findLast(({ word, isContent }) => isContent || read.isAsking(word) || read.isPreposition(word));
    written += `${rest.slice(end, pronoun.start + (last?.end ?? 0))}${last === undefined ? '' : ' '}${subject}`;
    end = pronoun.end;
  }
  return `${written}${rest.slice(end)}`;
};

type Reading = Pick<References, 'wordsOf' | 'isPreposition' | 'isAsking'>;

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
const subjectOf = (text: string, read: Reading): string | undefined => {
  const name = nameIn(text, read);
  if (name !== undefined) return name;
  const phrases = phrasesIn(text, read);
  if (phrases.length > MAX_PHRASES) return undefined;
  const subject = phrases.findLast(({ preposition }) => preposition === undefined) ?? phrases.at(-1);
  if (subject === undefined) return undefined;
  const next = phrases[phrases.indexOf(subject) + 1];
  const isAdded = next?.preposition !== undefined && text.slice(subject.end, next.preposition.start).trim() === '';
  return text.slice(subject.start, isAdded ? next.end : subject.end);
};

/** The last words of a longer text are hardly its subject. */
const MAX_PHRASES = 3;

const nameIn = (text: string, read: Reading): string | undefined => {
  const name = phrasesIn(text, read).find(({ isName, isPlace }) => isName && !isPlace);
  return name && text.slice(name.start, name.end);
};

/** @param isWhole Whether the text is a whole question, whose first word has a capital for that reason. */
const phrasesIn = (text: string, read: Reading, isWhole = true): Phrase[] => {
  const { isPreposition } = read;
  const words = namingWordsIn(text, read);
  const runs: { words: Word[]; preposition: Word | undefined; before: Word | undefined }[] = [];
  let preposition: Word | undefined;
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    const isSame = before?.isContent === true && /^\s+$/.test(text.slice(before.end, word.start));
    if (!word.isContent) {
      if (before?.isContent === true) preposition = undefined;
      if (preposition === undefined && isPreposition(word.word)) preposition = word;
    } else if (isSame) runs.at(-1)?.words.push(word);
    else {
      runs.push({ words: [word], preposition, before });
      preposition = undefined;
    }
  }
  return runs.map(({ words: run, preposition: own, before }) => {
    const name = run.findIndex((word, at) => isName(text, word, run[at + 1], isWhole && word === words[0] && at === 0));
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

/** The words of a text; a capital makes a name of a function word after a preposition or before a number ("in May"). */
const namingWordsIn = (text: string, { wordsOf, isPreposition }: Reading): Word[] => {
  const words = wordsOf(text);
  return words.map((word, at) => {
    const [before, next] = [words[at - 1], words[at + 1]];
    const isNamed = /^\p{Lu}/u.test(text.slice(word.start, word.end)) && before !== undefined;
    return isNamed && (isPreposition(before.word) || /^\p{N}/u.test(next?.word ?? ''))
      ? { ...word, isContent: true }
      : word;
  });
};

/** A name has several words: "Apollo III", "apollo 2". */
const goesOnWithName = (text: string, { start, end }: Word, next: Word | undefined): boolean =>
  /^[\p{Lu}\p{N}]/u.test(text.slice(start, end)) ||
  (next !== undefined && /^\p{N}/u.test(text.slice(next.start, next.end)));

/** A capital inside a word or after the beginning, or a number in it or after it: "iPhone", "apollo 2". */
const isName = (text: string, { start, end }: Word, next: Word | undefined, isFirst: boolean): boolean => {
  const word = text.slice(start, end);
  if (/^\p{N}+$/u.test(word)) return false;
  if (/\p{L}.*[\p{Lu}\p{N}]/u.test(word) || (!isFirst && /^\p{Lu}/u.test(word))) return true;
  return next !== undefined && /^\p{N}/u.test(text.slice(next.start, next.end));
};

/**
 * The question before with a part of another one in place of its counterpart: what shares a word with it, follows the same preposition, or is a
 * name too. What follows another preposition is added.
 */
const withPart = (before: string, { rest, ...read }: References): string | undefined => {
  const part = rest.replace(END, '');
  const [own] = phrasesIn(part, read, false);
  const partWords = part.slice(namingWordsIn(part, read).find(({ isContent }) => isContent)?.start);
  if (own === undefined) return undefined;
  const phrases = phrasesIn(before, read);
  const put = (text: string, { start, end }: Span) => `${before.slice(0, start)}${text}${before.slice(end)}`;
  const stems = own.words.map(({ word }) => stem(word));
  for (const { words, end, article } of phrases) {
    const at = words.findIndex(({ word }) => stems.includes(stem(word)));
    const first = words[Math.max(0, at - stems.indexOf(stem(words[at]?.word ?? '')))];
    if (at < 0 || first === undefined) continue;
    // Only the word before it differs: "this month" in place of "last month".
    const isOther = words.every(({ word }) => stems.includes(stem(word))) && own.article !== undefined;
    return isOther && article !== undefined
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
