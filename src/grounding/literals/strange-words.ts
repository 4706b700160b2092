import { foundIn } from '../support/find-evidence.ts';
import { readWords } from '../support/read-words.ts';
import { isTelling } from './glue-words.ts';
import type { Ground, GroundText } from './read-grounds.ts';

/**
 * Words of content that neither the passages have nor another form or synonym of them. To a reader who cannot tell, one
 * word more is a fact more: "with vinegar". The model is told which, and finds the passage's own.
 */
export const strangeWords = (text: string, grounds: readonly Ground[]): string[] => {
  const places = grounds.flatMap(({ sentence, above }) => [sentence, ...above].map(({ forms }) => forms));
  const words = readWords(withoutCode(text)).filter(
    (word) =>
      word.role !== 'number' &&
      word.role !== 'negation' &&
      word.role !== 'function' &&
      isTelling(word) &&
      foundIn(word, places) === 0,
  );
  return [...new Set(words.map((word) => word.text))].slice(0, 10);
};

/** Code is held literally against the passages. */
const withoutCode = (text: string): string => text.replace(CODE, ' ');
const CODE = /(`{1,3})[^`]*\1/g;

/**
 * Names, addresses and code that the passages lack: words with a capital within a sentence, hosts, mail addresses, what stands
 * between backticks. Not where all words begin with a capital, as in a heading.
 */
export const strangers = (text: string, texts: readonly GroundText[], known: readonly string[] = []): string[] => {
  const sources = [...texts.flatMap((each) => [each.text, ...each.headings, ...(each.devices ?? [])]), ...known].join(
    '\n',
  );
  const lower = sources.toLowerCase();
  const names = text.match(/(?<=[\p{Ll}\p{N},;:)"'] ["'(]?)\p{Lu}[\p{L}\p{N}]{1,40}/gu) ?? [];
  const addresses =
    text.match(
      /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|\b(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,18}\b(?:\/[^\s)\]>]*)?/gi,
    ) ?? [];
  const unknown = [...names, ...addresses].filter(
    (word) => !holds(lower, word.toLowerCase().replace(/[.,;:!?]+$/, '')),
  );
  const squeezed = squeeze(sources);
  const code = (text.match(CODE) ?? [])
    .map((each) => squeeze(each.replace(/^`+(?:[a-z]{1,12}\n)?|`+$/g, '')))
    .filter((each) => each !== '' && !squeezed.includes(each));
  return [...new Set([...unknown, ...code])].slice(0, 10);
};

const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** As a word, or as the beginning of one: "Kessels" for "Kessel" is no stranger the other way round only. */
const holds = (sources: string, word: string): boolean => {
  for (let at = sources.indexOf(word); at >= 0; at = sources.indexOf(word, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(sources[at - 1] ?? ' ')) return true;
  }
  return false;
};
