/**
 * In how many ways a regular expression may be tried at one place of a text, at most: alternatives add up, what stands side by
 * side multiplies, a repeat counts each number of times. `Infinity` where a repeat has no end.
 *
 * @param pattern Compiles with the flag `u`; looks neither ahead nor behind.
 */
export const waysToMatch = (pattern: string): number => {
  const tokens = pattern.match(TOKEN) ?? [];
  /** Of each open group: ways of the alternatives so far, of the present one, and of its last item. */
  const open = [newGroup()];
  for (const token of tokens) {
    const group = open.at(-1) ?? newGroup();
    if (token.startsWith('(')) open.push(newGroup());
    else if (token === ')') addItem(open.at(-2) ?? newGroup(), closed(open.pop() ?? newGroup()));
    else if (token === '|') startAlternative(group);
    else if (QUANTIFIER.test(token)) group.item = repeated(group.item, token);
    else addItem(group, 1);
  }
  return closed(open[0] ?? newGroup());
};

/** A class, an escape, the beginning of a group, a repeat, or one character. */
const TOKEN =
  /\[(?:\\.|[^\]\\])*\]|\\(?:[pPu]\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c.|.)|\((?:\?(?:<[^>]*>|[a-z-]*:))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu;
const QUANTIFIER = /^(?:[*+?]|\{\d)/;

interface Group {
  before: number;
  sequence: number;
  item: number;
}

const newGroup = (): Group => ({ before: 0, sequence: 1, item: 1 });

const closed = ({ before, sequence, item }: Group): number => before + sequence * item;

const addItem = (group: Group, ways: number): void => {
  group.sequence *= group.item;
  group.item = ways;
};

const startAlternative = (group: Group): void => {
  group.before = closed(group);
  group.sequence = 1;
  group.item = 1;
};

const repeated = (ways: number, quantifier: string): number => {
  const [least, most] = timesOf(quantifier);
  if (most === Number.POSITIVE_INFINITY) return most;
  if (ways === 1) return most - least + 1;
  let sum = 0;
  for (let times = least; times <= most && sum < Number.MAX_SAFE_INTEGER; times += 1) sum += ways ** times;
  return sum;
};

const timesOf = (quantifier: string): [least: number, most: number] => {
  if (quantifier.startsWith('?')) return [0, 1];
  if (!quantifier.startsWith('{')) return [0, Number.POSITIVE_INFINITY];
  const [least = '0', most] = quantifier.replace(/[{}?]/g, '').split(',');
  if (most === undefined) return [Number(least), Number(least)];
  return [Number(least), most === '' ? Number.POSITIVE_INFINITY : Number(most)];
};
