/** Lists of the results of seed 003 that may be cut, and the member that counts them. */
const LISTS = [
  ['rows', 'row_count'],
  ['documents', 'document_count'],
  ['external_results', undefined],
  ['urls', undefined],
] as const;

/**
 * A result that takes at most so many characters as JSON: of lists that are too long the beginning, with the count
 * adjusted and `omitted` telling how many are left out.
 *
 * @returns Empty where even the shortest lists do not fit.
 */
export const trimResult = (result: Record<string, unknown>, maxLength: number): Record<string, unknown> => {
  let trimmed = result;
  let omitted = 0;
  while (JSON.stringify(trimmed).length > maxLength) {
    const [name, count] = LISTS.find(([list]) => lengthOf(trimmed[list]) > 1) ?? [];
    const list = name === undefined ? undefined : trimmed[name];
    if (name === undefined || !Array.isArray(list)) return {};
    const kept: unknown[] = list.slice(0, Math.floor(list.length / 2));
    omitted += list.length - kept.length;
    trimmed = { ...trimmed, [name]: kept, ...(count === undefined ? {} : { [count]: kept.length }), omitted };
  }
  return trimmed;
};

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
