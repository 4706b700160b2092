import type { Clause } from '../../knowledge/questions/carry-subject.ts';
import { assignType, STRONG_CUE } from './assign-type.ts';

/**
 * Cuts a sentence where it begins to ask for something else: before a question word, an inverted verb or a request
 * behind `and`, `as well as`, `plus` or a comma; and before a noun phrase that needs another kind of source than what stands
 * before it. Pairs such as `drag and drop` stay whole.
 */
export const clausesOf = (sentence: string): Clause[] => {
  const clauses: Clause[] = [];
  const joints = [...sentence.matchAll(JOINT)].slice(0, MAX_JOINTS);
  let from = 0;
  let form: Clause['form'] = 'question';
  for (const [place, joint] of joints.entries()) {
    const start = joint.index + joint[0].length;
    const next = joints[place + 1]?.index ?? sentence.length;
    const sides = {
      before: sentence.slice(from, joint.index),
      after: sentence.slice(start),
      near: sentence.slice(start, next),
    };
    const opens = openingOf(sides, joint[0].trim() === ',');
    if (opens === undefined) continue;
    clauses.push({ text: sides.before, form });
    from = start;
    form = opens;
  }
  clauses.push({ text: sentence.slice(from), form });
  return clauses
    .map((clause) => ({ ...clause, text: clause.text.replace(FILLER, '').trim() }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
};

/** Whether a text begins as a question or a request does. */
export const isRequest = (text: string): boolean => {
  const bare = text.trim().replace(FILLER, '');
  return opensQuestion(bare, false) || opensRequest(bare, '') || /^(?:look|give|get|name|pull|dig)\b/i.test(bare);
};

const JOINT =
  /(?:\s*,)?\s+(?:and (?:also|then|finally|if so,?)|and|as well as|along with|together with|plus|also|but|then|finally|&)\s+|\s*,\s+/gi;
/** Behind so many a sentence is left as it is. */
const MAX_JOINTS = 60;
const FILLER = /^(?:(?:and|also|then|please|kindly|finally)\s+){1,3}/i;

interface Sides {
  /** Since the last cut. */
  before: string;
  /** To the end of the sentence. */
  after: string;
  /** To the next joint. */
  near: string;
}

const openingOf = (sides: Sides, isComma: boolean): Clause['form'] | undefined => {
  const after = sides.after.replace(FILLER, '');
  if (!/[\p{L}\p{N}]/u.test(sides.before)) return undefined;
  if (/^if\b/i.test(after) && /\b(?:whether|if|know|tell (?:me|us))\b/i.test(sides.before)) return 'question';
  if (opensQuestion(after, isComma) || opensRequest(after, sides.before)) return 'question';
  return opensPhrase(sides) ? 'phrase' : undefined;
};

const opensQuestion = (after: string, isComma: boolean): boolean => {
  // Behind a comma alone, `which is` and `who has` go on about what was named.
  if (QUESTION_WORD.test(after))
    return !(isComma && (RELATIVE.test(after) || /^(?:when|where)\s/i.test(after)) && !INVERTED.test(after));
  if (PERFECT.test(after)) return /\b(?:been|had|sold|\w{3,}(?:ed|en))\b/i.test(after.slice(4));
  return INVERSION.test(after) || MODAL.test(after);
};

const QUESTION_WORD = /^(?:for )?(?:what|which|who|whom|whose|where|when|why|how|whether)\b/i;
const RELATIVE = /^(?:which|who|whom|whose|where|when)\s+(?:is|are|was|were|has|have|had|we|i|you|they|it|the)\b/i;
const INVERTED = /^(?:when|where)\s+(?:do|does|did|is|are|was|were|can|may|will)\b/i;
const SUBJECT =
  '(?:it|they|he|she|we|i|you|there|this|that|these|those|the|our|my|your|its|their|any|any(?:body|one)|some(?:body|one)|other|others|customers|people|competitors|shops|testers|reviewers|(?-i:[A-Z][\\w-]*))\\b';
const INVERSION = new RegExp(`^(?:is|are|was|were|do|does|did)\\s+${SUBJECT}`, 'i');
const MODAL = new RegExp(`^(?:can|could|may|must|should|will|would|shall)\\s+(?:${SUBJECT}|an?\\b)`, 'i');
const PERFECT = new RegExp(`^(?:has|have|had)\\s+${SUBJECT}`, 'i');

/** `tell me ...` is always a request; `check ...` only where no `how do I` stands before it, whose verb it could be. */
const opensRequest = (after: string, before: string): boolean =>
  /^(?:tell|give|show|find|get|send)\s+(?:me|us)\b|^(?:let me know|i (?:want|need|would like)|can you|could you)\b/i.test(
    after,
  ) ||
  (REQUEST.test(after) &&
    !/\b(?:do|does|did|can|could|should|must|may|will)\s+(?:i|we|one|they|people|customers)\b|\bhow to\b/i.test(
      before,
    ));

const REQUEST =
  /^(?:show|list|find|compare|explain|summari[sz]e|describe|count|look up|search|check|quote|report|calculate|display)\s+\S+/i;

/** A noun phrase that clearly wants another source than the clause before, and is more than the second half of a pair. */
const opensPhrase = ({ before, near }: Sides): boolean => {
  const wanted = assignType(near);
  const present = assignType(before);
  if (wanted.type === present.type || wanted.score < STRONG_CUE || present.score < STRONG_CUE) return false;
  if (/^(?:to|in|on|at|from|by|with|of|for|about|is|are|was|were|has|have|be)\b/i.test(near)) return false;
  return (
    /^(?:the|our|my|your|its|their|an?|any|all|some)\s/i.test(near) || /\s(?:of|for|on|about|to|from)\s+\S/i.test(near)
  );
};
