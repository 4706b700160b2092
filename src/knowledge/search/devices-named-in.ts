import { wordsOf } from '../../language/analyse-text.ts';
import possession from '../../language/lists/possession.json' with { type: 'json' };
import { splitSentences } from '../../language/split-sentences.ts';
import { oncePer } from '../../platform/once-per.ts';

/** Longer texts are cut here, in UTF-16 units. */
const MAX_TEXT = 1_000;

/** Devices of a list that a text names in full; "Apollo II" does not also name "Apollo". */
export function devicesNamedIn(text: string, devices: readonly string[]): string[] {
  if (devices.length === 0) return [];
  const words = wordsOf(text.slice(0, MAX_TEXT));
  const named = withWords(devices).filter(
    ({ words: parts }) => parts.length > 0 && standTogether(parts, words),
  );
  const isPartOf = (short: string[], long: string[]) =>
    short.length < long.length && standTogether(short, long);
  return named
    .filter(({ words: parts }) => !named.some((other) => isPartOf(parts, other.words)))
    .map(({ device }) => device);
}

/** The Roman numerals of one to ten. */
export const ROMAN = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x'];

/** Devices by the words that name them. "Apollo II" is also Apollo 2 and Apollo2, and the Apollo next to it Apollo 1. */
export const deviceForms = oncePer((devices: readonly string[]): ReadonlyMap<string, string> => {
  const forms = new Map<string, string>();
  for (const device of devices) {
    forms.set(device, device);
    const { family, number } = numbered(device);
    const isFirst =
      number === 0 &&
      devices.some((other) => other !== device && numbered(other).family === device);
    if (number === 0 && !isFirst) continue;
    for (const sign of [String(number || 1), ROMAN[(number || 1) - 1] ?? ''])
      for (const form of [`${family} ${sign}`, `${family}${sign}`])
        if (!devices.includes(form)) forms.set(form, device);
  }
  return forms;
});

/** The same as a list. */
const formsOf = oncePer((devices: readonly string[]): readonly string[] => [
  ...deviceForms(devices).keys(),
]);

/** Devices that a text names, in any of their forms. */
export function devicesNamedAs(text: string, devices: readonly string[]): string[] {
  return devicesNamedIn(text, formsOf(devices)).flatMap(
    (form) => deviceForms(devices).get(form) ?? [],
  );
}

/** The words of each device. */
export function wordsOfDevices(devices: readonly string[]): readonly string[][] {
  return withWords(devices).map(({ words }) => words);
}

/** The family of a device and its number in it; 0 for a device without one. */
const numbered = (device: string): { family: string; number: number } => {
  // "hydrovi" ends in no number, "hydro vi" and "hydro2" do.
  const [, family = '', sign = ''] =
    /^(.{2,}?)(?:[ -](?=[ivx\d])|(?=\d))([ivx]{1,4}|\d{1,2})$/.exec(device) ?? [];
  const number = /^\d/.test(sign) ? Number(sign) : ROMAN.indexOf(sign) + 1;
  return number > 0 ? { family, number } : { family: device, number: 0 };
};

/** Cached by list: an edition returns the same list for every question. */
const withWords = oncePer((devices: readonly string[]) =>
  devices.map((device) => ({ device, words: wordsOf(device) })),
);

const standTogether = (parts: readonly string[], words: readonly string[]): boolean =>
  words.some((_, at) => parts.every((part, offset) => words[at + offset] === part));

/**
 * Devices that a person has, as far as facts about them say so without a doubt. A device is not counted where its clause denies, ends or
 * only considers having it ("I sold my Apollo II"), nor where any other fact does: which of two facts is newer is not known.
 */
export function devicesOwned(facts: readonly string[], devices: readonly string[]): string[] {
  if (devices.length === 0) return [];
  const owned = new Set<string>();
  const denied = new Set<string>();
  for (const fact of facts) {
    const text = fact.slice(0, MAX_TEXT);
    for (const { start, end } of splitSentences(text)) {
      const clauses = text.slice(start, end).split(CLAUSE_ENDS);
      const named = clauses.map((clause) => devicesNamedIn(clause, devices));
      for (const [at, clause] of clauses.entries()) {
        // "bought an Apollo II, but returned it"
        const until = named.findIndex((devices, place) => place > at && devices.length > 0);
        const more = clauses.slice(at + 1, until < 0 ? undefined : until).join(' ');
        const isTakenBack = isDenied(more) && hasWordOf(more, PRONOUNS);
        for (const device of named[at] ?? [])
          (isDenied(clause) || isTakenBack ? denied : owned).add(device);
      }
    }
  }
  return [...owned].filter((device) => !denied.has(device));
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const DENIALS = setOf(Object.values(possession.denials).join(' '));
const PRONOUNS = setOf(possession.pronouns);
const CLAUSE_ENDS = new RegExp(
  `[,;:()\\n]*\\s(?:${possession.clauses.replaceAll(' ', '|')})(?=\\s)|[,;:()\\n]+`,
  'iu',
);

const hasWordOf = (text: string, words: ReadonlySet<string>): boolean =>
  (text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []).some((word) => words.has(word));

const isDenied = (clause: string): boolean =>
  /n['’]t(?!\p{L})/iu.test(clause) || hasWordOf(clause, DENIALS);
