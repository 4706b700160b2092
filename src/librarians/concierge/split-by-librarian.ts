import { referenceIn, refersBack } from '../../language/refers-back.ts';
import { askingIn, clausesIn, namesSubject } from '../../language/split-questions.ts';
import { type Choice, chooseLibrarian, type RoutingIndex } from './librarian-routing.ts';

/** A part of a question for one librarian. */
interface LibrarianPart {
  query: string;
  to: string | undefined;
  /** It is a question or request that names its subject, and does not refer to the parts before it. */
  standsAlone: boolean;
}

interface Routing {
  index: RoutingIndex;
  defaultLibrarian: string | undefined;
  /**
   * Also splits two questions for one librarian, which answers one at a time, and believes clauses of few words: for a question that is known to
   * need several kinds of source. Default: false.
   */
  splitsEqual?: boolean;
  /** Margin of `chooseLibrarian`; absent: its own. */
  least?: number | undefined;
}

/**
 * Splits a question where a clause begins that clearly fits another librarian than the clauses before it. A clause with too few words stays
 * with the previous one (`drag and drop`, `in May and in June`).
 *
 * @returns The parts, and the number of librarians that any clause fits.
 */
export function splitByLibrarian(
  question: string,
  { index, defaultLibrarian, splitsEqual = false, least }: Routing,
): { parts: LibrarianPart[]; librarians: number } {
  const clauses = clausesIn(question).map(({ start, end }) => {
    const text = question.slice(start, end);
    return {
      start,
      end,
      text,
      choice: chooseLibrarian(text, index, defaultLibrarian, least),
      ...askingIn(text, question),
    };
  });
  // A list of things without a question, such as `stock of fans, reviews on the web`.
  const isList = clauses.every(({ beginsAsking }) => !beginsAsking);
  const parts: { start: number; end: number; own: Choice | undefined; asks: boolean }[] = [];
  const librarians = new Set<string | undefined>();
  for (const {
    start,
    end,
    text,
    choice,
    beginsAsking,
    goesOn,
    isPhrase,
    isRelative,
    subjects,
  } of clauses) {
    const last = parts.at(-1);
    const isOther = last?.own !== undefined && areOther(last.own, choice);
    const isOwn = (): boolean => {
      // "the oven, which is hot"
      if (isRelative && (!beginsAsking || question.slice(last?.end, start).trim() === ','))
        return false;
      const isLater = last !== undefined && SENTENCE_END.test(question.slice(0, start));
      if (beginsAsking && namesSubject(text, question)) return true;
      if (beginsAsking && !splitsEqual) return false;
      if (beginsAsking && last === undefined) return subjects > 0;
      if (beginsAsking) return isOther && (refersBack(text) || (choice.isDefault && !isLater));
      // What is wanted is only named, within one sentence: "and the warranty of the oven".
      if (goesOn || subjects === 0 || isLater || !(splitsEqual || choice.isClear)) return false;
      if (last !== undefined)
        return isOther && (isList || (isPhrase && referenceIn(text) !== 'question'));
      return (isList || splitsEqual) && (!choice.isDefault || choice.isClear) && !refersBack(text);
    };
    const own = isOwn() ? choice : undefined;
    if (own !== undefined) librarians.add(own.to);
    const isEqual = splitsEqual && beginsAsking && last?.asks === true && !refersBack(text);
    if (
      last === undefined ||
      (last.own !== undefined && own !== undefined && (isEqual || isOther))
    ) {
      parts.push({ start, end, own, asks: beginsAsking });
    } else {
      last.end = end;
      // Everything so far was only the introduction.
      last.own ??= own;
      last.asks ||= beginsAsking;
    }
  }
  return {
    librarians: librarians.size,
    parts: parts.map(({ start, end, own }, place) => {
      const query = question.slice(start, end).trim();
      const { beginsAsking } = askingIn(query, question);
      const standsAlone =
        beginsAsking && namesSubject(query, question) && (place === 0 || !refersBack(query));
      return { query, to: own?.to, standsAlone };
    }),
  };
}

const SENTENCE_END = /[.!?…。！？]["”’»)\]]*\s*$/;

/** Margin by which a clause must fit its librarian better than that of the clauses before it, and the sum of both margins. */
const LEAD_OF_ONE = 0.1;
const LEAD_OF_BOTH = 1;

/** Whether each of two clauses fits its own librarian better than the other's. */
const areOther = (one: Choice, other: Choice): boolean => {
  if (one.to === undefined || other.to === undefined || one.to === other.to) return false;
  const leads = [
    one.strengthOf(one.to) - one.strengthOf(other.to),
    other.strengthOf(other.to) - other.strengthOf(one.to),
  ] as const;
  return Math.min(...leads) >= LEAD_OF_ONE && leads[0] + leads[1] >= LEAD_OF_BOTH;
};
