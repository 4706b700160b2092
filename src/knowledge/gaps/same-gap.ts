import type { MetGap } from './gap-book.ts';
import { SAME_SUBJECT, SAME_WHATEVER_INTENT, subjectLikeness } from './same-subject.ts';

type Told = Pick<MetGap, 'kind' | 'product' | 'intent' | 'subject'>;

/** How alike two gaps of one kind and product are, 0 to 1; 0 where they are not the same. */
export const gapLikeness = (left: Told, right: Told): number => {
  if (left.kind !== right.kind || left.product?.toLowerCase() !== right.product?.toLowerCase()) return 0;
  const isOneIntent = left.intent === right.intent;
  if (!isOneIntent && left.subject.stems.length === 0) return 0;
  const likeness = subjectLikeness(left.subject, right.subject);
  return likeness >= (isOneIntent ? SAME_SUBJECT : SAME_WHATEVER_INTENT) ? likeness : 0;
};

export const isSameGap = (left: Told, right: Told): boolean => gapLikeness(left, right) > 0;
