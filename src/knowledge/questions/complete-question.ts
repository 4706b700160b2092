import { beginsAsQuestion } from '../../text/question-forms.ts';
import { refersBack, type TurnBefore } from '../../text/refers-back.ts';
import { carrySubject, placeOf, subjectOf } from './carry-subject.ts';

/**
 * Writes a question that refers back as one that stands alone, by rules for English: a fragment replaces its counterpart in the previous
 * question, a pronoun is replaced by its referent. Other languages get both questions. A question that stands alone is returned unchanged.
 */
export const completedQuestion = (question: string, before: TurnBefore | undefined): string => {
  if (before === undefined || !refersBack(question, before)) return question;
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
