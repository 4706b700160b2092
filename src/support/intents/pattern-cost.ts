/** What a regular expression, or a part of one, may cost at one place of a text. */
export interface PatternCost {
  /** In how many ways it may be tried, at most; `Infinity` where a repeat has no end. */
  ways: number;
  /** Characters that it reads in one of them, at most. */
  length: number;
}

/**
 * What a regular expression may cost at one place of a text, at most: alternatives add up, what stands side by side multiplies, a
 * repeat counts each number of times.
 *
 * @param pattern Compiles with the flag `u`; looks neither ahead nor behind.
 */
export const patternCost = (pattern: string): PatternCost => {
  const tokens = pattern.match(TOKEN) ?? [];
  const open = [newGroup()];
  for (const token of tokens) {
    const group = open.at(-1) ?? newGroup();
    if (token.startsWith('(')) open.push(newGroup());
    else if (token === ')') addItem(open.at(-2) ?? newGroup(), closed(open.pop() ?? newGroup()));
    else if (token === '|') Object.assign(group, newGroup(), { before: closed(group) });
    else if (QUANTIFIER.test(token)) group.item = repeated(group.item, token);
    else addItem(group, { ways: 1, length: 1 });
  }
  return closed(open[0] ?? newGroup());
};

/** A class, an escape, the beginning of a group, a repeat, or one character. */
const TOKEN =
  /\[(?:\\.|[^\]\\])*\]|\\(?:[pPu]\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c.|.)|\((?:\?(?:<[^>]*>|[a-z-]*:))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu;
const QUANTIFIER = /^(?:[*+?]|\{\d)/;

/** A group that is being read. */
interface Group {
  /** Of its alternatives so far. */
  before: PatternCost;
  /** Of the present one, without its last item. */
  sequence: PatternCost;
  item: PatternCost;
}

const EMPTY: PatternCost = { ways: 1, length: 0 };
const newGroup = (): Group => ({ before: { ways: 0, length: 0 }, sequence: EMPTY, item: EMPTY });

const joined = (left: PatternCost, right: PatternCost): PatternCost => ({
  ways: left.ways * right.ways,
  length: left.length + right.length,
});

const closed = ({ before, sequence, item }: Group): PatternCost => {
  const last = joined(sequence, item);
  return { ways: before.ways + last.ways, length: Math.max(before.length, last.length) };
};

const addItem = (group: Group, item: PatternCost): void => {
  group.sequence = joined(group.sequence, group.item);
  group.item = item;
};

const repeated = ({ ways, length }: PatternCost, quantifier: string): PatternCost => {
  const [least, most] = timesOf(quantifier);
  if (most === Number.POSITIVE_INFINITY) return { ways: most, length: most };
  if (ways === 1) return { ways: most - least + 1, length: length * most };
  let sum = 0;
  for (let times = least; times <= most && sum < Number.MAX_SAFE_INTEGER; times += 1) sum += ways ** times;
  return { ways: sum, length: length * most };
};

/** More times than this are as many as without end. */
const MAX_TIMES = 999;

const timesOf = (quantifier: string): [least: number, most: number] => {
  if (quantifier.startsWith('?')) return [0, 1];
  if (!quantifier.startsWith('{')) return [0, Number.POSITIVE_INFINITY];
  const [least = '0', most = least] = quantifier.replace(/[{}?]/g, '').split(',');
  const isBounded = most !== '' && Number(most) <= MAX_TIMES;
  return [Number(least), isBounded ? Number(most) : Number.POSITIVE_INFINITY];
};
