import { WORD, wordsOf } from './source-lines.ts';

/** A name of the marks of the page (CSS Custom Highlight API). */
const MARK = 'passage';

/**
 * Marks the passage of a text from `start` to `end` where it is shown, and scrolls there.
 *
 * @returns Whether it was found among what is shown.
 */
export function markPassage(
  shown: HTMLElement,
  text: string,
  { start, end }: { start: number; end: number },
): boolean {
  const quote = shownWords(text.slice(start, end));
  const before = shownWords(text.slice(0, start)).length;
  const range = quote.length === 0 ? undefined : closestRange(shown, quote, before);
  if (range === undefined) return false;
  // Older browsers only scroll there.
  if (globalThis.CSS?.highlights !== undefined) CSS.highlights.set(MARK, new Highlight(range));
  const { startContainer } = range;
  const at = startContainer instanceof Element ? startContainer : startContainer.parentElement;
  at?.scrollIntoView({ block: 'center' });
  return true;
}

export function unmarkPassage(): void {
  globalThis.CSS?.highlights?.delete(MARK);
}

/** Without the marks of lists, and the names of languages behind fences, which are no text on the page. */
const shownWords = (markdown: string): string[] =>
  wordsOf(
    markdown
      .replace(/^[ \t]*(?:`{3,}|~{3,}).*$/gm, ' ')
      .replace(/^(?:[ \t>]|[-*+] )*\d{1,9}[.)] /gm, ' '),
  );

interface Place {
  node: Text;
  start: number;
  end: number;
}

/** Finds these words one after the other, as close as may be to the words before them in the text. */
const closestRange = (
  shown: HTMLElement,
  quote: readonly string[],
  before: number,
): Range | undefined => {
  const words: string[] = [];
  const places: Place[] = [];
  const walker = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    for (const { 0: word, index } of node.data.matchAll(WORD)) {
      words.push(word.toLowerCase());
      places.push({ node, start: index, end: index + word.length });
    }
  }
  let best = -1;
  for (let at = 0; at + quote.length <= words.length; at += 1) {
    const isNearer = best < 0 || Math.abs(at - before) < Math.abs(best - before);
    if (isNearer && quote.every((word, place) => words[at + place] === word)) best = at;
  }
  const first = places[best];
  const last = places[best + quote.length - 1];
  if (best < 0 || first === undefined || last === undefined) return undefined;
  const range = document.createRange();
  range.setStart(first.node, first.start);
  range.setEnd(last.node, last.end);
  return range;
};
