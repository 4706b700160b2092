import type { Quantity } from './quantity.ts';

/**
 * Whether two quantities can both be true of the same thing.
 *
 * @returns `agree` for the same value, also in another unit, rounded, or within what the other allows ("up to 30" and 20);
 *   `differ` where they exclude each other; `apart` where they measure different things.
 */
export const compareQuantities = (one: Quantity, other: Quantity): 'agree' | 'differ' | 'apart' => {
  if (one.dimension !== other.dimension || !countTheSame(one, other)) return 'apart';
  if (one.dimension === 'date' || one.dimension === 'version')
    return matchInOrder(one, other) || reaches(one, other) || reaches(other, one) ? 'agree' : 'differ';
  // Two limits of the same kind are both about the limit itself.
  if (one.bound === other.bound && (one.bound === 'most' || one.bound === 'least'))
    return isSameNumber(one, other) ? 'agree' : 'differ';
  return isSameNumber(one, other) || meet(one, other) ? 'agree' : 'differ';
};

const countTheSame = ({ nouns: one }: Quantity, { nouns: other }: Quantity): boolean =>
  one.length === 0 || other.length === 0 || one.some((noun) => other.includes(noun));

/** Of dates and versions the less exact one leaves the rest open: 2016 and 4 May 2016, 2.4 and 2.4.1. */
const matchInOrder = (one: Quantity, other: Quantity): boolean => {
  const length = Math.min(one.values.length, other.values.length);
  return one.values.slice(0, length).every((value, at) => {
    const counterpart = other.values[at];
    const isOpen = one.dimension === 'date' && (value === 0 || counterpart === 0);
    return isOpen || value === counterpart;
  });
};

/** "3.2.0 or later" and 3.4.0. */
const reaches = ({ bound, values: least }: Quantity, { bound: otherBound, values }: Quantity): boolean => {
  if (bound !== 'least' || otherBound === 'least') return false;
  const at = least.findIndex((value, place) => value !== values[place]);
  return (values[at] ?? 0) > (least[at] ?? 0);
};

const isSameNumber = (one: Quantity, other: Quantity): boolean =>
  one.values.some((value) => other.values.some((counterpart) => isClose(value, counterpart, toleranceOf(one, other))));

const isClose = (one: number, other: number, { share, step }: { share: number; step: number }): boolean =>
  Math.abs(one - other) <= Math.max(share * Math.max(Math.abs(one), Math.abs(other)), step) + 1e-9;

/** 4 weeks and a month, 1 GB and 1024 MB, about 1,200 and 1,187, 12.4 and 12 are the same. */
const toleranceOf = (one: Quantity, other: Quantity): { share: number; step: number } => {
  const isApproximate = one.bound === 'about' || other.bound === 'about';
  const share = one.unit === other.unit && !isApproximate ? 0 : 0.1;
  const coarser = Math.max(one.step, other.step);
  const isRounded = one.step !== other.step && coarser > Math.min(one.step, other.step);
  // Half a step, and only where the coarser one shows that it was rounded: 12 for 12.4, but 13 and 15 are exact.
  return { share, step: isRounded && one.unit === other.unit ? coarser / 2 : 0 };
};

const meet = (one: Quantity, other: Quantity): boolean =>
  endsOf(one).some(([low, high]) => endsOf(other).some(([from, to]) => low <= to && from <= high));

/** What a quantity allows, for each way to read it. */
const endsOf = ({ values, bound, upTo }: Quantity): [number, number][] =>
  values.map((value) => {
    if (bound === 'most') return [Number.NEGATIVE_INFINITY, value];
    if (bound === 'least') return [value, Number.POSITIVE_INFINITY];
    return bound === 'range' ? [value, upTo ?? value] : [value, value];
  });
