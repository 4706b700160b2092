import type { Amounts, Budget } from '../budget.ts';

/** What is left in `count` shares that differ by one at most, the larger ones first; each has a call where as many are left. */
export const sharesOf = (budget: Budget, count: number): Amounts[] =>
  Array.from({ length: count }, (_, index) =>
    leftOf(budget, (left) => Math.floor(left / count) + (index < left % count ? 1 : 0)),
  );

/**
 * How much of its budget one call hands down to its target, the call itself being paid for. Half is kept where a
 * fallback may have to ask the same; otherwise one call for a retry, where that is little of what is left.
 */
export const handedDown = (budget: Budget, { fallback }: { fallback: boolean }): Amounts => {
  const calls = Math.floor(budget.left('calls')) - 1;
  if (fallback) return { ...leftOf(budget, (left) => Math.floor(left / 2)), calls: Math.floor(calls / 2) };
  return { ...leftOf(budget), calls: calls >= SPARED_FROM ? calls - 1 : calls };
};

/** Whole amounts of what is limited. */
const leftOf = (budget: Budget, part: (left: number) => number = (left) => left): Amounts =>
  Object.fromEntries(budget.names.map((name) => [name, part(Math.floor(budget.left(name)))]));

const SPARED_FROM = 4;
