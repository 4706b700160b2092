import { cellAskedFor, cellsOf } from '../../answering/passages/units.ts';
import { parseQuestion } from '../../answering/understand/parse-question.ts';
import { EXCERPT_MAX_LENGTH } from '../../contract/wire/knowledge.ts';
import { plainHeading } from '../../documents/markdown/render-markdown.ts';
import { cachedArticle, cachedChunk, type Edition } from '../../knowledge/edition/open-edition.ts';
import {
  type Piece,
  type Section,
  sectionOfChunk,
  sentenceSpans,
  stemsIn,
} from '../../knowledge/edition/sections.ts';
import type { RankedSource } from './rank-sources.ts';

/**
 * The sentence of the found sections that has most of the question, with what follows it, as plain text of at most 150 characters below its
 * heading. A list begins with what announces it, a procedure with its first step; a table row has the names of its columns, and the one
 * cell that the question names stands alone.
 */
export function excerptOf(
  edition: Edition,
  { article, chunks, text }: Pick<RankedSource, 'article' | 'chunks' | 'text'>,
): string {
  const question = parseQuestion(edition, text);
  const { title, firstChunk } = cachedArticle(edition, article);
  let best: { section: Section; shown: string; weight: number } | undefined;
  for (const chunk of chunks) {
    const section = sectionOfChunk(edition, chunk);
    const heading = headingOf(section, title);
    const inHeadings = new Set(stemsIn(edition, section.path.join('\n')));
    const lines = linesOf(section, cachedChunk(edition, chunk).start - section.start);
    for (const [at, { stems }] of lines.entries()) {
      const weight = question.terms.reduce((sum, { idf, forms }) => {
        const isIn = (words: ReadonlySet<string>) => [...forms].some((form) => words.has(form));
        return sum + (isIn(stems) ? idf : isIn(inHeadings) ? idf / 2 : 0);
      }, 0);
      if (weight <= (best?.weight ?? -1)) continue;
      const shown = heading + startingAt(lines, at, EXCERPT_MAX_LENGTH - heading.length);
      best = { section, shown, weight };
    }
  }
  // Everything found is an image, or boilerplate of many articles.
  if (best === undefined)
    return cutAtWord(plain(edition.chunk(chunks[0] ?? firstChunk).text), EXCERPT_MAX_LENGTH);
  const { section } = best;
  const cell = cellAskedFor({ parts: [{ section, pieces: section.pieces }] }, question);
  return cutAtWord(
    cell === undefined ? best.shown : headingOf(section, title) + plain(cell),
    EXCERPT_MAX_LENGTH,
  );
}

/** The heading, if it adds to the title and leaves room for the passage. */
const headingOf = ({ path }: Section, title: string): string => {
  const heading = plain(path.at(-1) ?? '');
  if (heading === '' || heading.length > MAX_HEADING || title.includes(heading)) return '';
  return /[.:?!]$/.test(heading) ? `${heading} ` : `${heading}: `;
};
const MAX_HEADING = 60;

/** A sentence, list item or table row. */
interface Line extends Pick<Piece, 'block' | 'kind' | 'isStep'> {
  /** As displayed. */
  text: string;
  stems: ReadonlySet<string>;
}

/** In a long section, only lines this close to the start of the hit are considered, in UTF-16 units. */
const MAX_DISTANCE = 4000;
const MAX_LINES = 200;

const linesOf = (section: Section, hitAt: number): Line[] => {
  const lines: Line[] = [];
  let columns: string[] = [];
  for (const piece of section.pieces) {
    if (piece.isRepeated) continue;
    const isRow = piece.kind === 'row';
    const raw = section.text.slice(piece.start, piece.end);
    if (piece.kind === 'head') columns = cellsOf(raw.split('\n')[0] ?? '').map(plain);
    if (piece.kind === 'head' || Math.abs(piece.start - hitAt) > MAX_DISTANCE) continue;
    for (const [at, { start, end }] of sentenceSpans(section.text, piece).entries()) {
      const source = section.text.slice(start, end);
      const text = isRow ? rowText(columns, cellsOf(source).map(plain)) : plain(source);
      if (text === '' || lines.length === MAX_LINES) continue;
      const { block, kind, isStep } = piece;
      lines.push({ block, kind, isStep, text, stems: new Set(piece.sentences[at]) });
    }
  }
  return lines;
};

/** "Code: E60, Meaning: the fan stands still." */
const rowText = (columns: readonly string[], cells: readonly string[]): string =>
  `${cells.flatMap((cell, at) => (cell === '' ? [] : columns[at] ? `${columns[at]}: ${cell}` : cell)).join(', ')}.`;

/** As many lines as fit, at least one. */
const startingAt = (lines: readonly Line[], at: number, room: number): string => {
  const { block, kind, isStep, text } = lines[at] as Line;
  const first = lines.findIndex((line) => line.block === block);
  const before = lines[first - 1]?.text ?? '';
  let shown =
    kind !== 'text' && before.endsWith(':') && before.length + text.length < room ? before : '';
  for (const line of lines.slice(isStep || kind === 'code' ? first : at)) {
    const isOpen = shown === '' || shown.endsWith(':');
    if (!isOpen && shown.length + line.text.length >= room) break;
    shown = `${shown} ${line.text}`.trim();
  }
  return shown;
};

/** The visible words on one line, without marks of quotes and lists. */
const plain = (markdown: string): string =>
  plainHeading(
    markdown.replace(
      /^(?:[ \t]{0,20}(?:>|[-*+](?=\s)|`{3}[^\n]{0,40}|~{3}[^\n]{0,40})[ \t]{0,8}){1,4}/gm,
      '',
    ),
  );

/** At most `length` UTF-16 units, cut after a word and marked, never within a surrogate pair. */
const cutAtWord = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const room = text.slice(0, length - 1);
  const space = /\s/.test(text.charAt(length - 1)) ? room.length : room.lastIndexOf(' ');
  const cut = space > length / 2 ? room.slice(0, space) : room.replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.replace(/[\s,;:.(–-]+$/u, '')}…`;
};
