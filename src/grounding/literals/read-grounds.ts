import { splitBlocks } from '../../markup/split-blocks.ts';
import { type Span, splitSentences } from '../../text/split-sentences.ts';
import { type Denial, denialsOf } from '../support/denials.ts';
import { readSentence, type SourceSentence } from '../support/prepare-source.ts';
import { type Row, readTable } from './read-table.ts';

/** A passage that a statement may rest on. */
export interface GroundText {
  /** Markdown or plain text. */
  text: string;
  /** Title and headings above it, the innermost last. */
  headings: readonly string[];
  /** Names of the devices that it holds for. */
  devices?: readonly string[] | undefined;
}

/** One thing that a passage says, with all that belongs to it: what may bear a statement, or a part of one. */
export interface Ground {
  /** A sentence, list item, line of code, table row or cell. */
  sentence: SourceSentence;
  /** What stands above it and holds for it: headings, what introduces its list, the heads of its columns. */
  above: readonly SourceSentence[];
  /** What a sentence refers back to by `it` or `they`. */
  leads: SourceSentence | undefined;
  denials: readonly Denial[];
  /** What the heading, introduction or head of the column denies. */
  deniedAbove: readonly Denial[];
  row: Row | undefined;
  devices: readonly string[];
}

/** Passages of up to some 4,000 characters have 20 to 60. */
const MAX_GROUNDS = 200;
const HERE: Span = { start: 0, end: 0 };

/** Reads what a passage says, thing by thing. */
export const readGrounds = ({ text, headings, devices = [] }: GroundText): Ground[] => {
  const titles = headings.filter((each) => each !== '').map((each) => readSentence(each, HERE));
  const names = devices.map((each) => readSentence(each, HERE));
  const grounds: Ground[] = [];
  let inner: SourceSentence[] = [];
  let introduction: SourceSentence | undefined;
  let leads: SourceSentence | undefined;
  const add = (sentence: SourceSentence, more: { above?: SourceSentence[]; row?: Row } = {}) => {
    const closest = inner.at(-1) ?? titles.at(-1);
    const own = [...(more.above ?? []), ...(introduction ? [introduction] : []), ...(closest ? [closest] : [])];
    grounds.push({
      sentence,
      above: [...own, ...titles, ...names, ...inner],
      leads: sentence.words.some((word) => REFERRING.has(word.text)) ? leads : undefined,
      denials: denialsOf(sentence.words, { asVerbs: true }),
      deniedAbove: own.flatMap(({ words }) => denialsOf(words)),
      row: more.row,
      devices,
    });
  };
  for (const block of splitBlocks(text)) {
    const said = text.slice(block.start, block.end);
    if (block.kind === 'raw') continue;
    if (block.kind === 'heading') {
      inner = [...inner.slice(-1), readSentence(said.replace(/^#+/, ''), HERE)];
      [introduction, leads] = [undefined, undefined];
    } else if (block.kind === 'table') {
      for (const row of readTable(said)) add(row.sentence, { above: [row.head], ...(row.row ? { row: row.row } : {}) });
      [introduction, leads] = [undefined, undefined];
    } else {
      const spans = block.items.length > 0 ? block.items : [block];
      for (const span of spans) {
        if (block.kind === 'list') leads = undefined;
        const label = block.kind === 'list' ? labelOf(text.slice(span.start, span.end)) : [];
        for (const { start, end } of splitSentences(text, span)) {
          const sentence = readSentence(text.slice(start, end).replace(MARK, ''), { start, end });
          add(sentence, { above: label });
          leads = sentence;
        }
      }
      introduction = block.kind === 'prose' && leads !== undefined && /:[*_\s]*$/.test(said) ? leads : undefined;
    }
    if (grounds.length >= MAX_GROUNDS) break;
  }
  return grounds.slice(0, MAX_GROUNDS);
};

/** The number of a list item counts nothing. */
const MARK = /^\s*(?:[-*+>]|\d{1,3}[.)])\s+/;

/** "- **Pools** pay when ..." holds for all sentences of its item. */
const labelOf = (item: string): SourceSentence[] => {
  const label = /^\s*(?:[-*+]|\d{1,3}[.)])\s+\*\*([^*\n]{1,80})\*\*/.exec(item)?.[1];
  return label === undefined ? [] : [readSentence(label, HERE)];
};

const REFERRING: ReadonlySet<string> = new Set(
  'it its they them their this these that those both one there'.split(' '),
);
