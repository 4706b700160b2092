import { closeFence, unclosedFence } from '../../documents/markdown/fences.ts';
import {
  type CachedChunk,
  cachedChunk,
  type Edition,
} from '../../knowledge/edition/open-edition.ts';
import type { Piece, Section } from '../../knowledge/edition/sections.ts';
import type { Span } from '../../language/split-sentences.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { Unit } from './units.ts';

/** Consecutive pieces of a section, shown as in the article. */
interface Run extends Span {
  section: Section;
  isRow: boolean;
}

/**
 * Renders a unit as Markdown in the words of the article; further parts follow below their headings. Omitted pieces leave a gap, and an open
 * fence is closed.
 */
export function passageMarkdown({ parts, isCut, kind }: Unit): string {
  const [first] = parts;
  const text = parts
    .map(({ section, pieces }) => {
      const own = section.path.at(-1);
      const heading = section === first.section || own === undefined ? '' : `**${own}**\n\n`;
      return heading + joinRuns(runsOf(section, pieces));
    })
    .join('\n\n');
  return closeFence(isCut && kind !== 'rows' ? `${text}\n\n…` : text);
}

/** Ranges of a unit's words by chunk, in article order: `chunk.text.slice(start, end)`. */
export function excerptsOf(
  edition: Edition,
  { parts }: Unit,
): { chunk: CachedChunk; start: number; end: number }[] {
  return parts.flatMap(({ section, pieces }) =>
    runsOf(section, pieces).flatMap(({ start, end }) => {
      const excerpts: { chunk: CachedChunk; start: number; end: number }[] = [];
      for (
        let index = chunkFrom(edition, section, section.start + start);
        index < section.endChunk;
        index++
      ) {
        const chunk = cachedChunk(edition, index);
        if (chunk.start >= section.start + end) break;
        const from = Math.max(0, section.start + start - chunk.start);
        const to = Math.min(chunk.text.length, section.start + end - chunk.start);
        if (from < to && chunk.text.slice(from, to).trim() !== '')
          excerpts.push({ chunk, start: from, end: to });
      }
      return excerpts;
    }),
  );
}

/** The last chunk of a section or article that begins at or before a position of the article. */
export function chunkFrom(
  edition: Edition,
  { firstChunk, endChunk }: Pick<Section, 'firstChunk' | 'endChunk'>,
  place: number,
): number {
  let [low, high] = [firstChunk, endChunk - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (cachedChunk(edition, middle).start <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The headings above a passage: without them, "Damage after a crash" may mean the opposite. */
export function headingOf({ unit }: { unit: Unit }): string {
  return unit.parts[0].section.path.join(' › ');
}

const runsOf = (section: Section, pieces: readonly Piece[]): Run[] => {
  const runs: (Run & { last: number })[] = [];
  for (const piece of pieces) {
    const place = placesOf(section).get(piece.start) ?? -1;
    const run = runs.at(-1);
    // Adjacent pieces may be separated by hidden text, such as a script, or by the rest of a piece that was cut.
    const isNext =
      run && place === run.last + 1 && IS_BLANK.test(section.text.slice(run.end, piece.start));
    if (isNext) Object.assign(run, { end: piece.end, last: place });
    else
      runs.push({
        section,
        start: piece.start,
        end: piece.end,
        last: place,
        isRow: piece.kind === 'row',
      });
  }
  return runs;
};

const IS_BLANK = /^\s*$/;

const placesOf = oncePer(
  ({ pieces }: Section) => new Map(pieces.map(({ start }, place) => [start, place])),
);

const joinRuns = (runs: readonly Run[]): string =>
  runs
    .map(({ section, start, end, isRow }, at) => {
      const separator = at === 0 ? '' : isRow ? '\n' : '\n\n';
      return (
        separator +
        fenceAt(section, start) +
        section.text.slice(start, end).replace(/\n{3,}/g, '\n\n')
      );
    })
    .join('');

/** The fence of the code block in which a part of it begins. */
const fenceAt = ({ text }: Section, start: number): string => {
  const fence = unclosedFence(text.slice(0, start));
  return fence === '' ? '' : `${fence}\n`;
};
