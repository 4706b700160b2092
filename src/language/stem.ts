/**
 * The stem of an English word, by M. F. Porter, "An algorithm for suffix stripping" (Program 14(3), 1980), with the two
 * departures its author later published: `-bli` becomes `-ble`, and `-logi` becomes `-log`.
 *
 * Applied to text in any language: few words of others end in these suffixes, and queries and articles are treated alike.
 *
 * @param word Lower case. Anything but a run of three or more letters a to z comes back unchanged.
 */
export function stem(word: string): string {
  if (word.length < 3 || !LETTERS.test(word)) return word;
  let result = removePlural(word);
  result = removePast(result);
  if (result.endsWith('y') && hasVowel(result, result.length - 1))
    result = `${result.slice(0, -1)}i`;
  result = replaceSuffix(result, STEP_2_SUFFIXES, 0);
  result = replaceSuffix(result, STEP_3_SUFFIXES, 0);
  result = replaceSuffix(result, STEP_4_SUFFIXES, 1);
  return removeFinalE(result);
}

const LETTERS = /^[a-z]+$/;

/** The longer of two matching suffixes is listed first. */
const STEP_2_SUFFIXES: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
];

const STEP_3_SUFFIXES: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

/** `ion` is removed only after `s` or `t`. */
const STEP_4_SUFFIXES: readonly (readonly [string, string])[] = [
  'al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize'.split(' '),
].flatMap((suffixes) =>
  suffixes.map((suffix) => [suffix, /^[st]ion$/.test(suffix) ? suffix.slice(0, 1) : ''] as const),
);

const isVowel = (word: string, at: number): boolean => {
  switch (word.charCodeAt(at)) {
    case 97:
    case 101:
    case 105:
    case 111:
    case 117:
      return true;
    case 121: // y is a vowel after a consonant
      return at > 0 && !isVowel(word, at - 1);
    default:
      return false;
  }
};

const hasVowel = (word: string, end: number): boolean => {
  for (let at = 0; at < end; at++) if (isVowel(word, at)) return true;
  return false;
};

/** The paper's m: how often a vowel run is followed by a consonant run in the first `end` letters. */
const measure = (word: string, end: number): number => {
  let count = 0;
  let afterVowel = false;
  for (let at = 0; at < end; at++) {
    const vowel = isVowel(word, at);
    if (afterVowel && !vowel) count++;
    afterVowel = vowel;
  }
  return count;
};

/** The paper's *o: consonant, vowel, consonant at the end, the last one not w, x or y. */
const endsShort = (word: string): boolean => {
  const last = word.length - 1;
  if (last < 2 || isVowel(word, last) || !isVowel(word, last - 1) || isVowel(word, last - 2))
    return false;
  return !'wxy'.includes(word.charAt(last));
};

const endsDouble = (word: string): boolean => {
  const last = word.length - 1;
  return last > 0 && word.charCodeAt(last) === word.charCodeAt(last - 1) && !isVowel(word, last);
};

/** Step 1a. */
const removePlural = (word: string): string => {
  if (!word.endsWith('s') || word.endsWith('ss')) return word;
  return word.endsWith('sses') || word.endsWith('ies') ? word.slice(0, -2) : word.slice(0, -1);
};

/** Step 1b. */
const removePast = (word: string): string => {
  if (word.endsWith('eed')) return measure(word, word.length - 3) > 0 ? word.slice(0, -1) : word;
  const cut = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  if (cut === 0 || !hasVowel(word, word.length - cut)) return word;
  const rest = word.slice(0, -cut);
  if (rest.endsWith('at') || rest.endsWith('bl') || rest.endsWith('iz')) return `${rest}e`;
  if (endsDouble(rest) && !'lsz'.includes(rest.charAt(rest.length - 1))) return rest.slice(0, -1);
  return measure(rest, rest.length) === 1 && endsShort(rest) ? `${rest}e` : rest;
};

/** Only the first matching suffix is tried: when its condition fails, the step leaves the word unchanged. */
const replaceSuffix = (
  word: string,
  suffixes: readonly (readonly [string, string])[],
  minimumMeasure: number,
): string => {
  for (const [suffix, replacement] of suffixes) {
    if (!word.endsWith(suffix)) continue;
    const kept = word.slice(0, word.length - suffix.length) + replacement;
    // The paper measures what stands before `ion`, `s` or `t` included.
    const measured =
      suffix.endsWith('ion') && replacement.length === 1
        ? kept.length
        : word.length - suffix.length;
    return measure(word, measured) > minimumMeasure ? kept : word;
  }
  return word;
};

/** Step 5. */
const removeFinalE = (word: string): string => {
  let result = word;
  if (result.endsWith('e')) {
    const rest = result.slice(0, -1);
    const size = measure(rest, rest.length);
    if (size > 1 || (size === 1 && !endsShort(rest))) result = rest;
  }
  const lastDouble = result.endsWith('ll') && measure(result, result.length) > 1;
  return lastDouble ? result.slice(0, -1) : result;
};
