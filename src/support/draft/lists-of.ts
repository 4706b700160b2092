import type { Unit } from '../../grounding/read-passage.ts';
import type { Block } from '../../markup/split-blocks.ts';

/** The lists of a passage as their marks tell. */
export interface Lists {
  /** Each with the block that it starts in. */
  starting: readonly { at: Block; items: readonly Unit[] }[];
  /** Blocks that belong to a step: the code that it speaks of. */
  swallowed: ReadonlySet<Block>;
}

interface OpenList {
  at: Block;
  items: Unit[];
  /** Of numbered steps, the number of the last. */
  number: number | undefined;
}

/**
 * Reads lists by their marks where Markdown reads them by blank lines: bullets behind numbered steps are no further steps, numbers
 * that begin anew are another list, and steps that count on behind code or a remark belong together.
 *
 * @param units Of the passage, in order.
 */
export const listsOf = (text: string, blocks: readonly Block[], units: readonly Unit[]): Lists => {
  const lists: OpenList[] = [];
  const swallowed = new Set<Block>();
  /** Numbered steps that may count on, and what stands behind them. */
  let steps: OpenList | undefined;
  let behind: Block[] = [];
  for (const block of blocks) {
    if (block.kind === 'heading' || block.kind === 'raw') steps = undefined;
    if (block.kind !== 'list') {
      behind.push(block);
      const last = lists.at(-1);
      if (block.kind === 'code' && last !== undefined && isAwaiting(text, last, block)) {
        extend(last, block.end, units);
        swallowed.add(block);
        behind = [];
      }
      continue;
    }
    let open: OpenList | undefined;
    for (const unit of units.filter(({ start, end }) => start >= block.start && end <= block.end)) {
      const number = numberOf(text, unit);
      if (steps !== undefined && number !== undefined && countsOn(steps.number ?? 0, number, open === steps)) {
        // What stands between two steps belongs to the first of them.
        const between: OpenList[] = lists.slice(lists.indexOf(steps) + 1);
        if (between.length > 0 || behind.length > 0) extend(steps, beforeOf(text, unit), units);
        for (const each of behind) swallowed.add(each);
        lists.splice(lists.length - between.length);
        open = steps;
      } else if (open === undefined || number !== undefined || open.number !== undefined) {
        open = { at: block, items: [], number };
        lists.push(open);
      }
      open.items.push(unit);
      open.number = number;
      if (number !== undefined) steps = open;
      behind = [];
    }
  }
  return { starting: lists, swallowed };
};

/** Some number every step with 1, and some leave numbers out: within one list of Markdown both count on. */
const countsOn = (last: number, number: number, isWithin: boolean): boolean =>
  number === last + 1 || (isWithin && (number > last || (number === 1 && last === 1)));

/** The number of a list item; undefined for one in no order. */
export const numberOf = (text: string, { start }: Pick<Unit, 'start'>): number | undefined => {
  const [, digits] = /^(\d{1,9})[.)]/.exec(text.slice(start, start + 11)) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** Its last item ends with a colon, right before the block. */
const isAwaiting = (text: string, { items }: OpenList, block: Block): boolean => {
  const last = items.at(-1);
  return (
    last !== undefined &&
    /:[*_]{0,3}$/.test(text.slice(last.start, last.end)) &&
    text.slice(last.end, block.start).trim() === ''
  );
};

/** The last item goes on up to a place. */
const extend = ({ items }: OpenList, end: number, units: readonly Unit[]): void => {
  const last = items.pop();
  if (last === undefined) return;
  const own = units.filter((each) => each.start >= last.start && each.end <= end).map(({ words }) => words);
  const words = {
    words: own.flatMap((each) => each.words),
    stems: own.flatMap((each) => each.stems),
    kinds: own.flatMap((each) => each.kinds),
  };
  items.push({ ...last, end, words });
};

/** The end of what stands before a unit, without the space between. */
const beforeOf = (text: string, { start }: Unit): number => text.slice(0, start).trimEnd().length;
