import { type Block, parseBlocks } from '../../documents/markdown/blocks.ts';
import { analyseText } from '../../language/analyse-text.ts';
import { type Span, splitSentences, withoutListNumbers } from '../../language/split-sentences.ts';
import { stem } from '../../language/stem.ts';
import { lruCache, memo } from '../../platform/lru-cache.ts';
import { oncePer } from '../../platform/once-per.ts';
import { stemIn } from './edition-stems.ts';
import { cachedChunk, type Edition } from './open-edition.ts';
import { isRepeatedIn } from './repeated-blocks.ts';

/** The smallest unit of text that is shown: a paragraph, a list item, a table row, a code block. */
export interface Piece extends Span {
  kind: 'text' | 'item' | 'row' | 'head' | 'code' | 'list';
  /** Index of its block in the section; pieces of one block are consecutive. */
  block: number;
  /** A step of a numbered list. */
  isStep: boolean;
  /** It introduces the next piece: its last line ends in a colon. */
  announces: boolean;
  /** Visible characters, without link targets and emphasis marks. */
  size: number;
  /** Stems of its content words, in order. */
  stems: readonly string[];
  /** The same, by sentence. */
  sentences: readonly (readonly string[])[];
  /** It occurs in so many articles that it is specific to none. */
  isRepeated: boolean;
}

/** The text below one heading of an article. */
export interface Section {
  /** Index among the sections of its article. */
  at: number;
  /** Headings above it, outermost first, without the article's title. */
  path: readonly string[];
  /** The article's text from `start` to the end of the section; white space between blocks. */
  text: string;
  /** UTF-16 units into the article's text. */
  start: number;
  firstChunk: number;
  endChunk: number;
  pieces: readonly Piece[];
}

/** Cached sections per edition; some 10 kB each. */
const MAX_SECTIONS = 1200;
/** In visible characters. A larger list is split into its items. */
const MAX_WHOLE_BLOCK = 600;

type SectionRange = Pick<Section, 'at' | 'firstChunk' | 'endChunk'>;

/** The ranges of an article's sections, in chunks. */
export function sectionRanges(edition: Edition, article: number): readonly SectionRange[] {
  return rangesOf(edition)(article);
}

/** Articles whose ranges are cached for an edition, with some 200 bytes each. */
const MAX_RANGES = 1000;

const rangesOf = oncePer((edition: Edition) =>
  memo((article: number) => readRanges(edition, article), { max: MAX_RANGES }),
);

const readRanges = (edition: Edition, article: number): readonly SectionRange[] => {
  const { firstChunk, endChunk } = edition.article(article);
  const { headingOf } = edition.index;
  const ranges: SectionRange[] = [];
  for (let chunk = firstChunk; chunk < endChunk; chunk++) {
    const last = ranges.at(-1);
    // Consecutive sections of the same name are merged, as they cannot be distinguished.
    if (last && headingOf(chunk) === headingOf(chunk - 1)) last.endChunk = chunk + 1;
    else ranges.push({ at: ranges.length, firstChunk: chunk, endChunk: chunk + 1 });
  }
  return ranges;
};

/** Cached stems per edition: about 3 MB. */
const MAX_WORDS = 20_000;

/** Words recur, and interned stems are quick to compare. */
const stemmerOf = oncePer((edition: Edition) => {
  const known = new Map<string, string>();
  const same = new Map<string, string>();
  return (word: string, written: string): string => {
    const found = known.get(word);
    if (found !== undefined) return found;
    if (known.size >= MAX_WORDS) {
      known.clear();
      same.clear();
    }
    const made = stemIn(edition, word, written);
    const stemmed = same.get(made) ?? made;
    same.set(stemmed, stemmed);
    known.set(word, stemmed);
    return stemmed;
  };
});

const analysed = oncePer((_: Edition) => lruCache<number, Section>({ max: MAX_SECTIONS }));

/** One section with its pieces, from a least-recently-used cache of `MAX_SECTIONS`. */
export function cachedSection(edition: Edition, range: SectionRange): Section {
  return analysed(edition).getOr(range.firstChunk, () => readSection(edition, range));
}

/** The section that contains a chunk. */
export function sectionOfChunk(edition: Edition, chunk: number): Section {
  const ranges = sectionRanges(edition, cachedChunk(edition, chunk).article);
  const range = ranges.findLast(({ firstChunk }) => firstChunk <= chunk);
  if (range === undefined) throw new RangeError(`No section has the chunk ${chunk}`);
  return cachedSection(edition, range);
}

const readSection = (edition: Edition, { at, firstChunk, endChunk }: SectionRange): Section => {
  const first = cachedChunk(edition, firstChunk);
  let text = '';
  for (let index = firstChunk; index < endChunk; index++) {
    const chunk = cachedChunk(edition, index);
    // Only white space or an invisible comment separates the chunks of a section.
    text = text.padEnd(chunk.start - first.start, '\n') + chunk.text;
  }
  const known = { isRepeated: isRepeatedIn(edition), stemOf: stemmerOf(edition) };
  const pieces = parseBlocks(text)
    .filter(({ kind, start, end }) => kind !== 'raw' && !IMAGE.test(text.slice(start, end)))
    .flatMap((block, place) =>
      piecesOf(text, block).map((piece) => analyse(text, { ...piece, block: place }, known)),
    )
    .filter(({ size }) => size > 0);
  return { at, path: first.headingPath, text, start: first.start, firstChunk, endChunk, pieces };
};

/** A block that is only an image or its caption. */
const IMAGE = /^\s{0,3}(?:!\[[^\]\n]{0,1000}\]\([^)\n]{0,2000}\)|([*_])\([^\n]{0,1000}\)\1)\s*$/;

type RawPiece = Pick<Piece, 'start' | 'end' | 'kind' | 'isStep'>;

const piecesOf = (text: string, block: Block): RawPiece[] => {
  const raw = text.slice(block.start, block.end);
  const isStep = block.kind === 'list' && /^\s*\d/.test(raw);
  const whole = { start: block.start, end: block.end, isStep };
  if (block.kind === 'code')
    return cut(text, whole, MAX_CODE).map((span) => ({ ...span, kind: 'code', isStep: false }));
  if (block.kind === 'list') {
    if (!isStep && isWithin(raw, MAX_WHOLE_BLOCK)) return [{ ...whole, kind: 'list' }];
    return block.items
      .flatMap((item) => cut(text, item))
      .map((span) => ({ ...span, kind: 'item', isStep }));
  }
  if (block.kind === 'table') {
    return block.items.flatMap((row, at) =>
      cut(text, row).map((span) => ({ ...span, kind: at === 0 ? 'head' : 'row', isStep })),
    );
  }
  if (isWithin(raw, MAX_TEXT)) return [{ ...whole, kind: 'text' }];
  return packed(splitSentences(text, block))
    .flatMap((span) => cut(text, span))
    .map((span) => ({ ...span, kind: 'text', isStep: false }));
};

/** In UTF-16 units. Link targets make a piece longer than its visible text; it must not be longer than an answer. */
const MAX_LENGTH = 1300;

const isWithin = (raw: string, most: number): boolean =>
  raw.length <= MAX_LENGTH && visibleSize(raw) <= most;

/** Cuts a span that is too long at the ends of lines, else between words; all of it is in one of the parts. */
const cut = (text: string, { start, end }: Span, most = MAX_LENGTH): Span[] => {
  const parts: Span[] = [];
  let from = start;
  while (end - from > most) {
    const window = text.slice(from, from + most + 1);
    const line = window.lastIndexOf('\n');
    const space = line > 0 ? line : window.search(/\s\S*$/);
    const to = from + (space > 0 ? space : most);
    if (text.slice(from, to).trim() !== '') parts.push({ start: from, end: to });
    from = to + (space > 0 ? 1 : 0);
  }
  if (text.slice(from, end).trim() !== '') parts.push({ start: from, end });
  return parts;
};

/** A larger paragraph is split, in visible characters, and a larger code block, in UTF-16 units. */
const MAX_TEXT = 900;
const MAX_CODE = 1200;

/** Joins consecutive sentences up to the size of a part. */
const packed = (spans: readonly Span[]): Span[] => {
  const parts: Span[] = [];
  for (const { start, end } of spans) {
    const last = parts.at(-1);
    if (last && end - last.start <= MAX_WHOLE_BLOCK) last.end = end;
    else parts.push({ start, end });
  }
  return parts;
};

const linesOf = (text: string, { start, end }: Span): Span[] => {
  const lines: Span[] = [];
  for (let from = start; from < end; ) {
    const found = text.indexOf('\n', from);
    const to = found < 0 || found > end ? end : found;
    if (text.slice(from, to).trim() !== '') lines.push({ start: from, end: to });
    from = to + 1;
  }
  return lines;
};

const analyse = (
  text: string,
  piece: RawPiece & { block: number },
  { isRepeated, stemOf }: { isRepeated: (markdown: string) => boolean; stemOf: StemOf },
): Piece => {
  const raw = text.slice(piece.start, piece.end);
  const sentences = sentenceSpans(text, piece).map(({ start, end }) =>
    stemsOf(text.slice(start, end), stemOf),
  );
  return {
    ...piece,
    announces: /[:：][*_`]{0,3}\s*$/.test(raw),
    size: visibleSize(raw),
    stems: sentences.flat(),
    sentences,
    isRepeated: isRepeated(raw),
  };
};

/** Ranges of the `sentences` of a piece; its lines, unless it is prose. */
export function sentenceSpans(
  text: string,
  { kind, start, end }: Pick<Piece, 'kind' | 'start' | 'end'>,
): Span[] {
  return kind === 'text'
    ? splitSentences(text.slice(start, end)).map((span) => ({
        start: start + span.start,
        end: start + span.end,
      }))
    : linesOf(text, { start, end });
}

/** Stems of the content words of a text, without link targets. */
export function stemsOf(text: string, stemOf: StemOf = stem): string[] {
  const stems: string[] = [];
  analyseText(withoutListNumbers(text).replace(LINK_TARGET, '] '), (word, _, written) =>
    stems.push(stemOf(word, written)),
  );
  return stems;
}

/** The stem of a word; `written` has its diacritics. */
type StemOf = (word: string, written: string) => string;

/** The same as the edition has them, by the languages of its articles. */
export function stemsIn(edition: Edition, text: string): string[] {
  return stemsOf(text, stemmerOf(edition));
}

const LINK_TARGET =
  /\](?:\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?(?:\s+"[^"\n]{0,300}")?\)|\[[^\]\n]{0,200}\])/g;

/** Number of visible characters. */
export function visibleSize(markdown: string): number {
  return markdown
    .replace(LINK_TARGET, ']')
    .replace(/[*`[\]]|^[ \t]+|[ \t]+(?=\|)/gm, '')
    .trim().length;
}
