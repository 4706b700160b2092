/**
 * A question with its form written as a word of its own: `how many orders` and `how do I order` share every word that a search
 * keeps, and ask for different things. Questions and examples go through it alike.
 */
export const withForm = (question: string): string => {
  const text = question.slice(0, MAX_LENGTH);
  const forms = FORMS.flatMap(([form, pattern]) => (pattern.test(text) ? [form] : []));
  return forms.length === 0 ? text : `${text} ${forms.join(' ')}`;
};

/** Whether a word stands for the form of a question. */
export const isForm = (word: string): boolean => word.startsWith(FORM);

const FORM = 'xq';

/** More of a question says no more about whom it is for. In UTF-16 units. */
const MAX_LENGTH = 2000;

/** Words that no question holds by itself, with what they stand for. */
const FORMS: readonly (readonly [string, RegExp])[] = [
  ['xqcount', /\bhow (?:many|much|often)\b|\bnumber of\b|\bcount\b/i],
  ['xqmeans', /\bhow (?:do|does|can|could|should|would|to|am|is|are|long)\b/i],
  ['xqreason', /\bwhy\b|\bwhat happens\b/i],
  ['xqperson', /\bwho\b|\bwhose\b/i],
  ['xqtrouble', /\b(?:does not|doesn'?t|did not|cannot|can'?t|won'?t|stopped|is not|isn'?t|no longer)\b/i],
  ['xqmay', /\b(?:can|may|could|should|must) (?:i|we|one|it)\b|\bdo i (?:need|have)\b|\bis it\b/i],
  ['xqours', /\b(?:our|we|us)\b/i],
  ['xqmine', /\b(?:my|i|i'm)\b/i],
];
