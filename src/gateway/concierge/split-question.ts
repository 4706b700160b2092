import { type Candidates, type Choice, chooseLibrarian } from '../../search/librarian-routing.ts';
import {
  beginsAsQuestion,
  isBareRequest,
  isNamedThing,
  isOwnQuestion,
  isQuestion,
  namesItsSubject,
  pointsBack,
  tells,
} from '../../text/question-forms.ts';
import { type Span, splitSentences } from '../../text/split-sentences.ts';

/** A part of a message, and the librarian it goes to. */
export interface Part {
  query: string;
  to: string;
}

/**
 * Splits a message into its questions, each with its introduction, so that each stands alone. A question that points back (`and
 * its price?`) stays with the previous one. When in doubt the message stays whole: a missed split costs less than a wrong one.
 */
export const questionsOf = (message: string): string[] => {
  const questions: string[] = [];
  let introduction: string[] = [];
  for (const sentence of sentencesOf(message)) {
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

/** Longest message that is split, in UTF-16 units; a longer one is no list of questions. */
const MAX_LENGTH = 2000;

/** A question mark ends a sentence even when the next begins in lower case. */
const sentencesOf = (message: string): string[] => {
  if (message.length > MAX_LENGTH) return [message];
  return splitSentences(message).flatMap(({ start, end }) => message.slice(start, end).split(/(?<=\?)\s+(?=\p{L})/u));
};

/** An introduction that names a subject carries its question; otherwise the question must name it. */
const standsAlone = (introduction: string, sentence: string): boolean =>
  namesItsSubject(introduction)
    ? !pointsBack(introduction)
    : namesItsSubject(sentence) && beginsAsQuestion(sentence) && !pointsBack(sentence);

/** The librarians that one question needs. */
type Kinds =
  /** Several librarians; `parts` only if each can be answered alone. */
  { isSeveral: true; combiner: string | undefined; parts: Part[] | undefined } | { isSeveral: false };

/** Margin by which a clause must fit another librarian better than that of the previous clauses, and the sum of both margins. */
const LEAD_OF_A_KIND = 0.1;
const LEAD_OF_BOTH = 1;

/**
 * Detects a question that needs several kinds of librarians: two of its clauses clearly fit different ones, or it resembles the
 * examples of a hybrid librarian. A clause with too few words stays with the previous one (`drag and drop`, `in May and in
 * June`).
 */
export const splitByKind = (question: string, candidates: Candidates): Kinds => {
  const { parts, kinds } = partsByKind(question, candidates);
  if (kinds < 2) return { isSeveral: false };
  const combiner = combinerFor(question, candidates);
  if (parts.length < 2) {
    return combiner.isLikely ? { isSeveral: true, combiner: combiner.id, parts: undefined } : { isSeveral: false };
  }
  const canStandAlone = parts.every(({ query }, place) => isOwnQuestion(query) && (place === 0 || !pointsBack(query)));
  return { isSeveral: true, combiner: combiner.id, parts: canStandAlone ? parts : undefined };
};

/** The parts that clearly differ, and the number of librarians that any clause fits. */
const partsByKind = (question: string, candidates: Candidates): { parts: Part[]; kinds: number } => {
  const clauses = clausesOf(question);
  if (clauses.length < 2) return { parts: [], kinds: 0 };
  const kinds = new Set<string | undefined>();
  const parts: { start: number; end: number; own: Choice | undefined }[] = [];
  const isRequest = isBareRequest(question);
  // A list of things without a question or a verb, such as `stock of fans, reviews on the web`.
  const isList = !tells(question) && clauses.every(({ start, end }) => !beginsAsQuestion(question.slice(start, end)));
  for (const { start, end } of clauses) {
    const clause = question.slice(start, end);
    const choice = chooseLibrarian(clause, candidates.index, candidates.defaultLibrarian);
    // In `how do I open the page and check the version` the second verb depends on the first.
    const mayAsk = isRequest || !isBareRequest(clause);
    const saysIt =
      saysEnough(clause, choice, candidates) ||
      (isList && choice.isClear && (start === 0 ? namesItsSubject(clause) : isNamedThing(clause)));
    const own = mayAsk && saysIt ? choice : undefined;
    if (own !== undefined) kinds.add(own.to);
    const last = parts.at(-1);
    if (last === undefined || (last.own !== undefined && own !== undefined && areOther(last.own, own))) {
      parts.push({ start, end, own });
    } else {
      last.end = end;
      // Everything so far was only the introduction.
      last.own ??= own;
    }
  }
  return {
    parts: parts.map(({ start, end, own }) => ({ query: question.slice(start, end), to: own?.to ?? '' })),
    kinds: kinds.size,
  };
};

const saysEnough = (clause: string, { to }: Choice, { defaultLibrarian }: Candidates): boolean =>
  to !== undefined && (isOwnQuestion(clause) || (to !== defaultLibrarian && isNamedThing(clause)));

/** Whether each of two clauses fits its own librarian better than the other's. */
const areOther = (one: Choice, other: Choice): boolean => {
  if (one.to === undefined || other.to === undefined || one.to === other.to) return false;
  const leads = [
    one.strengthOf(one.to) - one.strengthOf(other.to),
    other.strengthOf(other.to) - other.strengthOf(one.to),
  ] as const;
  return Math.min(...leads) >= LEAD_OF_A_KIND && leads[0] + leads[1] >= LEAD_OF_BOTH;
};

/** The hybrid librarian with the nearest examples; likely when they are nearer than those of all others. */
const combinerFor = (question: string, candidates: Candidates): { id: string | undefined; isLikely: boolean } => {
  const { combiners } = candidates;
  if (combiners.length === 0) return { id: undefined, isLikely: false };
  const { to, strengthOf } = chooseLibrarian(question, candidates.fullIndex(), candidates.defaultLibrarian);
  const [best] = [...combiners].sort((left, right) => strengthOf(right) - strengthOf(left));
  return { id: best, isLikely: best !== undefined && to === best };
};

/**
 * Candidate clauses of one question that may be for different librarians, in order: `how many are in stock` and `what does the
 * warranty cover`. Their evidence decides whether they differ.
 */
const clausesOf = (question: string): Span[] => {
  const clauses: Span[] = [];
  let start = 0;
  for (const match of question.slice(0, MAX_LENGTH).matchAll(JOINT)) {
    if (match.index > start) clauses.push({ start, end: match.index });
    start = match.index + match[0].length;
  }
  return [...clauses, { start, end: question.length }];
};

/** Possible borders between the clauses of a question. */
const CONJUNCTION = 'and also|and|plus|as well as|along with|together with|but also|also';
const NEXT = 'what|which|who|when|where|why|how|is|are|do|does|did|can|could|tell|show|find|list|give|compare|search';
const NAMED = 'the|our|its|their';
const JOINT = new RegExp(
  `\\s*;\\s+|,?\\s+(?:${CONJUNCTION})\\s+|,\\s+(?=(?:please\\s+)?(?:${NEXT}|${NAMED})\\b)`,
  'gi',
);
