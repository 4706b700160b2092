import { splitBlocks } from '../knowledge/answers/split-blocks.ts';
import { splitSentences } from '../knowledge/answers/split-sentences.ts';
import { analyseText } from '../knowledge/search/analyse-text.ts';
import { stem } from '../knowledge/search/stem.ts';

/** How well one sentence of an answer is backed by texts. */
export interface Support {
  /** Share of its content words that stand close together in one text, 0 to 1. */
  share: number;
  /** The sentence closest to it denies what it affirms, or the other way round. */
  isDenied: boolean;
}

/** From this share on a sentence counts as supported: most of its words stand in three neighbouring sentences. */
export const SUPPORTED_FROM = 0.6;
/** A sentence this close to one of a source says the same thing; what is left to differ is whether it is so. */
const SAME_FROM = 0.8;

/** A text made ready for `supportOf`: its sentences as sets of stems. */
export interface SupportingText {
  plain: string;
  sentences: { stems: Set<string>; isNegated: boolean }[];
}

/** Prepares a source: its title and headings count as said near every sentence. */
export const supportingText = (text: string, title = ''): SupportingText => {
  const above = stemsOf(title);
  const sentences = splitBlocks(text).flatMap((block) => {
    const spans = block.kind === 'prose' ? splitSentences(text, block) : [block];
    return spans.map(({ start, end }) => {
      const sentence = text.slice(start, end);
      return { stems: new Set([...above, ...stemsOf(sentence)]), isNegated: isNegated(sentence) };
    });
  });
  return { plain: collapse(text), sentences };
};

/**
 * Judges one sentence against the texts it may rest on. Words that appear literally, in order, are full support.
 *
 * @returns The best support that any text gives; a sentence without content words needs none.
 */
export const supportOf = (statement: string, texts: readonly SupportingText[]): Support => {
  const words = stemsOf(statement);
  if (words.size === 0 || texts.some(({ plain }) => plain.includes(collapse(statement))))
    return { share: 1, isDenied: false };
  const best = { share: 0, own: 0, isDenied: false };
  for (const { sentences } of texts) {
    sentences.forEach((sentence, at) => {
      const near = [sentences[at - 1], sentence, sentences[at + 1]].filter((each) => each !== undefined);
      best.share = Math.max(
        best.share,
        shareIn(words, (word) => near.some(({ stems }) => stems.has(word))),
      );
      const own = shareIn(words, (word) => sentence.stems.has(word));
      const isDenied = own >= SAME_FROM && sentence.isNegated !== isNegated(statement);
      // Of sentences equally close, one that affirms is enough.
      if (own > best.own || (own === best.own && !isDenied)) Object.assign(best, { own, isDenied });
    });
  }
  return { share: best.share, isDenied: best.isDenied };
};

/** Whether a sentence denies something. */
export const isNegated = (sentence: string): boolean =>
  /\b(?:not|never|no longer|cannot|without|neither|nor)\b|n['’]t\b/i.test(sentence);

/** Stems of the content words of a text. */
export const stemsOf = (text: string): Set<string> => {
  const stems = new Set<string>();
  analyseText(text, (word, kind) => {
    if ((kind === 'word' || kind === 'compound') && word !== 'not') stems.add(stem(word));
  });
  return stems;
};

const shareIn = (words: ReadonlySet<string>, has: (word: string) => boolean): number => {
  let found = 0;
  for (const word of words) found += has(word) ? 1 : 0;
  return found / words.size;
};

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();
