import { oncePer } from '../runtime/once-per.ts';
import { wordsOf } from '../text/analyse-text.ts';

/** Longer texts are cut here, in UTF-16 units. */
const MAX_TEXT = 1_000;

/** Devices of a list that a text names in full; "Apollo II" does not also name "Apollo". */
export const devicesNamedIn = (text: string, devices: readonly string[]): string[] => {
  if (devices.length === 0) return [];
  const words = wordsOf(text.slice(0, MAX_TEXT));
  const named = withWords(devices).filter(({ words: parts }) => parts.length > 0 && standTogether(parts, words));
  const isPartOf = (short: string[], long: string[]) => short.length < long.length && standTogether(short, long);
  return named
    .filter(({ words: parts }) => !named.some((other) => isPartOf(parts, other.words)))
    .map(({ device }) => device);
};

/** Cached by list: an edition returns the same list for every question. */
const withWords = oncePer((devices: readonly string[]) =>
  devices.map((device) => ({ device, words: wordsOf(device) })),
);

const standTogether = (parts: readonly string[], words: readonly string[]): boolean =>
  words.some((_, at) => parts.every((part, offset) => words[at + offset] === part));
