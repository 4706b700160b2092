import type { Reading, Unit } from '../../knowledge/answers/read-passage.ts';
import { type Block, splitBlocks } from '../../knowledge/answers/split-blocks.ts';

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

/** All of a passage that can be quoted, in order. Sentences that are not understood by themselves are left out. */
export const groupsOf = (text: string, { units }: Reading): StepGroup[] =>
  splitBlocks(text).flatMap((block): StepGroup[] => {
    const own = units.filter(({ start, end }) => start >= block.start && end <= block.end);
    if (own.length === 0) return [];
    if (block.kind === 'prose') return proseGroups(text, own);
    if (block.kind !== 'list' && block.kind !== 'table' && block.kind !== 'code') return [];
    const isOrdered = block.kind === 'list' && /\d/.test(text[block.start] ?? '');
    return [{ kind: block.kind, isOrdered, intro: introOf(block, units), units: own }];
  });

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
