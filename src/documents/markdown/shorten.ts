import { openFence } from './blocks.ts';

/**
 * Cuts Markdown to a length, at the end of a paragraph, else of a line, a sentence or a word, and closes code that was cut open.
 *
 * @param limit In UTF-16 units, the closing fence included.
 */
export function shorten(markdown: string, limit: number): string {
  if (markdown.length <= limit) return markdown;
  const head = markdown.slice(0, Math.max(0, limit - ROOM_FOR_FENCE));
  const end = ENDS.map((pattern) => lastEnd(head, pattern)).find(
    (place) => place > head.length * LEAST_KEPT,
  );
  const kept = head
    .slice(0, end ?? head.length)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
  const fence = openFence(kept);
  return fence === '' ? kept : `${kept}\n${fence.slice(0, ROOM_FOR_FENCE)}`;
}

const ROOM_FOR_FENCE = 40;
/** An end that would drop more than half is skipped if a lesser kind of end comes later. */
const LEAST_KEPT = 0.5;
const ENDS = [/\n[ \t]*\n/g, /[.!?。！？]["'”’)\]*_`]{0,4}(?=\s)|[。！？]/g, /\n/g, /\s/g];

const lastEnd = (text: string, pattern: RegExp): number => {
  let end = 0;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
};
