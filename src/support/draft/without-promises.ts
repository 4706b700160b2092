import type { PickedSteps } from './pick-steps.ts';
import { findPromises } from './promise-check.ts';

/**
 * Leaves out what promises a refund, a replacement, a date or a price that its source does not grant. A quote says what its
 * source says; cut out of its surroundings it may say more.
 */
export const withoutPromises = (
  picked: readonly PickedSteps[],
): { kept: PickedSteps[]; promises: readonly string[] } => {
  const promises: string[] = [];
  const kept = picked.flatMap((steps): PickedSteps[] => {
    const isOffending = (quote: string) => findPromises(quote, { allowedBy: [steps.passage.text] }).length > 0;
    const offending = [...steps.quotes, ...(steps.intro === undefined ? [] : [steps.intro])].filter(isOffending);
    if (offending.length === 0) return [steps];
    promises.push(...offending);
    // Half a procedure may do harm.
    if (steps.kind !== 'prose' && (steps.isOrdered || steps.kind === 'code')) return [];
    const quotes = steps.quotes.filter((quote) => !offending.includes(quote));
    return quotes.length === 0
      ? []
      : [{ ...steps, quotes, intro: offending.includes(steps.intro ?? '') ? undefined : steps.intro }];
  });
  return { kept, promises };
};
