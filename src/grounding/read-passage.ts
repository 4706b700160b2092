import { type Block, splitBlocks } from '../markup/split-blocks.ts';
import { oncePer } from '../runtime/once-per.ts';
import type { ChunkAtHand } from '../search/chunks-at-hand.ts';
import { analyseText, type WordKind } from '../text/analyse-text.ts';
import { type Span, splitSentences } from '../text/split-sentences.ts';
import { stem } from '../text/stem.ts';

/** The content words of a text, in order; the three arrays go together. */
export interface Words {
  words: readonly string[];
  stems: readonly string[];
  kinds: readonly WordKind[];
}

/** What can be quoted: a sentence of prose, a list item, a table row, a code block. */
export interface Unit extends Span {
  /** Of the block it stands in. */
  block: QuotableKind;
  /** Of what is quoted for it: a sentence that introduces a list is quoted with the list. */
  kind: QuotableKind;
  /** It is, or introduces, numbered steps or code: what "How do I ...?" asks for. */
  isSteps: boolean;
  quoted: Span;
  /** Of a table that it is a row of, or introduces: its rows, the head (with the delimiter row) first. */
  rows: readonly Span[];
  words: Words;
}

type QuotableKind = 'prose' | 'list' | 'table' | 'code';

/** All of a passage that does not depend on the question. */
export interface Reading {
  units: readonly Unit[];
  /** Of the title and the headings. */
  above: Words;
}

/** A list, table or code block longer than this is quoted by its items around the best one. In UTF-16 units. */
export const MAX_BLOCK_LENGTH = 1200;
/** Sentences are read and quoted so far; the longest of 17,000 measured has 1,222 characters. */
export const MAX_SENTENCE_LENGTH = 1600;

/** Splits and analyses a passage, once for all questions. */
export const readPassage = ({
  text,
  title,
  headingPath,
}: {
  text: string;
  title: string;
  headingPath: readonly string[];
}): Reading => {
  const blocks = splitBlocks(text);
  const units: Omit<Unit, 'words'>[] = [];
  blocks.forEach((block, at) => {
    if (block.kind === 'prose') units.push(...sentenceUnits(text, block, blocks[at + 1]));
    else if (isWhole(block)) units.push(...itemUnits(text, block, units.at(-1)));
  });
  return {
    units: units.map((unit) => ({ ...unit, words: readWords(text.slice(unit.start, unit.end)) })),
    above: readWords([title, ...headingPath].join('\n')),
  };
};

/** The chunk split and analysed, ready to be compared with questions. */
export const readingOf: (chunk: ChunkAtHand) => Reading = oncePer(({ text, headingPath, source }: ChunkAtHand) =>
  readPassage({ text, title: source.title, headingPath }),
);

const readWords = (text: string): Words => {
  const words: string[] = [];
  const stems: string[] = [];
  const kinds: WordKind[] = [];
  analyseText(text, (word, kind) => {
    words.push(word);
    stems.push(stem(word));
    kinds.push(kind);
  });
  return { words, stems, kinds };
};

const sentenceUnits = (text: string, block: Block, next: Block | undefined): Omit<Unit, 'words'>[] => {
  const sentences = splitSentences(text, block).map(({ start, end }) => ({
    start,
    end: Math.min(end, start + MAX_SENTENCE_LENGTH),
  }));
  const opensNext = next !== undefined && isWhole(next) && /:[*_]{0,2}$/.test(text.slice(block.start, block.end));
  return sentences.map((sentence, at) => {
    const introduces = opensNext && at === sentences.length - 1 && next.end - sentence.start <= MAX_BLOCK_LENGTH;
    const plain = { ...sentence, block: 'prose', kind: 'prose', isSteps: false, quoted: sentence, rows: [] } as const;
    if (!introduces) return plain;
    const quoted = { start: sentence.start, end: next.end };
    return { ...plain, kind: next.kind, isSteps: isSteps(text, next), quoted, rows: rowsOf(next) };
  });
};

const rowsOf = ({ kind, items }: Block): readonly Span[] => (kind === 'table' ? items : []);

const isSteps = (text: string, { kind, start }: Block) =>
  kind === 'code' || (kind === 'list' && /\d/.test(text[start] ?? ''));

const isWhole = (block: Block): block is Block & { kind: 'list' | 'table' | 'code' } =>
  block.kind === 'list' || block.kind === 'table' || block.kind === 'code';

const itemUnits = (
  text: string,
  block: Block & { kind: QuotableKind },
  before: Pick<Unit, 'start' | 'quoted'> | undefined,
): Omit<Unit, 'words'>[] => {
  const { kind } = block;
  const items = block.items.length > 0 ? block.items : [{ start: block.start, end: block.end }];
  const whole = { start: before?.quoted.end === block.end ? before.start : block.start, end: block.end };
  return items.map((item) => {
    const quoted = whole.end - whole.start <= MAX_BLOCK_LENGTH ? whole : aroundItem(text, items, item);
    return { ...item, block: kind, kind, isSteps: isSteps(text, block), quoted, rows: rowsOf(block) };
  });
};

/** Whole items before and after one, as many as fit; an item too long by itself is cut at a line. */
const aroundItem = (text: string, items: readonly Span[], item: Span): Span => {
  let { start, end } = item;
  let first = items.indexOf(item);
  let last = first;
  for (;;) {
    const after = items[last + 1];
    const before = items[first - 1];
    if (after && after.end - start <= MAX_BLOCK_LENGTH) {
      end = after.end;
      last += 1;
    } else if (before && end - before.start <= MAX_BLOCK_LENGTH) {
      start = before.start;
      first -= 1;
    } else break;
  }
  if (end - start <= MAX_BLOCK_LENGTH) return { start, end };
  const line = text.lastIndexOf('\n', start + MAX_BLOCK_LENGTH);
  return { start, end: line > start ? line : start + MAX_BLOCK_LENGTH };
};
