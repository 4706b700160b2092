/**
 * A unit vector for a text, always the same one, such that texts which share words, beginnings of words or pieces of words
 * are closer than others: hashed features with signs. It knows no synonyms; it stands in for a model, it is none.
 */
export function textVector(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const [feature, weight] of featuresOf(text)) {
    const hash = hashOf(feature);
    const at = hash % dimensions;
    // A count that grows makes a word matter more, but not as much more.
    vector[at] = (vector[at] ?? 0) + (hash & 0x80000000 ? -1 : 1) * Math.sqrt(weight);
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) vector[0] = 1;
  else for (const [at, value] of vector.entries()) vector[at] = value / Math.sqrt(squares);
  return vector;
}

const WORD = 1;
const PAIR = 0.25;
const PIECE = 0.03;
/** Weight of words that nearly every text has. */
const SMALL = 0.05;

const featuresOf = (text: string): Map<string, number> => {
  const features = new Map<string, number>();
  const add = (feature: string, weight: number) =>
    features.set(feature, (features.get(feature) ?? 0) + weight);
  let before = '';
  for (const [word] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    const stem = stemOf(word);
    const isSmall = SMALL_WORDS.has(word);
    add(`w ${stem}`, isSmall ? SMALL : WORD);
    if (before !== '') add(`p ${before} ${stem}`, PAIR);
    before = stem;
    if (isSmall) continue;
    const padded = `<${word.slice(0, 64)}>`;
    for (let at = 0; at + 3 <= padded.length; at += 1) {
      add(`3 ${padded.slice(at, at + 3)}`, PIECE);
      if (at + 4 <= padded.length) add(`4 ${padded.slice(at, at + 4)}`, PIECE);
    }
  }
  return features;
};

/** Cuts the commonest English endings. */
const stemOf = (word: string): string => {
  if (word.length < 5) return word.length > 3 ? word.replace(/(?<=[^s])s$/, '') : word;
  return word.replace(/(?:ies|ied)$/, 'y').replace(/(?<=[^s]{2})(?:ings?|ed|es|s|ly|e)$/, '');
};

const SMALL_WORDS = new Set(
  'a an and are as at be but by can do does for from has have how i if in is it its my not of on or our that the their there this to was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/** FNV-1a over UTF-16 units, its bits mixed once more. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};
