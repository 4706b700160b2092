import type { Reading } from '../../grounding/read-passage.ts';
import type { Question } from '../../grounding/score-sentences.ts';
import { analyseText } from '../../text/analyse-text.ts';
import { stem } from '../../text/stem.ts';

/** A question with what of it tells more than the product, or than any message does. */
export interface AskedQuestion extends Question {
  /** Whether one of its terms does, by their places; any where it says nothing but the product. */
  isTelling(matched: ReadonlySet<number>): boolean;
  /** How much some terms tell of all that any of the passages has, 0 to 1. */
  shareOf(matched: ReadonlySet<number>): number;
}

/**
 * A customer's words as sentences are scored by. How telling each word is comes from the passages at hand: what stands in few
 * of their sentences tells more.
 *
 * @param text At most 4,000 UTF-16 units are read.
 * @param options.names Of products: which one it is about tells little of what is asked.
 */
export const questionOf = (
  text: string,
  readings: readonly Reading[],
  { names = [] }: { names?: readonly string[] } = {},
): AskedQuestion => {
  const read = text.slice(0, MAX_READ);
  const words = new Map<string, string>();
  const sequence: string[] = [];
  const versions = new Set<string>();
  analyseText(read, (word, kind) => {
    // "3.4.1" is asked for as a whole; its 1 stands in every other version.
    const isVersion = kind === 'joined' && /^\d{2,12}$/.test(word);
    if (isVersion) for (const part of partsOf(word, sequence)) versions.add(part);
    if ((kind === 'joined' && !isVersion) || words.size >= MAX_TERMS) return;
    const stemmed = stem(word);
    if (!words.has(stemmed)) words.set(stemmed, word);
    if (!isVersion) sequence.push(stemmed);
  });
  const faint = new Set([...GENERAL, ...versions]);
  analyseText(names.slice(0, MAX_NAMES).join('\n'), (word) => faint.add(stem(word)));
  const units = readings.flatMap(({ units: all }) => all.map(({ words: { stems } }) => new Set(stems)));
  const holders = new Map<string, number>();
  for (const stems of units) for (const each of stems) holders.set(each, (holders.get(each) ?? 0) + 1);
  const holding = (stemmed: string): number => holders.get(stemmed) ?? 0;
  const terms = [...words].map(([stemmed, word]) => {
    const idf = Math.log(1 + (units.length + 0.5) / (holding(stemmed) + 0.5));
    return { word, stem: stemmed, corrections: [], idf: faint.has(stemmed) ? FAINT_SHARE * idf : idf };
  });
  const places = new Map(terms.map(({ stem: stemmed }, at) => [stemmed, at]));
  const neighbours = sequence.slice(1).map((right, at): [number, number] => {
    const left = sequence[at] ?? '';
    return [places.get(left) ?? 0, places.get(right) ?? 0];
  });
  const above = new Set(readings.flatMap((reading) => reading.above.stems));
  const held = terms.reduce(
    (sum, { stem: stemmed, idf }) => (holding(stemmed) > 0 || above.has(stemmed) ? sum + idf : sum),
    0,
  );
  const telling = new Set([...places].flatMap(([stemmed, at]) => (faint.has(stemmed) ? [] : [at])));
  return {
    text: read,
    query: { terms, neighbours, total: terms.reduce((sum, { idf }) => sum + idf, 0) },
    isTelling: (matched) => [...matched].some((at) => telling.size === 0 || telling.has(at)),
    shareOf: (matched) =>
      held === 0 ? 0 : Math.min(1, [...matched].reduce((sum, at) => sum + (terms[at]?.idf ?? 0), 0) / held),
  };
};

/** The last words that together make a joined number. */
const partsOf = (joined: string, sequence: readonly string[]): string[] => {
  const parts: string[] = [];
  for (const word of sequence.toReversed()) {
    if (parts.join('').length >= joined.length) break;
    parts.unshift(word);
  }
  return parts.join('') === joined ? parts : [];
};

const MAX_READ = 4000;
const MAX_NAMES = 200;
const FAINT_SHARE = 0.25;

/** Words of any message. */
export const GENERAL: ReadonlySet<string> = new Set(
  (
    'make get got use do have need want work go put take give try say tell know see look find help problem issue thing way question ' +
    'device unit machine miner hour day week month since ago yesterday today now time anymore after happen nothing error message'
  )
    .split(' ')
    .map(stem),
);
const MAX_TERMS = 40;
