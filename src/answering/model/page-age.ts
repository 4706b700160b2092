const YEAR_MS = 365.25 * 24 * 3600 * 1000;
/** A page of this age is old if another one that is shown beside it is younger by the second. */
const OLD_YEARS = 3;
const NEWER_YEARS = 2;

/**
 * How old a page is. It is old only beside a newer one: where all pages are of the same time, their age tells nothing.
 *
 * @param updated ISO 8601 date of its last change.
 * @param options.others Those of all pages that are shown.
 * @returns Undefined for what is no date.
 */
export function ageOf(
  updated: string,
  { now, others }: { now: Date; others: readonly string[] },
): { years: number; isOld: boolean } | undefined {
  const changed = Date.parse(updated);
  if (Number.isNaN(changed)) return undefined;
  const years = (now.getTime() - changed) / YEAR_MS;
  const isOld =
    years >= OLD_YEARS &&
    others.some((other) => (Date.parse(other) - changed) / YEAR_MS >= NEWER_YEARS);
  return { years: Math.floor(years), isOld };
}
