/** FNV-1a over the UTF-16 units of a text, from `seed` on: http://www.isthe.com/chongo/tech/comp/fnv/ */
export function hashText(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
}

const FNV_PRIME = 0x01000193;

/** The place of a hash in a table of 2 ** `bits`: the upper bits, after the finaliser of MurmurHash3. */
export function placeOfHash(hash: number, bits: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> (32 - bits);
}

/**
 * Visits the hashes of the parts of a word, with its ends: of 2 to 5 characters, and of single ones where words are not separated. A
 * misspelt, inflected or compound word shares most of them with the word itself.
 */
export function visitPartsOfWord(word: string, visit: (hash: number) => unknown): void {
  const isUnspaced = UNSPACED.test(word);
  const marked = isUnspaced ? word : `^${word}$`;
  const least = isUnspaced ? 1 : 2;
  for (let start = 0; start < marked.length; start += 1) {
    let hash = PART_SEED;
    for (let length = 1; length <= MAX_PART && start + length <= marked.length; length += 1) {
      hash = Math.imul(hash ^ marked.charCodeAt(start + length - 1), FNV_PRIME);
      if (length >= least) visit(hash);
    }
  }
}

const PART_SEED = 0x811c9dc5;
const MAX_PART = 5;
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Hang}]/u;
