import type { SourceSentence } from './prepare-source.ts';
import { isSought, type Word } from './read-words.ts';

/**
 * Whether a number follows from those of a sentence: `1970s` from 1975, `20th century` from 1905, `over 20` from 21,
 * `about 100` from 98.
 */
export const followsFrom = (words: readonly Word[], at: number, theirs: readonly Word[]): boolean => {
  const { value, kind } = words[at] as Word;
  if (value === undefined) return false;
  const numbers = theirs.flatMap((word) => (word.role === 'number' && word.value !== undefined ? [word.value] : []));
  if (kind === 'decade') return numbers.some((each) => each >= value && each < value + (value % 100 === 0 ? 100 : 10));
  if (kind === 'ordinal' && words[at + 1]?.text === 'century')
    return numbers.some((each) => Math.ceil(each / 100) === value && each > 31);
  const before = words.slice(Math.max(0, at - 3), at).map(({ text }) => text);
  if (before.some((text) => ABOVE.has(text))) return numbers.some((each) => each >= value && each <= value * 3);
  if (before.some((text) => BELOW.has(text))) return numbers.some((each) => each <= value && each * 3 >= value);
  if (before.some((text) => ABOUT.has(text)))
    return numbers.some((each) => Math.abs(each - value) <= 0.06 * Math.abs(value) && kind !== 'year');
  return false;
};

const ABOVE: ReadonlySet<string> = new Set(['over', 'above', 'exceeding', 'least', 'more', 'minimum']);
const BELOW: ReadonlySet<string> = new Set(['under', 'below', 'most', 'less', 'fewer', 'almost', 'nearly']);
const ABOUT: ReadonlySet<string> = new Set([
  'about',
  'around',
  'approximately',
  'roughly',
  'nearly',
  'almost',
  'circa',
]);

/** The sentence has a number of this kind in its place, which the answer does not repeat. */
export const isReplaced = ({ kind }: Word, words: readonly Word[], { words: theirs }: SourceSentence): boolean =>
  theirs.some((each) => each.role === 'number' && each.kind === kind && !words.some(({ key }) => key === each.key));

/**
 * Numbers of the answer that stand in the sentence beside something else: each of the words next to it is nearer to another
 * number there.
 */
export const misplacedNumbers = (words: readonly Word[], { words: theirs }: SourceSentence): Word[] => {
  const numbers = theirs.flatMap(({ role }, at) => (role === 'number' ? [at] : []));
  if (numbers.length < 2) return [];
  return words.filter((word, at) => {
    if (word.role !== 'number') return false;
    const own = numbers.filter((place) => theirs[place]?.key === word.key);
    const others = numbers.filter((place) => theirs[place]?.key !== word.key);
    if (own.length === 0 || others.length === 0) return false;
    const beside = [neighbour(words, at, -1), neighbour(words, at, 1)].filter((each) => each !== undefined);
    const places = beside
      .map(({ key }) => theirs.flatMap((each, place) => (each.key === key ? [place] : [])))
      .filter((found) => found.length > 0);
    return places.length > 0 && places.every((found) => distance(found, others) < distance(found, own));
  });
};

/** The closest word beside a number that tells what it is about. */
const neighbour = (words: readonly Word[], at: number, step: -1 | 1): Word | undefined => {
  for (let place = at + step; place >= 0 && place < words.length && Math.abs(place - at) <= 4; place += step) {
    const word = words[place] as Word;
    if (word.role === 'number') return undefined;
    if (isSought(word)) return word;
  }
  return undefined;
};

const distance = (places: readonly number[], others: readonly number[]): number =>
  Math.min(...places.flatMap((place) => others.map((other) => Math.abs(place - other))));

/** Numbers of the answer that have another unit in the sentence. */
export const changedUnits = (words: readonly Word[], { words: theirs, forms }: SourceSentence): Word[] =>
  words.filter((word, at) => {
    const unit = words[at + 1];
    if (word.role !== 'number' || unit === undefined || !UNITS.has(unit.key) || forms.has(unit.key)) return false;
    return theirs.some((each, place) => each.key === word.key && UNITS.has(theirs[place + 1]?.key ?? ''));
  });

const UNITS: ReadonlySet<string> = new Set(
  (
    'second minut hour dai week month year decad centuri mm cm m km millimet centimet metr meter kilomet kilometr micrometr mile ' +
    'inch feet foot yard g kg mg gram kilogram pound lb ounc oz ton tonn kb mb gb tb byte bit megabyt gigabyt kilobyt ' +
    'terabyt degre celsiu fahrenheit kelvin percent dollar euro yen volt watt kw ampere bar psi liter litr l ml gallon'
  ).split(' '),
);
