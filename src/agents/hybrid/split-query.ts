import { type Clause, carrySubject, type StandaloneClause } from '../../knowledge/questions/carry-subject.ts';
import { ASPECTS, NO_NOUNS } from '../../knowledge/questions/word-lists.ts';
import { assignType, STRONG_CUE } from './assign-type.ts';
import { clausesOf, isRequest } from './clauses-of.ts';
import { sentencesOf } from './sentences-of.ts';
import type { SourceType } from './source-type.ts';

/** A part of a question, and the kind of source that it needs. */
export interface PartialQuery {
  type: SourceType;
  /** Understandable without the other parts, 1 to 4,000 characters. */
  query: string;
}

/**
 * Splits a question into parts that each need one kind of source, by its words alone. A question that asks for one
 * thing comes back whole, as it was asked; what only explains a question, or adds to it, stays with it.
 *
 * @param question 1 to 4,000 characters.
 * @returns At least one part, in the order of the question.
 */
export const splitQuery = (question: string): PartialQuery[] => {
  const parts: Draft[] = [];
  const earlier: string[] = [];
  for (const sentence of sentencesOf(question, MAX_SENTENCES)) {
    const clauses = clausesOf(sentence);
    for (const [place, clause] of clauses.entries()) {
      const carried = carrySubject(clause, { earlier: earlier.slice(-MAX_LOOK_BACK), sentence: clauses });
      earlier.push(carried.text);
      const last = parts.at(-1);
      const text = last && additionTo(last, { clause, carried, isSameSentence: place > 0 });
      if (last === undefined || text === undefined) {
        const { type } = assignType(carried.text);
        parts.push({ type, query: carried.text.slice(0, MAX_QUERY), isStatement: isStatement(clause, carried.text) });
        continue;
      }
      last.query = together(last.query, text, place > 0);
      last.type = assignType(last.query).type;
      last.isStatement = false;
    }
  }
  if (parts.length > 1) return parts.map(({ type, query }) => ({ type, query }));
  return [{ type: assignType(question).type, query: question }];
};

interface Draft extends PartialQuery {
  /** Whether it tells something that the next part may be about. */
  isStatement: boolean;
}

/** What a clause adds to the part before it; `undefined` when it is a part of its own. */
const additionTo = (
  last: Draft,
  { clause, carried, isSameSentence }: { clause: Clause; carried: StandaloneClause; isSameSentence: boolean },
): string | undefined => {
  const { type, score } = assignType(carried.text);
  const isClose = last.type === type || score < STRONG_CUE;
  const isAside = isClose || /^(?:check|search|look|sort|group|quote|list|show)\b/i.test(clause.text);
  if (clause.form === 'question' && saysNothingItself(clause.text) && isAside && !isAbout(carried, score))
    return clause.text;
  if (last.isStatement && isClose) return carried.text;
  // A text that treats both sides of one matter is the better answer.
  const isOtherSide = isSameSentence && carried.isDependent && type === 'semantic' && last.type === 'semantic';
  return isOtherSide ? carried.text : undefined;
};

const MAX_QUERY = 4000;
const MAX_SENTENCES = 40;
/** Clauses; nobody remembers more. */
const MAX_LOOK_BACK = 8;

const together = (one: string, other: string, isSameSentence: boolean): string =>
  (isSameSentence ? `${one.replace(/[\s?.!]+$/, '')} and ${other}` : `${one} ${other}`).slice(0, MAX_QUERY);

/** It leans on what was named before, and asks something of its own about it. */
const isAbout = ({ isDependent }: StandaloneClause, score: number): boolean => isDependent && score >= STRONG_CUE;

/** `what now?`, `quote the passages`: there is no thing in it that a source could be asked about. */
const saysNothingItself = (clause: string): boolean =>
  (clause.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []).every(
    (word) => NO_NOUNS.has(word) || ASPECTS.has(word) || /n['’]t$/.test(word),
  );

/** It tells something and asks nothing: `I moved house`. */
const isStatement = ({ text, form }: Clause, carried: string): boolean =>
  form === 'question' && !text.trim().endsWith('?') && !isRequest(text) && assignType(carried).score < STRONG_CUE;
