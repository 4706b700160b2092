import { stemOf, wordsIn } from './words-in.ts';

/** What a statement is about, and whether it denies it. */
export interface ContentWords {
  /** Those for the same notion as one; without function words, units and denial. */
  words: ReadonlySet<string>;
  isDenied: boolean;
}

/** Reads the content words of one statement; those that say the opposite of another count as its denial. */
export const contentWordsOf = (text: string): ContentWords => {
  const words = new Set<string>();
  let isDenied = false;
  for (const word of wordsIn(NOT_QUITE.test(text) ? plainly(text) : text)) {
    const meaning = MEANINGS.get(word);
    if (meaning === FUNCTION) continue;
    if (meaning === DENIAL || meaning !== undefined || word.endsWith("n't")) isDenied = !isDenied;
    if (meaning === undefined ? word.endsWith("n't") : meaning === DENIAL || STOP_WORDS.has(meaning)) continue;
    const stem = stemOf(meaning ?? word);
    words.add(NOTIONS.get(stem) ?? stem);
  }
  return { words, isDenied };
};

const NOT_QUITE = /\bnot only\b|\boffline\b/i;

/** "Is offline" says that it is not online; "works offline" says how, and denies nothing. */
const plainly = (text: string): string =>
  text
    .replace(/\bnot only\b/gi, ' ')
    .replace(/(?<=\b(?:is|are|was|were)\s(?:(?:now|currently)\s)?)offline\b/gi, 'not online');

const DENIALS = new Set('not no never cannot none nothing nobody neither nor'.split(' '));

const OPPOSITES = new Map(
  Object.entries({
    unsupported: 'supported',
    unavailable: 'available',
    impossible: 'possible',
    disabled: 'enabled',
    forbidden: 'allowed',
    prohibited: 'allowed',
    disallowed: 'allowed',
    excluded: 'included',
    incompatible: 'compatible',
    optional: 'required',
    unnecessary: 'necessary',
    unlimited: 'limited',
    inactive: 'active',
    closed: 'open',
    invalid: 'valid',
    unsafe: 'safe',
    unreliable: 'reliable',
    fails: 'succeeds',
    lacks: 'has',
    insecure: 'secure',
    unable: 'able',
    deprecated: 'current',
  }),
);

/** Words for one notion; written as `stemOf` leaves them. */
const NOTIONS = new Map(
  [
    'cost price priced charge',
    'stock warehouse inventory hold availab',
    'allow permit permitt',
    'support compatib',
    'need requir necessar must',
    'release launch publish',
    'last take valid',
    'draw consum use us consumption',
    'power wattage',
    'maximum most highest limit',
    'minimum least lowest',
    'weight weigh',
    'height tall high',
    'employee staff people',
    'begin start',
    'end expir finish',
  ].flatMap((line) => line.split(' ').map((word, _at, [first = word]) => [stemOf(word), stemOf(first)] as const)),
);

const STOP_WORDS = new Set(
  (
    'a an the this that these those it its is are was were be been being am do does did has have had having will would can could ' +
    'may might shall should of in on at to for from by with as and or but then than so such there here which who whom what where ' +
    'how why i you he she we they me him her us them my your his our their also just very too up about around approximately roughly ' +
    'over under per each every any all some more within between come comes yes eur euro euros usd dollar dollars percent second seconds ' +
    'minute minutes hour hours day days week weeks month months year years am pm gb mb kb tb kg cm mm km th gh mh later newer earlier older'
  ).split(' '),
);

const DENIAL = '(denial)';
const FUNCTION = '(function word)';

/** What is looked up of each word at once: that it denies, that it tells nothing, or of what it is the opposite. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ...[...STOP_WORDS].map((word) => [word, FUNCTION] as const),
  ...OPPOSITES,
  ...[...DENIALS].map((word) => [word, DENIAL] as const),
]);
