import { memo } from '../platform/lru-cache.ts';
import { isCode } from './analyse-text.ts';
import {
  beginsAsking,
  isAsking,
  isContentWord,
  isOther,
  readQuestion,
  refersBack,
} from './refers-back.ts';
import { type Span, splitSentences } from './split-sentences.ts';
import { languagesOf, type Word, wordsIn, wordsOfClass } from './word-classes.ts';

/** Longest message that is split, in UTF-16 units; a longer one is no list of questions. */
const MAX_LENGTH = 4000;
/** A sentence is not searched for further clauses behind this many joints. */
const MAX_JOINTS = 60;

/**
 * Splits a message into its questions, each with its introduction, so that each stands alone. A question that refers back (`and its price?`)
 * stays with the previous one. When in doubt the message stays whole: a missed split costs less than a wrong one.
 */
export function questionsIn(message: string): string[] {
  const questions: string[] = [];
  let introduction = '';
  for (const sentence of sentencesIn(message)) {
    const text = introduction === '' ? sentence : `${introduction} ${sentence}`;
    const last = questions.at(-1);
    const isAsking = /[?？]["”’»)\]]*$/.test(sentence) || askingIn(sentence, message).beginsAsking;
    if (!isAsking || (last !== undefined && !namesSubject(text, message))) {
      introduction = text;
      continue;
    }
    introduction = '';
    if (last !== undefined && refersBack(text, { question: last }))
      questions[questions.length - 1] = `${last} ${text}`;
    else questions.push(text);
  }
  if (questions.length < 2) return [message];
  return introduction === ''
    ? questions
    : [...questions.slice(0, -1), `${questions.at(-1)} ${introduction}`];
}

/** A question that is asked together with others. */
export interface QuestionPart {
  text: string;
  /** The part beside it: the one before, for the first one the next. */
  context: string;
  /** It names too little by itself, as `how do I reset it` does. */
  lacksSubject: boolean;
}

/**
 * The questions that a message asks at once, in order, at most four: `How long is the warranty, and
 * how do I reset it?` What stands before the first belongs to it. A message that names nothing but
 * codes asks for each of them (`E21 and F07?`). A clause after a mere comma, and one without a
 * content word, stay with the clause before.
 *
 * @returns Empty for a message with a single question.
 */
export function questionPartsIn(message: string): QuestionPart[] {
  if (message.length > MAX_LENGTH) return [];
  const language = languagesOf(message)[0] ?? 'en';
  // In languages whose question words stand anywhere, only the mark tells a question.
  const needsMark = wordsOfClass('verbs', language).length === 0;
  const subjects = wordsIn(message, language).filter(({ isContent }) => isContent);
  const codes = new Map(subjects.map(({ word, start, end }) => [word, message.slice(start, end)]));
  if (codes.size > 1 && codes.size <= MAX_PARTS && [...codes.keys()].every(isCode))
    return [...codes.values()].map((text) => ({ text, context: message, lacksSubject: false }));
  const clauses = clausesIn(message).flatMap((clause) => spansBetween(message, clause));
  const starts = clauses.filter(({ start, end }, at) => {
    const text = message.slice(start, end);
    // A condition stays with its question anyway: what follows a comma begins no part.
    const asking = askingIn(text, ` ${message}`);
    const isJoined =
      /^\s*[,，、]?\s*$/u.test(message.slice(clauses[at - 1]?.end ?? 0, start)) && at > 0;
    const isSentence = SENTENCE_END.test(message.slice(0, start));
    const [mark] = /[.!?。！？](?=["”’»)\]]*(?:\s|$))/u.exec(message.slice(start)) ?? [''];
    const isAsked = /[?？]/.test(mark) || (mark === '' && !needsMark);
    return asking.beginsAsking && asking.subjects > 0 && isAsked && (!isJoined || isSentence);
  });
  if (starts.length < 2 || starts.length > MAX_PARTS) return [];
  const texts = starts.map((start, at) => {
    const next = clauses.indexOf(starts[at + 1] ?? start);
    const end = at + 1 < starts.length ? clauses[next - 1]?.end : undefined;
    return message.slice(at === 0 ? 0 : start.start, end).trim();
  });
  return texts.map((text, at) => ({
    text,
    context: texts[at === 0 ? 1 : at - 1] ?? '',
    lacksSubject: askingIn(text, message).subjects < 2 || refersBack(text, { question: message }),
  }));
}

/** More questions at once are a list. */
const MAX_PARTS = 4;
const SENTENCE_END = /[.!?:。！？：]["”’»)\]]*\s*$/u;

/** Also splits a clause where a sentence ends before a word in lower case, and at a dash. */
const spansBetween = (message: string, { start, end }: Span): Span[] => {
  const spans: Span[] = [];
  let from = start;
  for (const { index, 0: gap } of message
    .slice(start, end)
    .matchAll(/(?<=[?？.:!])\s+(?=\S)|\s+[-–—]\s+/gu)) {
    spans.push({ start: from, end: start + index });
    from = start + index + gap.length;
  }
  return [...spans, { start: from, end }];
};

/** Whether a text, or a part of one, names a subject: at least two content words, or one within a sentence. */
export function namesSubject(text: string, whole: string = text): boolean {
  const { subjects, words } = askingIn(text, whole);
  return subjects >= 2 || (subjects === 1 && words >= LONG_ENOUGH);
}

const LONG_ENOUGH = 4;

/** A question mark ends a sentence even when the next begins in lower case. */
const sentencesIn = (message: string): string[] => {
  if (message.length > MAX_LENGTH) return [message];
  return splitSentences(message).flatMap(({ start, end }) =>
    message.slice(start, end).split(/(?<=[?？])\s*(?=[¿\p{L}])/u),
  );
};

/** The clauses of a text that may be questions of their own, in order: what stands between its joints and the ends of its sentences. */
export function clausesIn(text: string): Span[] {
  const clauses: Span[] = [];
  let start = 0;
  const close = (end: number, next: number) => {
    if (/[\p{L}\p{N}]/u.test(text.slice(start, end))) clauses.push({ start, end });
    start = next;
  };
  const joints = jointsIn(text.slice(0, MAX_LENGTH)).slice(0, MAX_JOINTS);
  for (const sentence of splitSentences(text)) {
    for (const { index, 0: joint } of joints) {
      if (index >= start && index < sentence.end) close(index, index + joint.length);
    }
    close(sentence.end, sentence.end);
  }
  return clauses;
}

/** How a text or a part of it asks. */
interface Asking {
  /** It begins as a question or request does, after words such as "and" and "please". */
  beginsAsking: boolean;
  /** It begins with a preposition: the rest of a clause. */
  goesOn: boolean;
  /** It begins with a function word such as an article, and asks nothing: it names something. */
  isPhrase: boolean;
  /** It begins with a word such as "which" or "when", which after a comma tells more of what stands before it. */
  isRelative: boolean;
  /** Words that name a subject. */
  subjects: number;
  words: number;
}

/** Reads how a text asks, in the language of the text that it belongs to. */
export function askingIn(text: string, whole: string = text): Asking {
  const language = languagesOf(whole)[0] ?? 'en';
  const { words } = readQuestion(text, language);
  const first = words.findIndex((word) => !isOther(word));
  const own = words.slice(Math.max(0, first));
  const asking = own.findIndex(({ classes }) => isAsking(classes) || !classes.has('prepositions'));
  const isJoint = (word: Word | undefined) => word?.classes.has('subordinators') === true;
  // "When I open it, ..." is a condition, "when is it open" is a question.
  const isCondition =
    isJoint(own[asking]) &&
    !isAsking(own[asking + 1]?.classes ?? new Set()) &&
    whole.startsWith(`${text},`);
  return {
    // In languages whose question words stand anywhere, any clause may ask.
    beginsAsking:
      wordsOfClass('verbs', language).length === 0
        ? words.length > 2
        : beginsAsking(own) && !isCondition,
    goesOn: own[0]?.classes.has('prepositions') === true,
    isPhrase: own[0] !== undefined && !own[0].isContent && !isAsking(own[0].classes),
    isRelative: isJoint(own[0]),
    subjects: words.filter(isContentWord).length,
    words: words.length,
  };
}

/** The joints between clauses of a text: "and", a comma. */
const jointsIn = (text: string): RegExpExecArray[] => {
  return [...text.matchAll(jointOf(languagesOf(text)[0] ?? 'en'))];
};

const jointOf = memo(
  (language: string) => {
    const phrases = wordsOfClass('coordinators', language).map((phrase) =>
      phrase.replaceAll('-', '\\s+'),
    );
    const any = [...phrases, '&'].join('|');
    return new RegExp(
      `\\s*[;；，、]\\s*|,?\\s+(?:(?:${any}),?\\s+){1,3}|,\\s+(?:(?:${any})\\s+)?`,
      'giu',
    );
  },
  { max: 20 },
);
