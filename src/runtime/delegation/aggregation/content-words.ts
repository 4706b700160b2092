import { createNumbering } from './number-words.ts';
import { stemOf, wordsIn } from './words-in.ts';

/** What a statement is about, and whether it denies it. */
export interface ContentWords {
  /** Each once and by its number, those for the same notion as one; without function words, units and denial. */
  words: readonly number[];
  isDenied: boolean;
}

/**
 * Makes a reader of the content words of statements; words that say the opposite of others count as their denial. It
 * remembers the words it has met, so make one for the answers of one request.
 */
export const createContentWords = (): ((statement: string) => ContentWords) => {
  const known = new Map<string, Meaning>();
  const numberOf = createNumbering();
  const meaningOf = (word: string): Meaning => {
    const met = known.get(word);
    if (met !== undefined) return met;
    const meaning = meaningFor(word, numberOf);
    known.set(word, meaning);
    return meaning;
  };
  return (statement) => {
    const words: number[] = [];
    let isDenied = false;
    const spoken = wordsIn(statement);
    for (let at = 0; at < spoken.length; at++) {
      const word = spoken[at] ?? '';
      const { notion, denies } = meaningOf(word === 'offline' || word === 'only' ? inContext(spoken, at) : word);
      if (denies) isDenied = !isDenied;
      if (notion !== undefined && !words.includes(notion)) words.push(notion);
    }
    return { words, isDenied };
  };
};

/** "Is offline" says that it is not online, while "works offline" says how; "not only" denies nothing. */
const inContext = (spoken: readonly string[], at: number): string => {
  const [before = '', previous = '', word = ''] = ['', '', ...spoken].slice(at, at + 3);
  if (word === 'only') return previous === 'not' ? NOT_ONLY : word;
  return FORMS_OF_BE.has(ADVERBS.has(previous) ? before : previous) ? IS_OFFLINE : word;
};

const FORMS_OF_BE = new Set(['is', 'are', 'was', 'were']);
const ADVERBS = new Set(['now', 'currently', 'still']);
const IS_OFFLINE = '(is) offline';
const NOT_ONLY = '(not) only';

interface Meaning {
  /** Undefined for a word that tells nothing of what a statement is about. */
  notion: number | undefined;
  denies: boolean;
}

const meaningFor = (word: string, numberOf: (notion: string) => number): Meaning => {
  if (word === NOT_ONLY) return { notion: undefined, denies: true };
  if (DENIALS.has(word) || word.endsWith("n't")) return { notion: undefined, denies: true };
  const opposite = OPPOSITES.get(word);
  const plain = opposite ?? word;
  const stem = stemOf(plain);
  const notion = STOP_WORDS.has(plain) ? undefined : numberOf(NOTIONS.get(stem) ?? stem);
  return { notion, denies: opposite !== undefined };
};

const DENIALS = new Set('not no never cannot none nothing nobody neither nor'.split(' '));

const OPPOSITES = new Map(
  Object.entries({
    [IS_OFFLINE]: 'online',
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
