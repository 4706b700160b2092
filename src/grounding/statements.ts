import { splitBlocks } from '../markup/split-blocks.ts';
import { type Span, splitSentences } from '../text/split-sentences.ts';

/** A sentence longer than this is compared in pieces, so that nothing hides in it and the work stays bounded. */
const MAX_LENGTH = 300;

/** What a Markdown text states: its sentences, those of list items, its table rows and code blocks. Headings are left out. */
export const statementSpans = (text: string): Span[] =>
  splitBlocks(text)
    .flatMap((block): readonly Span[] => {
      if (block.kind === 'raw' || block.kind === 'heading') return [];
      if (block.kind === 'prose') return splitSentences(text, block);
      if (block.kind === 'list') return block.items.flatMap((item) => splitSentences(text, item));
      return block.items.length > 0 ? block.items : [block];
    })
    .flatMap((span) => piecesOf(text, span));

const piecesOf = (text: string, { start, end }: Span): Span[] => {
  const pieces: Span[] = [];
  let from = start;
  while (end - from > MAX_LENGTH) {
    const part = text.slice(from, from + MAX_LENGTH);
    const cut = Math.max(part.lastIndexOf(', '), part.lastIndexOf('; '), part.lastIndexOf('\n'));
    const at = from + (cut > MAX_LENGTH / 2 ? cut + 1 : Math.max(part.lastIndexOf(' '), MAX_LENGTH / 2));
    pieces.push({ start: from, end: at });
    from = at;
  }
  return [...pieces, { start: from, end }];
};

/** A statement without the marks of Markdown and quotation, list mark and final stop, on one line and in lower case. */
export const plainOf = (statement: string): string =>
  statement
    .replace(/^\s*(?:[-*+>]|#{1,6}|\d{1,3}[.)])\s+/, '')
    .replace(/[*_`"“”'‘’\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!?;:,…]+$/, '')
    .toLowerCase();
