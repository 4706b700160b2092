import { shuffle } from '../../runtime/seeded-random.ts';

/** Sparse rows: row `i` has the features `features[starts[i]]` to before `starts[i + 1]`, with the values beside them. */
export interface SparseRows {
  starts: Uint32Array;
  features: Uint32Array;
  values: Float32Array;
  /** Squared length of each row. */
  squares: Float64Array;
}

/** A plane between the rows of one intent and all others. */
export interface Separator {
  /** By feature. */
  weights: Float64Array;
  bias: number;
}

export interface SeparatorOptions {
  /** 0 to 1; the order in which rows are looked at. */
  random: () => number;
  /** At most so many times over all rows. */
  sweeps: number;
  /** When no row pulls harder than this any more, it is done. */
  tolerance: number;
}

/** What a wrong row of the intent costs, and what one of the others does. */
const POSITIVE_COST = 4;
const NEGATIVE_COST = 1;

/**
 * A linear support vector machine with squared hinge loss, by dual coordinate descent with shrinking: Hsieh, Chang, Lin, Keerthi,
 * Sundararajan, "A Dual Coordinate Descent Method for Large-scale Linear SVM" (ICML 2008), algorithm 3. The bias is the weight of
 * a constant feature of value 1.
 *
 * @param isOf 1 for the rows of the intent, 0 for the others.
 * @param weights Is overwritten and handed back: as many as there are features.
 */
export const trainSeparator = (
  { starts, features, values, squares }: SparseRows,
  isOf: Uint8Array,
  { weights, random, sweeps, tolerance }: SeparatorOptions & { weights: Float64Array },
): Separator => {
  const count = squares.length;
  const duals = new Float64Array(count);
  const order = Uint32Array.from({ length: count }, (_, row) => row);
  weights.fill(0);
  let bias = 0;
  let active = count;
  let limit = Number.POSITIVE_INFINITY;
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    shuffle(order.subarray(0, active), random);
    let greatest = Number.NEGATIVE_INFINITY;
    let smallest = Number.POSITIVE_INFINITY;
    for (let at = 0; at < active; at += 1) {
      const row = order[at] ?? 0;
      const sign = isOf[row] === 1 ? 1 : -1;
      const softness = 0.5 / (sign === 1 ? POSITIVE_COST : NEGATIVE_COST);
      const dual = duals[row] ?? 0;
      const start = starts[row] ?? 0;
      const end = starts[row + 1] ?? 0;
      let score = bias;
      for (let place = start; place < end; place += 1) {
        score += (weights[features[place] as number] as number) * (values[place] as number);
      }
      const gradient = sign * score - 1 + dual * softness;
      if (dual === 0 && gradient > limit) {
        active -= 1;
        order[at] = order[active] ?? 0;
        order[active] = row;
        at -= 1;
        continue;
      }
      const pull = dual === 0 ? Math.min(gradient, 0) : gradient;
      greatest = Math.max(greatest, pull);
      smallest = Math.min(smallest, pull);
      if (pull === 0) continue;
      const moved = Math.max(0, dual - gradient / ((squares[row] ?? 0) + 1 + softness));
      const step = (moved - dual) * sign;
      duals[row] = moved;
      bias += step;
      for (let place = start; place < end; place += 1) {
        const feature = features[place] as number;
        weights[feature] = (weights[feature] as number) + step * (values[place] as number);
      }
    }
    if (greatest - smallest > tolerance) {
      limit = greatest > 0 ? greatest : Number.POSITIVE_INFINITY;
    } else if (active === count) {
      break;
    } else {
      active = count;
      limit = Number.POSITIVE_INFINITY;
    }
  }
  return { weights, bias };
};
