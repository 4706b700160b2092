import type { Reading } from '../../knowledge/answers/read-passage.ts';
import type { Question } from '../../knowledge/answers/score-sentences.ts';
import { analyseText } from '../../knowledge/search/analyse-text.ts';
import { stem } from '../../knowledge/search/stem.ts';

/**
 * A customer's words as sentences are scored by. How telling each word is comes from the passages at hand: what stands in few
 * of their sentences tells more.
 *
 * @param text At most 4,000 UTF-16 units are read.
 */
export const questionOf = (text: string, readings: readonly Reading[]): Question => {
  const read = text.slice(0, MAX_READ);
  const words = new Map<string, string>();
  const sequence: string[] = [];
  analyseText(read, (word, kind) => {
    if (kind === 'joined' || words.size >= MAX_TERMS) return;
    const stemmed = stem(word);
    if (!words.has(stemmed)) words.set(stemmed, word);
    sequence.push(stemmed);
  });
  const units = readings.flatMap(({ units: all }) => all.map(({ words: { stems } }) => new Set(stems)));
  const terms = [...words].map(([stemmed, word]) => {
    const holders = units.filter((stems) => stems.has(stemmed)).length;
    return { word, stem: stemmed, corrections: [], idf: Math.log(1 + (units.length + 0.5) / (holders + 0.5)) };
  });
  const places = new Map(terms.map(({ stem: stemmed }, at) => [stemmed, at]));
  const neighbours = sequence.slice(1).map((right, at): [number, number] => {
    const left = sequence[at] ?? '';
    return [places.get(left) ?? 0, places.get(right) ?? 0];
  });
  return { text: read, query: { terms, neighbours, total: terms.reduce((sum, { idf }) => sum + idf, 0) } };
};

const MAX_READ = 4000;
const MAX_TERMS = 40;
