import { type Span, splitSentences } from '../../text/split-sentences.ts';
import { beginsAsQuestion, isQuestion, namesItsSubject, opensAnother, pointsBack } from './question-words.ts';

/**
 * The questions of a message, each with what was said to introduce it, so that each can be asked alone. One that points
 * back (`and its price?`) stays with the one before it. A message that is one question comes back whole: a split that is
 * missed costs less than one that is wrong.
 */
export const questionsOf = (message: string): string[] => {
  const questions: string[] = [];
  let introduction: string[] = [];
  for (const sentence of sentencesOf(message)) {
    const told = introduction.join(' ');
    if (questions.length === 0 && opensAnother(sentence) && isQuestion(sentence) && namesItsSubject(told)) {
      // What was told before was a question, too: `My LED is red. Also, how many fans are in stock?`
      questions.push(told);
      introduction = [];
    }
    introduction.push(sentence);
    if (!isQuestion(sentence)) continue;
    const text = introduction.join(' ');
    const last = questions.length - 1;
    if (last < 0 || standsAlone(introduction.slice(0, -1).join(' '), sentence)) questions.push(text);
    else questions[last] += ` ${text}`;
    introduction = [];
  }
  if (questions.length < 2) return [message];
  return [...questions.slice(0, -1), [questions.at(-1), ...introduction].join(' ')];
};

/**
 * The clauses of one question that might be for different librarians, in order: `how many are in stock` and `what does the
 * warranty cover`. Only candidates: whether they differ is for their evidence to say.
 */
export const clausesOf = (question: string): Span[] => {
  const clauses: Span[] = [];
  let start = 0;
  for (const match of question.slice(0, MAX_LENGTH).matchAll(JOINT)) {
    if (match.index > start) clauses.push({ start, end: match.index });
    start = match.index + match[0].length;
  }
  return [...clauses, { start, end: question.length }];
};

/** What is read of a message, in UTF-16 units; a longer one is no list of questions. */
const MAX_LENGTH = 2000;

/** A question mark ends a sentence even where the next begins in lower case. */
const sentencesOf = (message: string): string[] => {
  if (message.length > MAX_LENGTH) return [message];
  return splitSentences(message).flatMap(({ start, end }) => message.slice(start, end).split(/(?<=\?)\s+(?=\p{L})/u));
};

/** An introduction that names a subject carries its question; otherwise the question has to name it. */
const standsAlone = (introduction: string, sentence: string): boolean =>
  namesItsSubject(introduction)
    ? !pointsBack(introduction)
    : namesItsSubject(sentence) && beginsAsQuestion(sentence) && !pointsBack(sentence);

/** Where one clause of a question may end and the next begin. */
const CONJUNCTION = 'and also|and|plus|as well as|along with|together with|but also|also';
const NEXT = 'what|which|who|when|where|why|how|is|are|do|does|did|can|could|tell|show|find|list|give|compare|search';
const NAMED = 'the|our|its|their';
const JOINT = new RegExp(
  `\\s*;\\s+|,?\\s+(?:${CONJUNCTION})\\s+|,\\s+(?=(?:please\\s+)?(?:${NEXT}|${NAMED})\\b)`,
  'gi',
);
