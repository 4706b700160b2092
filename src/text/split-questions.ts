import { askingIn, jointsIn, refersBack } from './refers-back.ts';
import { type Span, splitSentences } from './split-sentences.ts';

/** Longest message that is split, in UTF-16 units; a longer one is no list of questions. */
const MAX_LENGTH = 4000;
/** A sentence is not searched for further clauses behind this many joints. */
const MAX_JOINTS = 60;

/**
 * Splits a message into its questions, each with its introduction, so that each stands alone. A question that refers back (`and its price?`)
 * stays with the previous one. When in doubt the message stays whole: a missed split costs less than a wrong one.
 */
export const questionsIn = (message: string): string[] => {
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
    if (last !== undefined && refersBack(text, { question: last })) questions[questions.length - 1] = `${last} ${text}`;
    else questions.push(text);
  }
  if (questions.length < 2) return [message];
  return introduction === '' ? questions : [...questions.slice(0, -1), `${questions.at(-1)} ${introduction}`];
};

/** Whether a text, or a part of one, names a subject: at least two content words, or one within a sentence. */
export const namesSubject = (text: string, whole: string = text): boolean => {
  const { subjects, words } = askingIn(text, whole);
  return subjects >= 2 || (subjects === 1 && words >= LONG_ENOUGH);
};

const LONG_ENOUGH = 4;

/** A question mark ends a sentence even when the next begins in lower case. */
const sentencesIn = (message: string): string[] => {
  if (message.length > MAX_LENGTH) return [message];
  return splitSentences(message).flatMap(({ start, end }) =>
    message.slice(start, end).split(/(?<=[?？])\s*(?=[¿\p{L}])/u),
  );
};

/** The clauses of a text that may be questions of their own, in order: what stands between its joints and the ends of its sentences. */
export const clausesIn = (text: string): Span[] => {
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
};
