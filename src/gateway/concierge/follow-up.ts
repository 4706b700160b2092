import * as z from 'zod';
import { readAs } from '../../contract/error-info.ts';
import type { Context } from '../../contract/librarian.ts';
import { carrySubject, placeOf, subjectOf } from '../../knowledge/questions/carry-subject.ts';
import { beginsAsQuestion, namesItsSubject, pointsBack } from '../../text/question-forms.ts';

/** The last turn before a question. */
export interface TurnBefore {
  question: string;
  /** Id of the librarian that answered, if known. */
  librarian: string | undefined;
}

const History = z
  .array(
    z.object({
      speaker: z.enum(['user', 'assistant']),
      text: z.string().max(8000),
      librarian: z.string().max(64).optional(),
    }),
  )
  .max(20);

/** The last turn in `metadata.history`. It comes from the caller, so malformed entries are ignored. */
export const turnBefore = (context: Context | undefined): TurnBefore | undefined => {
  const history = readAs(History, context?.metadata?.history);
  if (!history.ok) return undefined;
  const question = history.value.findLast(({ speaker }) => speaker === 'user')?.text.slice(0, MAX_BEFORE);
  const librarian = history.value.findLast(({ speaker }) => speaker === 'assistant')?.librarian;
  return question === undefined ? undefined : { question, librarian };
};

const MAX_BEFORE = 500;
/** A longer message is a standalone question. In UTF-16 units. */
const MAX_FOLLOW_UP = 300;

/** Whether a question is a follow-up: it points back, continues the previous turn, or names nothing by itself. */
export const isFollowUp = (question: string): boolean =>
  question.length <= MAX_FOLLOW_UP && (pointsBack(question) || isFragment(question) || !namesItsSubject(question));

/** `and in April?`: not a question by itself, but a part of one. */
const isFragment = (question: string): boolean => GOES_ON.test(question) && !beginsAsQuestion(question);

const GOES_ON = /^\s*(?:(?:ok(?:ay)?|so|then)\b[\s,]*)?(?:and|or|but|also|what about|how about)\b/i;

/**
 * Rewrites a follow-up question for a librarian that does not read the history: a fragment replaces its counterpart in the
 * previous question, a pronoun is replaced by its referent. Standalone questions are returned unchanged.
 */
export const completedQuestion = (question: string, before: TurnBefore | undefined): string => {
  if (before === undefined || !isFollowUp(question)) return question;
  const part = question.replace(LEAD, '').replace(/[\s?.!]+$/, '');
  if (part !== '' && !beginsAsQuestion(part)) return withPart(before.question, part);
  const clause = { text: question, form: 'question' as const };
  return carrySubject(clause, { earlier: [before.question], sentence: [clause] }).text;
};

const LEAD = /^\s*(?:(?:ok(?:ay)?|so|then|and|or|but|also)\b[\s,]*)*(?:(?:what|how)\s+about\s+)?/i;
const PREPOSITION = /^(on|for|with|in|at|from|to|of|about|since|until|during)\s+/i;
const ARTICLE = /^(?:the|an?|my|our|your)\s+/i;

/**
 * The previous question with the fragment in place of its counterpart: the same kind of thing (`last month`, `this month`), the
 * object of the same preposition, its name, or its place.
 */
const withPart = (before: string, part: string): string => {
  const [, preposition] = PREPOSITION.exec(part) ?? [];
  const named = part.replace(PREPOSITION, '').replace(ARTICLE, '');
  const last = named.split(/\s+/).at(-1) ?? '';
  const subject = subjectOf(before);
  const replaced =
    before.match(new RegExp(`\\p{L}+\\s+${escaped(last)}(?![\\p{L}\\p{N}])`, 'iu'))?.[0] ??
    (preposition && before.match(new RegExp(`(?<=\\b${preposition}\\s+(?:the\\s+)?)[\\p{L}\\p{N}]+`, 'iu'))?.[0]) ??
    (subject?.isName === true ? subject.noun : placeOf(before)?.replace(PREPOSITION, ''));
  return replaced === undefined ? `${before} ${part}?` : before.replace(replaced, () => named);
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
