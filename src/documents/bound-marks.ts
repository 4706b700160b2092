import { plainText } from './read-html.ts';

export interface Weights {
  /** Lines that are read, and what counts as much as one. */
  max: number;
  /** Marks within a line, of which four count as much as a line. */
  inline: RegExp;
  /** Lines that cost several others, and how many. */
  heavy?: { line: RegExp; weight: number }[];
}

interface BoundedText {
  text: string;
  /** What comes after, as Markdown that shows it literally; empty when nothing does. */
  rest: string;
  warnings: string[];
}

/**
 * Cuts a text before a library takes too long for it: between two blocks, once it has more marks than people write. What comes after is
 * kept as plain text. Linear: each character is read once.
 */
export function boundMarks(text: string, { max, inline, heavy = [] }: Weights): BoundedText {
  let weight = 0;
  let border = 0;
  let cut: number | undefined;
  for (let start = 0; start < text.length && cut === undefined; ) {
    const end = text.indexOf('\n', start);
    const stop = end === -1 ? text.length : end;
    const line = text.slice(start, stop);
    if (line.trim() === '') border = start;
    else weight += heavy.find((each) => each.line.test(line))?.weight ?? 1;
    for (const match of line.matchAll(inline)) {
      weight += 0.25;
      if (weight <= max) continue;
      // A block that alone has too many marks is cut at a line; a line that has, within it.
      cut = border > start / 2 ? border : start > 0 ? start : match.index;
      break;
    }
    if (weight > max) cut ??= border > start / 2 ? border : start;
    start = stop + 1;
  }
  if (cut === undefined) return { text, rest: '', warnings: [] };
  const lost = text.length - cut;
  return {
    text: text.slice(0, cut),
    rest: plainText(inParagraphs(text.slice(cut))),
    warnings: [
      `Reduced the last ${lost} characters to plain text: the document has more than ${max} lines and marks`,
    ],
  };
}

const MAX_PARAGRAPH = 4000;

/** Short blocks together are one paragraph: each paragraph costs time of its own. */
function inParagraphs(text: string): string {
  const paragraphs: string[] = [];
  let words = '';
  for (const line of text.split('\n')) {
    for (let from = 0; from < line.length || from === 0; from += MAX_PARAGRAPH) {
      const part = line.slice(from, from + MAX_PARAGRAPH).trim();
      if (words.length + part.length > MAX_PARAGRAPH) {
        paragraphs.push(words);
        words = '';
      }
      words += `${words === '' || part === '' ? '' : ' '}${part}`;
    }
  }
  return [...paragraphs, words].join('\n').replaceAll('<', '&lt;');
}
