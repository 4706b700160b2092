import { memo, SHORT_TEXTS } from '../platform/lru-cache.ts';
import { smallTalkIn, withoutSmallTalk } from './small-talk.ts';
import { isPronoun, languagesOf, type Word, wordsIn, wordsOfClass } from './word-classes.ts';

/**
 * What a question takes from the turns before it: `nothing`, it is read alone; `thing`, a pronoun stands for something that was named
 * before, but the question asks something of its own ("Is it covered by the warranty?"); `question`, it has no subject of its own and
 * continues the question before ("And in Canada?", "How long does that take?").
 */
type Reference = 'nothing' | 'thing' | 'question';

/** The turn before a question. */
export interface TurnBefore {
  /** The previous question of the same person, which tells the language of a message of one or two words. */
  question: string;
  /** Its answer; what is said after one that ends with a question mark replies to it. */
  answer?: string | undefined;
}

/** A question as a continuation of another one. */
export interface Reading {
  language: string;
  /** The question without what it begins with to continue another: "And on the II?" is about "on the II?". */
  rest: string;
  words: readonly Word[];
  /** What `rest` leaves out, when it leaves the rest of a question out: "what about", "what if". */
  lead: string;
  isContinued: boolean;
  /** It is only a part of a question. */
  isPart: boolean;
}

/** Reads a question without thanks, greetings and marks at its beginning. */
export function readQuestion(question: string, language: string): Reading {
  return readingsIn(language)(question);
}

/** Cached by language: some 200 kB each. */
const readingsIn = memo(
  (language: string) => memo((question: string) => readAlone(question, language), SHORT_TEXTS),
  {
    max: 8,
  },
);

const readAlone = (question: string, language: string): Reading => {
  const text = withoutSmallTalk(question)
    .replace(/[’ʼ`´]/g, "'")
    .replace(/^[\s¿¡"'“„«(-]+/u, '')
    .trim();
  const words = wordsIn(text, language);
  const continued = continuationEnd(words);
  const open = openEnd(words, continued, wordsOfClass('prepositions', language)[0]);
  const first = Math.max(continued, open);
  const rest = words.slice(first);
  const isOpen = open > 0;
  return {
    language,
    rest: text.slice(first === 0 ? 0 : rest[0]?.start),
    words: rest.map((word) => ({
      ...word,
      start: word.start - shift(first, rest),
      end: word.end - shift(first, rest),
    })),
    lead: isOpen ? text.slice(words[continued]?.start, rest[0]?.start) : '',
    isContinued: continued > 0 || isOpen,
    isPart: isOpen || (continued > 0 && !beginsAsking(rest)),
  };
};

const shift = (first: number, rest: readonly Word[]): number =>
  first === 0 ? 0 : (rest[0]?.start ?? 0);

/** The first word after those that continue another question, such as "ok, and"; 0 when there are none, or nothing else. */
const continuationEnd = (words: readonly Word[]): number => {
  let end = 0;
  for (const [at, { classes, isContent }] of words.slice(0, MAX_LEAD).entries()) {
    if (classes.has('coordinators')) end = at + 1;
    else if (isContent || isAsking(classes) || classes.has('prepositions') || isReferring(classes))
      break;
  }
  return end < words.length ? end : 0;
};
const MAX_LEAD = 4;

/**
 * The first word after "what about" or "what if", which leave out what is asked; 0 when it does not begin so.
 *
 * @param topical The preposition of what a question is about: "what about", "was ist mit", "qué pasa con".
 */
const openEnd = (words: readonly Word[], start: number, topical: string | undefined): number => {
  for (let at = start; at < words.length && at < start + MAX_LEAD; at++) {
    const { word, classes, isContent } = words[at] as Word;
    const isAfterQuestion = at > start && words[start]?.classes.has('questions') === true;
    const isCondition =
      at === start + 1 && classes.has('subordinators') && !classes.has('questions');
    if (isAfterQuestion && (word === topical || isCondition))
      return at + 1 < words.length ? at + 1 : 0;
    if (isContent || isReferring(classes)) return 0;
  }
  return 0;
};

export function isAsking(classes: Word['classes']): boolean {
  return classes.has('questions') || classes.has('verbs');
}
export function isContentWord({ isContent }: Word): boolean {
  return isContent;
}
/** A function word of no particular class: "only", "please". */
export function isOther({ classes, isContent }: Word): boolean {
  return !isContent && (classes.size === 0 || classes.has('others'));
}
const isReferring = (classes: Word['classes']): boolean =>
  classes.has('pronouns') || classes.has('demonstratives');
export function beginsAsking(words: readonly Word[]): boolean {
  const first = words.find(
    (word) => isAsking(word.classes) || !(word.classes.has('prepositions') || isOther(word)),
  );
  return first !== undefined && isAsking(first.classes);
}

/** A longer message explains itself. In UTF-16 units. */
const MAX_LENGTH = 300;
/** Content words from which on a question with a pronoun asks something of its own. */
const OWN_WORDS = 2;
/** Content words from which on a question explains itself, whatever its pronouns mean. */
const OWN_SUBJECT = 5;
/** Words of the longest part of a question. */
const MAX_FRAGMENT = 6;

/**
 * Decides whether a question refers to the conversation before it. Every part that reads a conversation asks here, and a question that does
 * not refer back is read alone. Pure.
 *
 * @param message As written, with or without thanks or a greeting before the question.
 */
export function referenceIn(
  message: string,
  { question: before, answer = '' }: TurnBefore = { question: '' },
): Reference {
  if (message.length > MAX_LENGTH) return 'nothing';
  for (const language of languagesOf(message, before)) {
    const reading = readQuestion(message, language);
    const reference = referenceInWords(reading);
    if (reference !== 'nothing') return reference;
    // Something that is said when a question was asked back, and no question itself, replies to it.
    const isStatement = !/[?？]/.test(message) && !beginsAsking(reading.words);
    if (isStatement && /[?？]\s*$/.test(answer)) return 'question';
  }
  return 'nothing';
}

/** Whether a question refers to the conversation before it. */
export function refersBack(message: string, before?: TurnBefore): boolean {
  return referenceIn(message, before) !== 'nothing';
}

const referenceInWords = (reading: Reading): Reference => {
  const { rest, words, lead, isContinued } = reading;
  const subjects = words.filter(({ isContent }) => isContent).length;
  const hasVerb = words.some(({ classes }) => classes.has('verbs'));
  const hasQuestionWord = words.some(({ classes }) => classes.has('questions'));
  const hasMark = /[?？]["”’»)\]]*$/.test(rest);
  const isQuestion = hasVerb || hasQuestionWord || hasMark;
  const isShort = words.length <= MAX_FRAGMENT;
  const byWords: Reference = subjects >= OWN_WORDS ? 'thing' : 'question';
  const [first] = words;
  if (lead !== '') return 'question';
  if (isContinued) {
    // "And if it fails?"
    if (first?.classes.has('subordinators') === true && !isAsking(first.classes)) return byWords;
    if (!beginsAsking(words) && (hasMark || isShort)) return 'question';
    if (beginsAsking(words) && subjects < OWN_WORDS) return subjects === 0 ? 'question' : 'thing';
  }
  if (subjects < OWN_SUBJECT && openPronouns(reading).length > 0)
    return subjects === 0 && !isQuestion ? 'nothing' : byWords;
  if (subjects === 0) return isQuestion ? 'question' : 'nothing';
  // "In Canada?", "With which product?", "Which size?", "カナダは？"
  const last = words.at(-1);
  const hasTopic = wordsOfClass('endings', reading.language).some((ending) =>
    last?.word.endsWith(ending),
  );
  const leading = words.find((word) => !isOther(word));
  const isAsked = words.every(
    ({ isContent, classes }) => isContent || PHRASE.some((name) => classes.has(name)),
  );
  const isPart =
    hasTopic ||
    leading?.classes.has('prepositions') === true ||
    (hasQuestionWord && hasMark && isAsked);
  return isShort && !hasVerb && isPart && (!hasQuestionWord || subjects < OWN_WORDS)
    ? 'question'
    : 'nothing';
};

/** All function words of a part such as "With which size?", which has no verb. */
const PHRASE = ['questions', 'prepositions', 'determiners'] as const;

/** All pronouns of a question, whatever they mean. */
export function pronounsIn({
  rest,
  words,
  language,
}: Pick<Reading, 'rest' | 'words' | 'language'>): Word[] {
  return words.filter((_, at) => isPronoun(words, at, rest, language));
}

/** After more content words, a pronoun means one of them: "My Apollo III has firmware 4 on it." */
const MAX_BEFORE_PRONOUN = 4;

/** The pronouns of which nothing in the message itself can be meant: no content word stands in a clause before them. */
export function openPronouns({ rest, words, language }: Reading): Word[] {
  let clauseStart = 0;
  const open: Word[] = [];
  for (const [at, word] of words.entries()) {
    if (at > 0 && /[.,;:!?，。；！？\n]/.test(rest.slice(words[at - 1]?.end, word.start)))
      clauseStart = at;
    // A possessive may mean a subject of its own clause: "Does the shop have its own app?"
    const namesBefore = words.slice(0, at).filter(isContentWord).length;
    const isLate = namesBefore >= (word.classes.has('determiners') ? 1 : MAX_BEFORE_PRONOUN);
    const isExplained = isLate || words.slice(0, clauseStart).some(isContentWord);
    if (!isExplained && isPronoun(words, at, rest, language)) open.push(word);
    if (word.classes.has('coordinators') || word.classes.has('subordinators')) clauseStart = at + 1;
  }
  return open;
}

/** A question without the words that continue the one before it: "And what about shipping?" is about "shipping?". */
export function withoutContinuation(text: string): string {
  return readQuestion(text, languagesOf(text)[0] ?? 'en').rest || text;
}

/** Whether a text has words and none of them names a subject, as in "It does not work". */
export function namesNoSubject(text: string): boolean {
  return languagesOf(text).some((language) => {
    const words = wordsIn(text, language);
    return words.length > 0 && words.every(({ isContent }) => !isContent);
  });
}

/**
 * The turns that a question is read with: none unless it refers back. Thanks, greetings and requests for a person are left out with their
 * replies, so that "and in Canada?" after "thanks!" continues the question before.
 */
export function turnsFor<Turn extends { speaker: 'user' | 'assistant'; text: string }>(
  question: string,
  turns: readonly Turn[],
): Turn[] {
  const asked: Turn[] = [];
  let isQuestion = true;
  for (const turn of turns) {
    if (turn.speaker === 'user') isQuestion = smallTalkIn(turn.text) === undefined;
    if (isQuestion) asked.push(turn);
  }
  return asked.length > 0 && refersBack(question, lastOf(asked)) ? asked : [];
}

/** The last question in a history, and what was answered to it. */
export function lastOf(
  turns: readonly { speaker: 'user' | 'assistant'; text: string }[],
): TurnBefore | undefined {
  const at = turns.findLastIndex(({ speaker }) => speaker === 'user');
  return at < 0
    ? undefined
    : { question: turns[at]?.text ?? '', answer: turns.slice(at + 1).at(-1)?.text };
}
