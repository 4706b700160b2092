import { analyseText } from '../text/analyse-text.ts';
import { stem } from '../text/stem.ts';

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
