import { analyseText, STOP_WORDS, withoutMarks } from '../../language/analyse-text.ts';
import { hashText, placeOfHash, visitPartsOfWord } from '../../language/hashed-features.ts';
import type { Language } from '../../language/language.ts';
import { readMail } from '../../language/mail.ts';
import { isUnspaced, segmentsOf, writtenWords } from '../../language/spaced-words.ts';
import { splitSentences } from '../../language/split-sentences.ts';

/** The features of a text as hashes of 30 bits. */
export interface MessageFeatures {
  /** Its distinct words; in scripts without spaces, those that a dictionary divides it into. */
  words: string[];
  /** Stems and adjacent stems; parts of words; pairs of stems without stop words, wherever they stand. Each has the same weight. */
  blocks: readonly Uint32Array[];
}

/**
 * Reads a text. The stop words are the English ones in all languages: the longer lists of others have words that tell intents apart.
 *
 * @param corrected The word that was probably meant.
 */
export function messageFeatures(
  text: string,
  { stem }: Pick<Language, 'stem'>,
  corrected: (word: string) => string = (word) => word,
): MessageFeatures {
  const words = new Set<string>();
  const content = new Set<string>();
  const sequence = new Set<number>();
  const parts = new Set<number>();
  let before = '';
  analyseText(
    text,
    (word, _kind, written) => {
      const right = corrected(written);
      const own = stem(right);
      if (!hasPairs(word)) words.add(right);
      if (!STOP_WORDS.has(word)) content.add(own);
      sequence.add(featureOf(hashText(own, STEM_SEED)));
      if (before !== '') sequence.add(featureOf(hashText(`${before} ${own}`, NEIGHBOURS_SEED)));
      visitPartsOfWord(right === written ? word : withoutMarks(right), (hash) =>
        parts.add(featureOf(hash)),
      );
      before = own;
    },
    NO_STOP_WORDS,
  );
  for (const word of wordsOfPairs(text)) words.add(word);
  return {
    words: [...words],
    blocks: [sequence, parts, pairsOf([...content])].map((block) => Uint32Array.from(block)),
  };
}

const HANGUL = /\p{sc=Hang}/u;

/** Whether a text is, in part at least, in a script that `analyseText` reads as pairs of characters. */
const hasPairs = (text: string): boolean => isUnspaced(text) || HANGUL.test(text);

/** The words that `analyseText` reads as pairs of characters, which texts on other subjects share. */
const wordsOfPairs = (text: string): string[] => {
  if (!hasPairs(text)) return [];
  return Array.from(segmentsOf(text.normalize('NFKC')))
    .filter(({ segment, isWordLike }) => isWordLike === true && hasPairs(segment))
    .map(({ segment }) => segment);
};

/** Syllables of a Korean word that are compared: particles and endings follow them. */
const KOREAN_STEM = 2;

/** The form in which words of a message are compared with those of examples. */
export function vocabularyStem(word: string, { stem }: Pick<Language, 'stem'>): string {
  return HANGUL.test(word) ? [...word].slice(0, KOREAN_STEM).join('') : stem(word);
}

const NO_STOP_WORDS: ReadonlySet<string> = new Set();
const STEM_SEED = 0x1c9dc511;
const NEIGHBOURS_SEED = 0x2c1b3c6d;
const PAIR_SEED = 0x45ebca6b;

/** Numbers of so many bits need no memory of their own in V8. */
const HASH_BITS = 30;
const featureOf = (hash: number): number => placeOfHash(hash, HASH_BITS);

/** Stems that are paired, the first: bounds the work and the memory for a long text. */
const MAX_PAIRED = 30;

const pairsOf = (stems: readonly string[]): Set<number> => {
  const hashes = stems.slice(0, MAX_PAIRED).map((stem) => hashText(stem, PAIR_SEED));
  const pairs = new Set<number>();
  for (const [at, hash] of hashes.entries())
    for (const other of hashes.slice(at + 1))
      pairs.add(featureOf(Math.imul(Math.min(hash, other), 31) + Math.max(hash, other)));
  return pairs;
};

/** UTF-16 units of a message that are read. */
const MAX_READ = 4000;
/** The first sentences say what a message is about. */
const MAX_SENTENCES = 8;
const MAX_SENTENCE = 300;
/** Messages up to this many words are classified as a whole. */
const FEW_WORDS = 25;

/**
 * The texts that a message is classified by: its first sentences without quoted mail; after them, in a long message, each sentence alone, so
 * that a request is not lost among others.
 */
export function messageTexts(message: string): [whole: string, ...sentences: string[]] {
  const text = readMail(message.slice(0, MAX_READ)).own;
  const sentences = splitSentences(text)
    .slice(0, MAX_SENTENCES)
    .map(({ start, end }) => text.slice(start, Math.min(end, start + MAX_SENTENCE)));
  const beginning = sentences.join('\n');
  const isLong = sentences.length > 1 && writtenWords(beginning).length > FEW_WORDS;
  return isLong ? [beginning, ...sentences] : [beginning];
}
