import type { HeldOut } from '../../src/support/intents/hold-out.ts';

/** Number of confused pairs to report, most frequent first. */
const MAX_PAIRS = 10;

/** Held-out accuracy of a classifier: one line per intent, worst first, then the confused pairs. */
export function describeHoldOut(judged: readonly HeldOut[]): string {
  const byIntent = [...Map.groupBy(judged, ({ intent }) => intent)]
    .map(([intent, own]) => ({ intent, count: own.length, right: shareOf(own) }))
    .sort((left, right) => left.right - right.right || left.intent.localeCompare(right.intent));
  const width = Math.max(...byIntent.map(({ intent }) => intent.length));
  const pairs = [
    ...Map.groupBy(
      judged.filter(isWrong),
      ({ intent, likeliest }) => `${intent} taken for ${likeliest}`,
    ),
  ]
    .map(([pair, own]) => ({ pair, count: own.length }))
    .filter(({ count }) => count > 1)
    .sort((left, right) => right.count - left.count || left.pair.localeCompare(right.pair))
    .slice(0, MAX_PAIRS);
  return [
    `Right of examples that were held out: ${percent(shareOf(judged))} of ${judged.length}`,
    '',
    ...byIntent.map(
      ({ intent, count, right }) =>
        `  ${intent.padEnd(width)}  ${percent(right).padStart(4)} of ${count}`,
    ),
    ...(pairs.length === 0
      ? []
      : ['', 'Most often mixed up: give these more examples, or examples that differ more.', '']),
    ...pairs.map(({ pair, count }) => `  ${count} x ${pair}`),
  ].join('\n');
}

const isWrong = ({ intent, likeliest }: HeldOut): boolean => intent !== likeliest;
const shareOf = (judged: readonly HeldOut[]): number =>
  judged.filter((each) => !isWrong(each)).length / Math.max(1, judged.length);
const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
