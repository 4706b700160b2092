import * as z from 'zod';
import { type Clause, carrySubject } from '../../knowledge/questions/carry-subject.ts';
import {
  beginsAsQuestion,
  isBareRequest,
  isOwnQuestion,
  namesItsSubject,
  pointsBack,
} from '../../text/question-forms.ts';
import cues from './source-cues.json' with { type: 'json' };

/** The kinds of source that a part of a question can be put to: the agent types other than `hybrid` itself. */
export const SourceType = z.enum(['analytics', 'semantic', 'web_search']);
export type SourceType = z.infer<typeof SourceType>;

/** A part of a question, and the kind of source that it needs. */
export interface PartialQuery {
  type: SourceType;
  /** Understandable without the other parts, 1 to 4,000 characters. */
  query: string;
}

/** Sub-queries of one question at most. */
export const MAX_PARTS = 6;

/**
 * Splits a question where a second question or request begins that stands alone or needs another kind of source. Each
 * part names its subject in place of a pronoun. A question without such a place comes back whole.
 *
 * @param question 1 to 4,000 characters.
 * @returns At least one part, in the order of the question.
 */
export const splitQuery = (question: string): PartialQuery[] => {
  const clauses = clausesOf(question);
  if (clauses.length < 2) return [{ type: sourceOf(question).type, query: question }];
  const earlier: string[] = [];
  return clauses.map((clause) => {
    const { text } = carrySubject(clause, { earlier: earlier.slice(-MAX_LOOK_BACK), sentence: clauses });
    earlier.push(text);
    const own = sourceOf(clause.text);
    return { type: own.score >= STRONG ? own.type : sourceOf(text).type, query: text.slice(0, MAX_LENGTH) };
  });
};

const MAX_LENGTH = 4000;
/** Clauses in which the subject of a later one is looked for. */
const MAX_LOOK_BACK = 8;
/** A sentence is not searched for further clauses behind this many joints. */
const MAX_JOINTS = 60;

const clausesOf = (message: string): Clause[] => {
  const question = message.replace(GREETING, '');
  const joints = [...question.matchAll(JOINT)].slice(0, MAX_JOINTS);
  const clauses: Clause[] = [];
  let start = 0;
  let form: Clause['form'] = 'question';
  for (const [place, { index, 0: joint }] of joints.entries()) {
    const next = index + joint.length;
    const before = question.slice(start, index);
    const opening = openingOf(before, { after: question.slice(next, joints[place + 1]?.index), joint });
    if (opening === undefined) continue;
    clauses.push({ text: `${before}${END_MARK.exec(joint)?.[0] ?? ''}`, form });
    start = next;
    form = opening;
  }
  return [...clauses, { text: question.slice(start).trim(), form }];
};

const GREETING = /^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day))\b[^,.!?\n]{0,30}[,.!]\s+/i;
const JOINT =
  /(?:[;.!?]\s+|\n+|,\s+|,?\s+(?:and|but|plus|as well as|along with|together with|also|then|finally|&)\s+)(?:(?:and|also|then|finally|if so|please),?\s+){0,3}/gi;
const END_MARK = /^[.!?]/;

/** How the text behind a joint begins a clause of its own; `undefined` when it belongs to what stands before it. */
const openingOf = (before: string, { after, joint }: { after: string; joint: string }): Clause['form'] | undefined => {
  const [present, wanted] = [sourceOf(before), sourceOf(after)];
  if (present.score < STRONG && !beginsAsQuestion(before) && !joint.startsWith('?')) return undefined;
  const needsOther = wanted.type !== present.type && wanted.score >= STRONG;
  if (!beginsAsQuestion(after)) {
    const isNamed = NAMED_THING.test(after) && !GOES_ON.test(after);
    return needsOther && isNamed && present.score >= STRONG ? 'phrase' : undefined;
  }
  if (isBareRequest(after) && (VERB_EXPECTED.test(before) || !namesItsSubject(after))) return undefined;
  if (joint.trim() === ',' && RELATIVE.test(after)) return undefined;
  return needsOther || (isOwnQuestion(after) && !pointsBack(after)) ? 'question' : undefined;
};

const NAMED_THING = /^(?:the|our|my|your|its|their|an?|any|all|some)\s|\s(?:of|for|on|about|to|from)\s+\S/i;
const GOES_ON = /^(?:to|in|on|at|from|by|with|of|for|about|is|are|was|were|has|have|be)\b/i;
/** In `how do I open the page and check the version` the second verb belongs to `do I`. */
const VERB_EXPECTED =
  /\b(?:do|does|did|can|could|should|must|may|will)\s+(?:i|we|one|they|people|customers)\b|\bhow to\b/i;
/** Behind a comma these describe what was named before. */
const RELATIVE = /^(?:which|who|whom|whose|where|when)\b/i;

/** The names of the cues by which a text needs a kind of source: `stock`, `counts`. */
export const cuesFor = (type: SourceType, text: string): string[] =>
  cuesIn(text).flatMap((cue) => (cue.type === type ? [cue.label] : []));

const cuesIn = (text: string) => {
  const words = text.slice(0, MAX_LENGTH).toLowerCase().replace(/\s+/g, ' ');
  return CUES.filter(({ pattern }) => pattern.test(words));
};

/** The kind of source that a text needs by its words; the knowledge base without any cue. Each cue counts once. */
const sourceOf = (text: string): { type: SourceType; score: number } => {
  const scores: Record<SourceType, number> = { semantic: 0, analytics: 0, web_search: 0 };
  for (const { type, weight } of cuesIn(text)) scores[type] += weight;
  // Among equals the first of these is taken.
  const order = ['semantic', 'analytics', 'web_search'] as const;
  const type = order.reduce((best, each) => (scores[each] > scores[best] ? each : best));
  return scores[type] < LEAST_CUE ? { type: 'semantic', score: 0 } : { type, score: scores[type] };
};

/** Score from which on the cues of a text decide by themselves which source it needs. */
const STRONG = 2;
/** A word such as `yesterday` alone decides nothing. */
const LEAST_CUE = 1.5;

const CUES = cues.map(({ label, type, weight, pattern }) => ({
  ...{ label, weight },
  type: SourceType.parse(type),
  pattern: new RegExp(pattern),
}));
