import PROHIBITIONS from './prohibitions.json' with { type: 'json' };

/** By language: what opens a clause that forbids. */
const FORBIDS = new Map(
  Object.entries(PROHIBITIONS).map(([language, words]) => [
    language,
    new RegExp(`(?:^|[.!;:,–—(]\\s{1,4})[*_"“]{0,3}(?:${words.join('|')})(?!\\p{L})`, 'iu'),
  ]),
);

/**
 * Whether a sentence forbids something: "Do not cut the power while the LED is blue."
 *
 * @param language Primary subtag of BCP 47; in a language without a list nothing is known to forbid.
 */
export const isProhibition = (sentence: string, language: string): boolean =>
  FORBIDS.get(language)?.test(sentence) === true;
