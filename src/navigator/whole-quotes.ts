import type { NavigatorSource } from '../contract/navigator-response.ts';
import { unescapeHtml } from '../runtime/escape-html.ts';

/**
 * Quotes of whole sentences, items or rows that an answer shows as they are: what is said there is the source's own. A quote cut
 * out of a sentence is none of them, since what was left out may have denied it.
 *
 * @param shown.answer On one line.
 * @returns On one line each.
 */
export const wholeQuotes = (
  sources: readonly NavigatorSource[],
  { answer, knowledge }: { answer: string; knowledge: { article(file: string): { text: string } | undefined } },
): string[] =>
  sources.flatMap(({ file, excerpts = [] }) => {
    const text = knowledge.article(file)?.text ?? '';
    return excerpts
      .filter(
        ({ start, end }) =>
          BEGINS.test(text.slice(Math.max(0, start - 3), start)) && ENDS.test(text.slice(end - 1, end + 1)),
      )
      .map(({ quote }) => unescapeHtml(quote).replace(/\s+/g, ' ').trim())
      .filter((quote) => answer.includes(quote));
  });

/** Before a quote: the beginning, a line break, or the end of a sentence. */
const BEGINS = /^$|\n\s*$|[.!?]\s+$/;
/** Its last character with the next one. */
const ENDS = /^[\s\S]$|^[.!?|:]|\n$/;
