/** A decision with how sure it was and how it turned out. */
export interface Judged {
  /** 0 to 1. */
  confidence: number;
  isRight: boolean;
}

/** The probability that a random positive scores above a random negative; ties count half. 0.5 is chance. */
export function areaUnderCurve(positives: readonly number[], negatives: readonly number[]): number {
  const all = [
    ...positives.map((value) => ({ value, rank: 1 })),
    ...negatives.map((value) => ({ value, rank: 0 })),
  ];
  all.sort((a, b) => a.value - b.value);
  let sum = 0;
  for (let at = 0; at < all.length; ) {
    let end = at;
    while (end < all.length && all[end]?.value === all[at]?.value) end += 1;
    for (let tied = at; tied < end; tied += 1)
      sum += all[tied]?.rank === 1 ? (at + end + 1) / 2 : 0;
    at = end;
  }
  const count = positives.length;
  return (sum - (count * (count + 1)) / 2) / (count * negatives.length);
}

/** Expected calibration error over ten bins of equal width: how far confidence and share of right ones lie apart. */
export function calibrationError(judged: readonly Judged[]): number {
  const bins = Array.from({ length: 10 }, () => 0);
  for (const { confidence, isRight } of judged) {
    const bin = Math.min(9, Math.floor(confidence * 10));
    bins[bin] = (bins[bin] ?? 0) + confidence - (isRight ? 1 : 0);
  }
  return (
    bins.reduce((sum, difference) => sum + Math.abs(difference), 0) / Math.max(1, judged.length)
  );
}

/** For each bound: what share of `total` has at least that confidence, and what share of those is right. */
export function riskCoverage(judged: readonly Judged[], total: number, bounds: readonly number[]) {
  return bounds.map((from) => {
    const kept = judged.filter(({ confidence }) => confidence >= from);
    return {
      from,
      coverage: kept.length / total,
      right: kept.filter(({ isRight }) => isRight).length / Math.max(1, kept.length),
    };
  });
}

/** One of ten bins of equal width: how many fell in, how sure they were on average, and how many were right. */
export interface ReliabilityBin {
  /** Lower bound, 0 to 0.9. */
  from: number;
  count: number;
  confidence: number;
  right: number;
}

/** The bins of `calibrationError`, without empty ones. */
export function reliability(judged: readonly Judged[]): ReliabilityBin[] {
  return Array.from({ length: 10 }, (_, bin) => {
    const within = judged.filter(
      ({ confidence }) => Math.min(9, Math.floor(confidence * 10)) === bin,
    );
    const share = (sumOf: (each: Judged) => number) =>
      within.reduce((sum, each) => sum + sumOf(each), 0) / Math.max(1, within.length);
    return {
      from: bin / 10,
      count: within.length,
      confidence: share(({ confidence }) => confidence),
      right: share(({ isRight }) => (isRight ? 1 : 0)),
    };
  }).filter(({ count }) => count > 0);
}
