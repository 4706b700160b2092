/** A part of a text, and whether it is marked. */
interface Part {
  text: string;
  isMarked: boolean;
}

const WORD = /[\p{L}\p{N}]+/gu;
/** Shorter words, such as articles and prepositions, are everywhere. */
const MIN_LENGTH = 4;
/** Words that begin alike are forms of one: `resets`, `resetting`. */
const STEM_LENGTH = 5;

const stemOf = (word: string): string => word.toLowerCase().slice(0, STEM_LENGTH);

const counts = (word: string): boolean => word.length >= MIN_LENGTH || /\d/.test(word);

/** Cuts a text so that the words it shares with others are marked; words that follow one another are one part. */
export function markWords(text: string, others: readonly string[]): Part[] {
  const stems = new Set(
    others.flatMap((other) => (other.match(WORD) ?? []).filter(counts).map(stemOf)),
  );
  const parts: Part[] = [];
  const add = (piece: string, isMarked: boolean): void => {
    if (piece === '') return;
    const last = parts.at(-1);
    if (last?.isMarked === isMarked) last.text += piece;
    else parts.push({ text: piece, isMarked });
  };
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const gap = text.slice(end, index);
    const isMarked = counts(word) && stems.has(stemOf(word));
    add(gap, isMarked && parts.at(-1)?.isMarked === true && /^[ \t]$/.test(gap));
    add(word, isMarked);
    end = index + word.length;
  }
  add(text.slice(end), false);
  return parts;
}
