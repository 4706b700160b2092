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
  const bound = boundOf(words, at);
  // "at least eight" does not stand for "at least twelve", though it follows from it.
  if (bound === undefined || theirs.some((each, place) => each.role === 'number' && boundOf(theirs, place) === bound))
    return false;
  return numbers.some((each) => BOUNDS[bound](each, value) && kind !== 'year');
};

type Bound = keyof typeof BOUNDS;
const BOUNDS = {
  above: (theirs: number, ours: number) => theirs >= ours && theirs <= 3 * ours,
  below: (theirs: number, ours: number) => theirs <= ours && 3 * theirs >= ours,
  about: (theirs: number, ours: number) => Math.abs(theirs - ours) <= 0.06 * Math.abs(ours),
};

/** What the words before a number make of it. */
const boundOf = (words: readonly Word[], at: number): Bound | undefined => {
  const before = words.slice(Math.max(0, at - 3), at).map(({ text }) => text);
  if (before.some((text) => ABOVE.has(text))) return 'above';
  if (before.some((text) => BELOW.has(text))) return 'below';
  return before.some((text) => ABOUT.has(text)) ? 'about' : undefined;
};

const ABOVE: ReadonlySet<string> = new Set(['over', 'above', 'exceeding', 'least', 'more', 'minimum']);
const BELOW: ReadonlySet<string> = new Set(['under', 'below', 'most', 'less', 'fewer']);
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
 * Numbers of the answer that stand in the sentence beside something else: of "24 months for the grinder, 12 for the boiler" no
 * part takes the number of one and the words of the other.
 */
export const misplacedNumbers = (words: readonly Word[], { words: theirs }: SourceSentence): Word[] => {
  const clauses = amountClauses(theirs);
  if (theirs.some(({ text }) => text === 'respectively')) return words.filter((word) => isAmount(word, words));
  if (clauses.length < 2) return [];
  return amountClauses(words).flatMap((ours) =>
    ours.filter((word) => {
      if (!isAmount(word, words)) return false;
      const places = clauses.filter((clause) => hasKey(clause, word));
      return places.length > 0 && places.every((place) => mixes(ours, place, clauses));
    }),
  );
};

/** Not a part of a date nor a rank: those stand in many orders. */
const isAmount = (word: Word, words: readonly Word[]): boolean => {
  if (word.kind !== 'plain' && word.kind !== 'percent' && word.kind !== 'money') return false;
  const at = words.indexOf(word);
  return ![words[at - 1], words[at + 1]].some((each) => each !== undefined && MONTHS.has(each.text.slice(0, 3)));
};

/** "every month" is an amount as "every 3 months" is. */
const isRate = (word: Word, words: readonly Word[]): boolean =>
  UNITS.has(word.key) && RATES.has(words[words.indexOf(word) - 1]?.text ?? '');

const RATES: ReadonlySet<string> = new Set(['every', 'each', 'per']);

const MONTHS: ReadonlySet<string> = new Set('jan feb mar apr may jun jul aug sep oct nov dec'.split(' '));

const hasKey = (words: readonly Word[], { key }: Word): boolean => words.some((each) => each.key === key);

/** Amounts of the sentence for something that only a sentence beside it speaks of, which has its own amount for it. */
export const borrowedNumbers = (
  words: readonly Word[],
  others: readonly Word[],
  sentence: SourceSentence,
  near: readonly SourceSentence[],
): Word[] =>
  words.filter(
    (word) =>
      isAmount(word, words) &&
      sentence.forms.has(word.key) &&
      near.some(
        (beside) =>
          !beside.forms.has(word.key) &&
          isReplaced(word, words, beside) &&
          others.some(({ key }) => beside.forms.has(key)),
      ),
  );

/** It takes words of other clauses, and leaves out some of the number's own. */
const mixes = (ours: readonly Word[], own: readonly Word[], clauses: readonly (readonly Word[])[]): boolean => {
  const said = (words: readonly Word[]) => words.filter((word) => isSought(word) && word.role !== 'number');
  const others = clauses.filter((clause) => clause !== own).flat();
  return (
    said(ours).some((word) => !hasKey(own, word) && hasKey(others, word)) &&
    said(own).some((word) => !hasKey(ours, word))
  );
};

/** The parts of a sentence that each say something of their own with an amount; what has none belongs to the next that has one. */
const amountClauses = (words: readonly Word[]): Word[][] => {
  const clauses: Word[][] = [];
  let open: Word[] = [];
  let hasAmount = false;
  for (const word of words) {
    if (word.opensClause && hasAmount) {
      clauses.push(open);
      open = [];
      hasAmount = false;
    }
    open.push(word);
    hasAmount ||= isAmount(word, words) || isRate(word, words);
  }
  if (hasAmount) return [...clauses, open];
  clauses.at(-1)?.push(...open);
  return clauses;
};

/** Numbers of the answer that have another unit in the sentence. */
export const changedUnits = (words: readonly Word[], { words: theirs }: SourceSentence): Word[] =>
  words.filter((word, at) => {
    const unit = unitOf(words, at);
    if (unit === undefined) return false;
    const units = theirs.flatMap((each, place) => (each.key === word.key ? (unitOf(theirs, place) ?? []) : []));
    return units.length > 0 && !units.includes(unit);
  });

const unitOf = (words: readonly Word[], at: number): string | undefined => {
  const { role, kind } = words[at] as Word;
  if (role !== 'number') return undefined;
  if (kind === 'percent' || kind === 'money') return kind;
  const next = words[at + 1]?.key ?? '';
  return UNITS.get(next);
};

/** Under each stem its unit. */
const UNITS: ReadonlyMap<string, string> = new Map(
  (
    'second/s/sec minut/min hour/h dai week month year decad centuri mm/millimet/millimetr cm/centimet/centimetr m/metr/meter ' +
    'km/kilomet/kilometr micrometr/micromet mile inch feet/foot/ft yard mg/milligram g/gram kg/kilogram pound/lb ounc/oz ton/tonn ' +
    'byte bit kb/kilobyt mb/megabyt gb/gigabyt tb/terabyt degre celsiu fahrenheit kelvin dollar/usd euro/eur yen volt/v watt/w ' +
    'kw amp/amper bar psi liter/litr/l ml gallon time'
  )
    .split(' ')
    .flatMap((unit) => unit.split('/').map((stem): [string, string] => [stem, unit])),
);
