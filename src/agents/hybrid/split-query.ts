import { assignType } from './assign-type.ts';
import { carrySubject } from './carry-subject.ts';
import { clausesOf } from './clauses-of.ts';
import { sentencesOf } from './sentences-of.ts';
import type { SourceType } from './source-type.ts';

/** A part of a question, and the kind of source that it needs. */
export interface PartialQuery {
  type: SourceType;
  /** Understandable without the other parts, 1 to 4,000 characters. */
  query: string;
}

/**
 * Splits a question into parts that each need one kind of source, by its words alone (docs of the rules: `clausesOf`,
 * `carrySubject`, `assignType`). A question that asks for one thing comes back whole, as it was asked.
 *
 * @param question 1 to 4,000 characters.
 * @returns At least one part, in the order of the question.
 */
export const splitQuery = (question: string): PartialQuery[] => {
  const parts: PartialQuery[] = [];
  const earlier: string[] = [];
  for (const sentence of sentencesOf(question)) {
    const clauses = clausesOf(sentence);
    for (const [place, clause] of clauses.entries()) {
      const { text, isDependent } = carrySubject(clause, { earlier, sentence: clauses });
      const part = { type: assignType(text).type, query: text.slice(0, MAX_QUERY) };
      const last = parts.at(-1);
      // Two sides of one matter are found together: a text that treats both is the better answer.
      if (place > 0 && isDependent && part.type === 'semantic' && last?.type === 'semantic')
        last.query = `${last.query.replace(/[\s?.!]+$/, '')} and ${part.query}`.slice(0, MAX_QUERY);
      else parts.push(part);
      earlier.push(text);
    }
  }
  return parts.length > 1 ? parts : [{ type: assignType(question).type, query: question }];
};

const MAX_QUERY = 4000;
