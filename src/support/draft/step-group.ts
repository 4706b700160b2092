import type { Reading, Unit } from '../../grounding/read-passage.ts';
import { type Block, splitBlocks } from '../../markup/split-blocks.ts';
import { listsOf, numberOf } from './lists-of.ts';

/** What can be quoted of a passage together: a list with what introduces it, a table, a code block, a sentence. */
export interface StepGroup {
  kind: 'prose' | 'list' | 'table' | 'code';
  /** Numbered steps: their order counts. */
  isOrdered: boolean;
  /** The sentence before a list, table or code block that opens it. */
  intro: Unit | undefined;
  /** List items, table rows with the head first, one code block, or a sentence with those before it that it refers to. */
  units: readonly Unit[];
}

/**
 * All of a passage that can be quoted, in order. Sentences that are not understood by themselves are left out, and so are numbered
 * steps that begin in another passage, or end with a colon that nothing follows.
 */
export const groupsOf = (text: string, { units }: Reading): StepGroup[] => {
  const blocks = splitBlocks(text);
  const lists = listsOf(text, blocks, units);
  return blocks.flatMap((block): StepGroup[] => {
    const own = units.filter(({ start, end }) => start >= block.start && end <= block.end);
    if (own.length === 0 || lists.swallowed.has(block)) return [];
    if (block.kind === 'prose') return proseGroups(text, own);
    const intro = introOf(block, units);
    if (block.kind === 'list')
      return lists.starting.filter(({ at }) => at === block).flatMap((list) => listGroup(text, list.items, intro));
    if (block.kind !== 'table' && block.kind !== 'code') return [];
    return [{ kind: block.kind, isOrdered: false, intro, units: own }];
  });
};

/** @param list Items of one list. */
const listGroup = (text: string, list: readonly Unit[], introduced: Unit | undefined): StepGroup[] => {
  const [first] = list;
  if (first === undefined) return [];
  const number = numberOf(text, first);
  const isWhole = (unit: Unit) => !/:[*_]{0,3}$/.test(textOfUnit(text, unit).trimEnd());
  // What opens a block of two lists introduces the first of them.
  const intro =
    introduced !== undefined && text.slice(introduced.end, first.start).trim() === '' ? introduced : undefined;
  if (number === undefined) {
    const units = list.filter(isWhole);
    return units.length === 0 ? [] : [{ kind: 'list', isOrdered: false, intro, units }];
  }
  return number > 1 || !list.every(isWhole) ? [] : [{ kind: 'list', isOrdered: true, intro, units: list }];
};

const proseGroups = (text: string, sentences: readonly Unit[]): StepGroup[] =>
  sentences.flatMap((unit, at): StepGroup[] => {
    // What introduces a list is quoted with the list.
    if (unit.kind !== 'prose') return [];
    const isLeaning = (place: number) => leansOnBefore(textOfUnit(text, sentences[place]));
    let from = at;
    while (from > 0 && at - from < MAX_BEFORE && isLeaning(from)) from -= 1;
    if (isLeaning(from)) return [];
    return [{ kind: 'prose', isOrdered: false, intro: undefined, units: sentences.slice(from, at + 1) }];
  });

/** Sentences that are quoted for the sake of the one behind them. */
const MAX_BEFORE = 2;

const textOfUnit = (text: string, unit: Unit | undefined): string =>
  unit === undefined ? '' : text.slice(unit.start, unit.end);

/** It begins with a word that stands for something said before. */
const leansOnBefore = (sentence: string): boolean => LEANING.test(sentence.slice(0, 80));

const LEANING =
  /^[*_"“(]{0,3}(?:(?:it|its|they|their|these|those|this|that|then|such|either|neither|otherwise|also|both|there|here|however|afterwards|instead|yes|no|er|sie|es|dies|dieser|diese|dieses|das|dann|dort|sonst|danach|il|ils|elle|elles|cela|ceci|alors|sinon|ello|esto|esos|estos|entonces|esso|questo|questi|poi|isto|isso|então|het|deze|dit|dat|dan)(?!\p{L})|(?:\p{L}+ ){0,3}(?:it|them|one)(?! is| takes)(?!\p{L}))/iu;

const introOf = (block: Block, units: readonly Unit[]): Unit | undefined =>
  units.findLast(({ block: kind, quoted, end }) => kind === 'prose' && end <= block.start && quoted.end === block.end);
