import { type Quantity, quantitiesOf } from './quantities-of.ts';
import { sentencesOf } from './statements-of.ts';
import { stemOf, wordsIn } from './words-in.ts';

/** A statement as it is held against another. */
export interface Assertion {
  text: string;
  /** What it is about: content words, those for the same notion as one, without numbers, units and denial. */
  words: ReadonlySet<string>;
  quantities: readonly Quantity[];
  /** Read only when asked for. */
  subject: () => Subject;
  isDenied: boolean;
  /** A sentence that begins with "Yes" or "No". */
  verdict: 'yes' | 'no' | undefined;
}

/** What a statement speaks about beyond its words. */
interface Subject {
  /** Numbered or lettered things: `iphone 17`, `apollo ii`, `step 3`. */
  labels: readonly string[];
  /** Other names: capitalised words that do not begin the sentence. */
  names: readonly string[];
  /** Under what it holds: `in 2024`, `when`, `if`. */
  scopes: readonly string[];
}

/** What an answer asserts. Questions, code and headings assert nothing. */
export const assertionsOf = (answer: string): Assertion[] =>
  withVerdicts(
    sentencesOf(answer)
      .filter((text) => !/\?["'”’)*_]*$|^\s*#{1,6}\s|^\s*\|?[\s|:-]+$/.test(text))
      .map((text) => assertionOf(text.slice(0, MAX_LENGTH))),
  );

/** Of one statement, in UTF-16 units; a longer one is no sentence. */
const MAX_LENGTH = 600;

const assertionOf = (text: string): Assertion => {
  const bare = text
    .replace(/\]\([^)\s]{0,2000}\)/g, '] ')
    .replace(/\s\([^()]{0,300}\)(?=[.!?]?$)/, '')
    .replace(/^\s*(?:[-+*>]+|\d{1,3}[.)])\s+/, '')
    .replace(/\[\^?\d{1,3}\]|[*_`|]+/g, ' ')
    .trim();
  const verdict = /^(yes|no)\b(?=[\s]*(?:[.,!:;–—-]|$))/i.exec(bare)?.[1]?.toLowerCase() as Assertion['verdict']; // the pattern knows no other words
  const plain = verdict === undefined ? bare : bare.replace(/^\w+[\s.,!:;–—-]*/, '');
  const { quantities, rest } = quantitiesOf(plain);
  const { words, isDenied } = wordsOf(rest);
  return {
    text,
    words,
    quantities,
    subject: () => ({ labels: labelsOf(rest), names: namesOf(rest), scopes: scopesOf(plain) }),
    isDenied,
    verdict,
  };
};

/** "Yes. The API is free": the word belongs to the sentence after it. */
const withVerdicts = (assertions: readonly Assertion[]): Assertion[] =>
  assertions.flatMap((assertion, at) => {
    const { verdict, words, text } = assertions[at - 1] ?? {};
    if (assertion.verdict !== undefined && assertion.words.size === 0 && at + 1 < assertions.length) return [];
    if (verdict === undefined || words === undefined || words.size > 0) return [assertion];
    return [{ ...assertion, verdict, text: `${text} ${assertion.text}` }];
  });

const wordsOf = (text: string): { words: Set<string>; isDenied: boolean } => {
  const words = new Set<string>();
  let isDenied = false;
  for (const word of wordsIn(text.replace(/\bnot only\b/gi, ' '))) {
    if (DENIALS.has(word) || word.endsWith("n't")) {
      isDenied = !isDenied;
      continue;
    }
    const opposite = OPPOSITES.get(word);
    if (opposite !== undefined) isDenied = !isDenied;
    const plain = opposite ?? word;
    if (STOP_WORDS.has(plain)) continue;
    const stem = stemOf(plain);
    words.add(NOTIONS.get(stem) ?? stem);
  }
  return { words, isDenied };
};

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
    offline: 'online',
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

/** Names with a number or numeral; what counts something is not among them. */
const labelsOf = (text: string): string[] =>
  [...text.matchAll(LABEL)].map(([label]) => label.toLowerCase().replace(/[\s#.-]+/g, ' '));

const LABEL =
  /\b(?:[Ss]tep|[Ss]ection|[Cc]hapter|[Pp]age|[Ff]igure|[Tt]able|[Aa]rticle|[Oo]rder|[Tt]icket|[Ii]nvoice|[Cc]ase|[Pp]hase|[Ll]evel|[Tt]ier|[Rr]oom|[Gg]ate|[Qq]uestion|[Pp]art|[Nn]o\.?|[Nn]r\.?)\s#?\d+\b|\b\p{L}*\p{Lu}\p{L}*\s(?:\d{1,4}(?![\d.,:]*\d)|[IVX]{1,4})\b|\b\p{Lu}{1,5}-?\d+\p{L}*\b/gu;

const namesOf = (text: string): string[] =>
  [...text.matchAll(/(?<=[\p{L}\p{N},;:"“(]\s["“(]?)\p{Lu}[\p{L}\p{M}-]+/gu)]
    .map(([name]) => name.toLowerCase())
    .filter((name) => !COMMON_CAPITALS.has(name));

const COMMON_CAPITALS = new Set(
  'eur usd gbp chf gb mb kb tb january february march april may june july august september october november december yes no'.split(
    ' ',
  ),
);

const scopesOf = (text: string): string[] =>
  [...text.matchAll(SCOPE)].map(([scope]) => scope.toLowerCase().replace(/\s+/g, ' '));

const SCOPE =
  /\b(?:if|unless|when|while|until|except|during|only|alone|before|after|without|last|next|previous|old|new|today|tomorrow|yesterday|weekends?|weekdays|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\b(?:in|for|during|since)\s(?:19|20)\d{2}\b/gi;

const STOP_WORDS = new Set(
  (
    'a an the this that these those it its is are was were be been being am do does did has have had having will would can could ' +
    'may might shall should of in on at to for from by with as and or but then than so such there here which who whom what where ' +
    'how why i you he she we they me him her us them my your his our their also just very too up about around approximately roughly ' +
    'over under per each every any all some more within between come comes yes eur euro euros usd dollar dollars percent second seconds ' +
    'minute minutes hour hours day days week weeks month months year years am pm gb mb kb tb kg cm mm km th gh mh'
  ).split(' '),
);
