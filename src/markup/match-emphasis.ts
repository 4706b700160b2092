/** A delimiter run of `*` or `_`, which may open and close emphasis (CommonMark 0.31.2, section 6.2 and appendix). */
export interface Run {
  kind: 'run';
  mark: string;
  /** Original number of characters. */
  length: number;
  /** Number of characters that are literal so far. */
  left: number;
  canOpen: boolean;
  canClose: boolean;
  /** In text order. */
  closes: Emphasis[];
  opens: Emphasis[];
  before: Run | undefined;
  after: Run | undefined;
}

type Emphasis = 'em' | 'strong';

/** Reads the delimiter run at a position: the characters on either side determine whether it opens, closes or both. */
export const runAt = (text: string, at: number, length: number): Run => {
  const mark = text[at] ?? '';
  const [before, after] = [characterBefore(text, at), characterAt(text, at + length)];
  const opensLeft = !SPACE.test(after) && (!PUNCTUATION.test(after) || SPACE.test(before) || PUNCTUATION.test(before));
  const closesRight =
    !SPACE.test(before) && (!PUNCTUATION.test(before) || SPACE.test(after) || PUNCTUATION.test(after));
  const isWhole = mark === '*';
  return {
    ...{ kind: 'run', mark, length, left: length, closes: [], opens: [], before: undefined, after: undefined },
    canOpen: opensLeft && (isWhole || !closesRight || PUNCTUATION.test(before)),
    canClose: closesRight && (isWhole || !opensLeft || PUNCTUATION.test(after)),
  };
};

const characterBefore = (text: string, at: number): string =>
  at === 0
    ? ' '
    : String.fromCodePoint(text.codePointAt(at - (/[\udc00-\udfff]/.test(text[at - 1] ?? '') ? 2 : 1)) ?? 32);

const characterAt = (text: string, at: number): string =>
  at >= text.length ? ' ' : String.fromCodePoint(text.codePointAt(at) ?? 32);

const SPACE = /^\s$/;
const PUNCTUATION = /^[\p{P}\p{S}]$/u;

/**
 * Pairs the runs between `bottom` (exclusive) and `last`, innermost first. Failed searches are remembered as in the
 * specification, so that time is linear.
 */
export const matchEmphasis = (last: Run | undefined, bottom: Run | undefined): void => {
  let closer = firstAbove(last, bottom);
  const bottoms = new Map<string, Run | undefined>();
  while (closer) {
    if (!closer.canClose || closer.left === 0) {
      closer = closer.after;
      continue;
    }
    const key = `${closer.mark}${closer.canOpen}${closer.length % 3}`;
    const floor = bottoms.has(key) ? bottoms.get(key) : bottom;
    const opener = openerFor(closer, floor, bottom);
    if (opener) pair(opener, closer);
    else {
      bottoms.set(key, closer.before);
      if (!closer.canOpen) remove(closer);
    }
    if (!opener || closer.left === 0) closer = closer.after;
  }
};

const firstAbove = (last: Run | undefined, bottom: Run | undefined): Run | undefined => {
  let first = last === bottom ? undefined : last;
  while (first?.before && first.before !== bottom) first = first.before;
  return first;
};

const openerFor = (closer: Run, floor: Run | undefined, bottom: Run | undefined): Run | undefined => {
  for (let run = closer.before; run && run !== floor && run !== bottom; run = run.before) {
    if (run.mark !== closer.mark || !run.canOpen || run.left === 0) continue;
    const isOdd = (run.canClose || closer.canOpen) && (run.length + closer.length) % 3 === 0;
    if (!isOdd || (run.length % 3 === 0 && closer.length % 3 === 0)) return run;
  }
  return undefined;
};

const pair = (opener: Run, closer: Run): void => {
  const count = opener.left > 1 && closer.left > 1 ? 2 : 1;
  const element = count === 2 ? 'strong' : 'em';
  opener.opens.unshift(element);
  closer.closes.push(element);
  opener.left -= count;
  closer.left -= count;
  // What stands between the two pairs with nothing outside.
  opener.after = closer;
  closer.before = opener;
  if (opener.left === 0) remove(opener);
  if (closer.left === 0) remove(closer);
};

const remove = (run: Run): void => {
  if (run.before) run.before.after = run.after;
  if (run.after) run.after.before = run.before;
};
