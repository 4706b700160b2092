import { asksForThings, placeOf, type Subject, subjectOf } from './subject-of.ts';
import { PARTIES } from './word-lists.ts';

/** A part of a sentence that asks for something by itself. */
export interface Clause {
  text: string;
  /** `question`: it has a verb of its own. `phrase`: it only names what is wanted, and shares what stands before it. */
  form: 'question' | 'phrase';
}

/** A clause that can be asked on its own. */
export interface StandaloneClause {
  text: string;
  /** Whether it leaned on another clause for what it is about. */
  isDependent: boolean;
}

/**
 * Names in a clause what it is about, where a pronoun or nothing stands for a thing that other clauses name.
 *
 * @param earlier The clauses before it, already completed; the nearest one that names something counts.
 * @param sentence All clauses of its sentence, for what is named only later: `the price and the warranty of the Apollo`.
 */
export const carrySubject = (
  clause: Clause,
  { earlier, sentence }: { earlier: readonly string[]; sentence: readonly Clause[] },
): StandaloneClause => {
  const own = subjectOf(clause.text);
  if (own?.isName === true) return { text: withPlace(clause.text, earlier), isDependent: false };
  const subject = nearestSubject(earlier) ?? laterSubject(clause, sentence);
  const placed = withPlace(clause.text, earlier);
  if (subject === undefined) return { text: placed, isDependent: placed !== clause.text };
  const replaced = replacePronouns(placed, subject);
  if (replaced !== clause.text) return { text: replaced, isDependent: true };
  const isOpen =
    WHAT_ABOUT.test(clause.text) || (sentence.length > 1 && !asksForThings(clause.text) && wantsSubject(clause));
  if (!subject.isName || !isOpen) return { text: placed, isDependent: false };
  return { text: appended(placed, subject), isDependent: true };
};

const nearestSubject = (earlier: readonly string[]): Subject | undefined => {
  const subjects = earlier.toReversed().flatMap((text) => subjectOf(text) ?? []);
  return subjects.find(({ isAspect }) => !isAspect) ?? subjects[0];
};

/** Only a phrase behind it can share its object with the clause, as in `the price and the warranty of the Apollo`. */
const laterSubject = (clause: Clause, sentence: readonly Clause[]): Subject | undefined => {
  const next = sentence[sentence.indexOf(clause) + 1];
  if (next === undefined) return undefined;
  const isShared = next.form === 'phrase' && /\s(?:of|for|on|about)\s/i.test(next.text);
  const subject = subjectOf(next.text);
  return isShared || (subjectOf(clause.text) === undefined && PRONOUN.test(clause.text)) ? subject : undefined;
};

const PRONOUN = /\b(?:it|they|them)\b/i;

const replacePronouns = (text: string, subject: Subject): string => {
  const { phrase, noun } = subject;
  let hasOwnThey = asksForThings(text);
  const replaced = text
    .replace(
      /\bhow many\s+(?=(?:have|has|had|did|do|does|are|were|is|was|we|i|they|customers)\b)/i,
      (found) => `${found}${noun} `,
    )
    .replace(/\b(?:the same ones?|that one)\b/i, phrase)
    .replace(/\b(an?|the)\s+([\p{L}-]{3,20})\s+ones?\b(?!\s+of\b)/iu, `$1 $2 ${noun}`)
    .replace(/(?<=\p{L}\s)\bone\b(?=\s*[?.!]?$|\s+(?:up|back|in|on|off|be|at|for)\b)/iu, phrase);
  return replaced.replace(/\b(?:it|its|they|them|their|themselves)\b(?!['’])/gi, (pronoun, at: number) => {
    hasOwnThey ||= PARTIES.test(replaced.slice(0, at));
    if (/^it$/i.test(pronoun) && DUMMY_IT.test(replaced.slice(at))) return pronoun;
    if (!/^its?$/i.test(pronoun) && hasOwnThey) return pronoun;
    return /^(?:its|their)$/i.test(pronoun) ? `${phrase}'s` : phrase;
  });
};

/** `it` that stands for nothing. */
const DUMMY_IT = /^it\s+(?:takes?|possible|true|safe|allowed|okay|worth|make sense)\b/i;

const THERE = /(?<!\b(?:is|are|was|were|be|hi|hello|hey)\s)\bthere\b(?!\s+(?:is|are|was|were|be|a|an|any)\b)/i;

const withPlace = (text: string, earlier: readonly string[]): string => {
  if (!THERE.test(text)) return text;
  const [place] = earlier.toReversed().flatMap((clause) => placeOf(clause) ?? []);
  return place === undefined ? text : text.replace(THERE, place);
};

const WHAT_ABOUT = /^(?:what|how) about\b/i;

/** A clause without an object of its own, such as `what does the warranty cover`; one about the whole shop wants none. */
const wantsSubject = ({ text }: Clause): boolean =>
  isOpenEnded(text.replace(/^.{0,40}\b(?:(?:me|us) about|to (?:know|see|have|learn))\b/i, ''));

const isOpenEnded = (text: string): boolean =>
  !/\b(?:customers?|orders?|revenue|turnover|company|business|you|your)\b/i.test(text) &&
  !/\b(?:about|of|for|with|regarding|by)\s+\p{L}/iu.test(text) &&
  !/\b(?:on|to|from|in)\s+(?!the (?:web|internet|net|market)\b|stock\b|forums?\b|\p{Lu})\p{Ll}/u.test(text);

const appended = (text: string, { phrase }: Subject): string => {
  const [, body = text, end = ''] = /^(.*?)([\s?.!]*)$/s.exec(text) ?? [];
  return `${body} for ${phrase}${end.trim()}`;
};
