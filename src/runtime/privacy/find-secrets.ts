import { type Found, findAll } from './mask-kind.ts';

/** Finds credentials: keys and tokens with a known form, private keys, labelled passwords and secrets, and seed phrases of wallets. */
export const findKeys = (text: string): Found[] => [
  ...(LONG_WORD.test(text) ? findAll('key', text, BY_FORM) : []),
  ...privateKeysIn(text),
  ...findPasswords(text),
  ...findSeedPhrases(text),
];

/** Every key or token has one. */
const LONG_WORD = /[\w+/=:.~-]{12}/;

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';

/** Keys of AWS, GitHub, GitLab, Slack, Stripe, npm and others, Google, chat bots; our own `ck_`; JWT; private keys of wallets. */
const BY_FORM = new RegExp(
  `(?<![\\w-])(?:${[
    'A[KSBC][ICI]A[A-Z2-7\\d]{16}',
    '(?:gh[pousr]|github_pat|npm|hf|whsec|shp(?:at|ss)|dop_v1|ck|[srp]k_(?:live|test))_[\\w+/=-]{16,255}',
    '(?:gl(?:pat|rt)|sk)-[\\w-]{16,255}',
    'xox[abeoprs]-[\\w-]{10,255}',
    'AIza[\\w-]{30,45}',
    '\\d{8,10}:[\\w-]{35}',
    'eyJ[\\w-]{8,8000}\\.[\\w-]{4,8000}(?:\\.[\\w-]{0,8000}){0,3}',
    `(?:5[HJK]|[KLc9]${BASE58})${BASE58}{49,50}`,
    `[x-zt-vX-ZT-V]prv${BASE58}{90,120}`,
    'nsec1[02-9ac-hj-np-z]{50,60}',
  ].join('|')})(?![A-Za-z\\d])`,
  'g',
);

/** From the first line to the last; without a last line, while the lines look like key data. */
function* privateKeysIn(text: string): Generator<Found> {
  for (let at = text.indexOf(BEGINS); at !== -1; ) {
    KEY.lastIndex = at;
    const length = KEY.exec(text)?.[0].length ?? 0;
    if (length > 0) yield { kind: 'key', start: at, end: at + length };
    at = text.indexOf(BEGINS, at + Math.max(length, 1));
  }
}

const BEGINS = '-----BEGIN ';
const KEY =
  /-----BEGIN (?:[A-Z\d]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,20000}-----END (?:[A-Z\d]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|(?:\s{1,4}[A-Za-z\d+/=]{16,100}){0,400})/y;

/**
 * Finds labelled passwords, and random strings after "key", "secret" or "token". "My password is wrong" contains none, nor does "the key
 * is on the back".
 */
const findPasswords = (text: string): Found[] => [
  ...(WORDS.test(text)
    ? [
        ...findAll('key', text, ASSIGNED, (value) => !NO_PASSWORD.test(withoutEnd(value))),
        ...findAll('key', text, SAID, (value) => isOdd(withoutEnd(value))),
        ...findAll('key', text, BESIDE, (value) => isMixed(withoutEnd(value))),
        ...findAll('key', text, PIN),
      ]
    : []),
  ...(LONG_WORD.test(text) ? findAll('key', text, SECRET, isRandom) : []),
  ...(text.includes('://') ? findAll('key', text, IN_URL) : []),
];

const WORD =
  '(?:(?:pass|kenn)wor[dt]e?s?|passphrase|passwd|pwd|pass ?code|mot de passe|contraseña|senha|hasło|wachtwoord|lösenord|adgangskode|пароль)["\'`*]{0,2}';
const WORDS = new RegExp(`${WORD}|\\bp(?:w|in|ass)\\b|code`, 'i');
/** A quoted value may contain spaces. */
const VALUE = '["\'`*]{0,2}((?<=["\'])[^"\'\\n]{3,60}(?=["\'])|[^\\s"\'`<>,;:=-][^\\s"\'`<>,;]{2,200})';
const IS = '(?:is|was|ist|lautet|est|es|è|jest|är|er)';

/** "password: …" */
const ASSIGNED = new RegExp(`${WORD} ?${IS}? {0,2}(?:[:=]|[-=]>){1,2}\\s?${VALUE}`, 'gi');

/** "the password is …", "was changed to …", "I set the password to …". */
const SAID = new RegExp(`${WORD} (?:(?:${IS} )?(?:(?:re)?set |changed )?to|(?:i use )?${IS}) ${VALUE}`, 'gi');
/** "password …", "pass …", "pw is …" */
const BESIDE = new RegExp(`(?:${WORD}|\\bp(?:w|ass))(?: ${IS})? ?[:=]? ?(?<=[ :=])${VALUE}`, 'gi');
/** "PIN 4821", "the set-up code is 7KQ2M9XA": digits, or eight characters with at least one digit. */
const PIN = new RegExp(
  `\\b(?:pin|pass ?code|set-?up(?=.code)|einrichtungs)(?:[ -]?(?:code|nu\\p{L}{4,5}))?(?: ${IS})? ?[:=]? ?(?<=[ :=])(\\d{4,8}|(?=[A-Z]*\\d)[A-Z\\d]{8})(?![\\p{L}\\d])`,
  'giu',
);

const withoutEnd = (value: string): string => value.replace(/[.!?)\]*]+$/, '');

const isMixed = (value: string): boolean =>
  value.length > 5 && /\d/.test(value) && /\p{L}/u.test(value) && /^[^\\/([]+$/.test(value);

/** Not a word: contains a digit or a symbol. */
const isOdd = (value: string): boolean =>
  value.length > 3 && /\d|[^\p{L}\p{N}'’-]/u.test(value) && /^[^\\/([]+$/.test(value);

/** Words that describe a password and are not one. */
const NO_PASSWORD =
  /^(?:[^\p{L}\p{N}]*|x+|true|false|yes|on|off|(?:en|dis)abled|optional|required|expired|(?:in)?correct|wrong|invalid|unknown|blank|empty|default|same|missing|none|not|no|the|see|is|it|was|please|reset|forgot(?:ten)?|siehe|keine?|nicht|falsch|vergessen)$/iu;

const SECRET =
  /(?:(?<![a-z])(?:api|priv)?key|secret|token|credentials?|bearer|basic|schlüssel|clé|clave|chave)["'`*]{0,2} ?(?:(?:is|ist|est|es|[:=]|[-=]>) ?){0,2}["'`*]{0,2}(?<=[ :=>"'`])([\w+/=.~-]{12,500})/gi;

/** Alternating letters and digits, unlike words. */
const isRandom = (value: string): boolean =>
  /\d/.test(value) && /[A-Za-z]/.test(value) && (value.match(/\d[A-Za-z]|[A-Za-z]\d|[a-z][A-Z]/g)?.length ?? 0) >= 4;

/** The password of a URL. */
const IN_URL = /:\/\/[^\s/:@]{0,200}:([^\s/@]{4,200})(?=@)/g;

/**
 * Finds seed phrases of wallets (BIP 39): 12 to 24 consecutive words of three to eight lower-case letters, numbered or not. The BIP 39
 * word list is not needed: prose has words of one or two letters, or those below, within any twelve words.
 *
 * Without a label, the phrase must have exactly 12, 15, 18, 21 or 24 words and stand alone.
 */
const findSeedPhrases = (text: string): Found[] => {
  if (!TWELVE_WORDS.test(text)) return [];
  const found: Found[] = [];
  for (const { 0: run, index } of text.matchAll(RUN)) {
    let [start, end, count] = [index, index, 0];
    const close = () => {
      const isWhole = count % 3 === 0 && isAlone(text, start, end);
      if (count > 11 && count < 27 && (isWhole || TOLD.test(text.slice(Math.max(0, start - 100), start))))
        found.push({ kind: 'key', start, end });
      count = 0;
    };
    for (const { 0: word, index: at } of run.matchAll(/[a-z]+/g)) {
      if (OUTSIDE.test(word)) close();
      else {
        if (count === 0) start = index + at;
        end = index + at + word.length;
        count += 1;
      }
    }
    close();
  }
  return found;
};

/** What most texts lack, and a faster pattern than `RUN`. */
const TWELVE_WORDS = /(?<![a-z])(?:[a-z]{3,8}[^a-zA-Z]{1,40}){11}[a-z]{3}/;

const RUN = /(?<![\p{L}\p{N}])(?:(?:\d{1,2}[.):]?[ \t]*)?[a-z]{3,8}(?![\p{L}\p{N}])[,;]?\s{0,3}){12,40}/gu;

const TOLD = /seed|mnemonic|recovery|phrase|wallet|backup|(?:four|12|24) w[oö]r|wiederherst|r[eé]cup/i;

/** Whether the range is a line, a quoted text, or follows a colon. */
const isAlone = (text: string, start: number, end: number): boolean =>
  /(?:^|[\n:="'(])[ \t]{0,3}(?:1[.):]?[ \t]{0,3})?$/.test(text.slice(Math.max(0, start - 10), start)) &&
  /^[ \t]{0,3}(?:$|[\n."')])/.test(text.slice(end, end + 6));

/** Frequent words that are not in the BIP 39 list, which has hardly any inflected forms. */
const OUTSIDE =
  /^(?:the|and|for|not|are|was|but|has|had|from|been|were|which|would|could|should|does|did|its|our|his|her|how|who|why|while|got?|get|let|than|them|too|out|see|may|per|yes|non|here|tried|said|new|.*[^aeious]s|(?!br|k|r|sp|sw|th|w|even|dur).*ing)$/;
