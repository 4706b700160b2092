import { type Found, findAll } from './mask-kind.ts';

/**
 * Finds what stands behind a word for it: passwords, and strings that look drawn by lot behind "key", "secret" or "token". "My
 * password is wrong" tells none, nor does "the key is on the back".
 */
export const findPasswords = (text: string): Found[] => [
  ...(WORDS.test(text)
    ? [
        ...findAll('key', text, ASSIGNED, (value) => !NO_PASSWORD.test(withoutEnd(value))),
        ...findAll('key', text, SAID, (value) => isOdd(withoutEnd(value))),
        ...findAll('key', text, BESIDE, (value) => isMixed(withoutEnd(value))),
        ...findAll('key', text, PIN),
      ]
    : []),
  ...findAll('key', text, SECRET, isRandom),
  ...findAll('key', text, IN_URL),
];

const WORD =
  '(?:(?:pass|kenn)wor[dt]e?s?|passphrase|passwd|pwd|pass ?code|mot de passe|contraseña|senha|hasło|wachtwoord|lösenord|adgangskode|пароль)["\'`*]{0,2}';
const WORDS = new RegExp(`${WORD}|\\bp(?:w|in|ass)\\b|code`, 'i');
/** In quotation marks it may hold spaces. */
const VALUE = '["\'`*]{0,2}((?<=["\'])[^"\'\\n]{3,60}(?=["\'])|[^\\s"\'`<>,;:=-][^\\s"\'`<>,;]{2,200})';
const IS = '(?:is|was|ist|lautet|est|es|è|jest|är|er)';

/** "password: …" */
const ASSIGNED = new RegExp(`${WORD} ?${IS}? {0,2}(?:[:=]|[-=]>){1,2}\\s?${VALUE}`, 'gi');

/** "the password is …", "was changed to …", "I set the password to …". */
const SAID = new RegExp(`${WORD} (?:(?:${IS} )?(?:(?:re)?set |changed )?to|(?:i use )?${IS}) ${VALUE}`, 'gi');
/** "password …", "pass …", "pw is …" */
const BESIDE = new RegExp(`(?:${WORD}|\\bp(?:w|ass))(?: ${IS})? ?[:=]? ?(?<=[ :=])${VALUE}`, 'gi');
/** "PIN 4821", "the set-up code is 7KQ2M9XA": digits, or eight signs with a digit among them. */
const PIN = new RegExp(
  `\\b(?:pin|pass ?code|set-?up(?=.code)|einrichtungs)(?:[ -]?(?:code|nu\\p{L}{4,5}))?(?: ${IS})? ?[:=]? ?(?<=[ :=])(\\d{4,8}|(?=[A-Z]*\\d)[A-Z\\d]{8})(?![\\p{L}\\d])`,
  'giu',
);

const withoutEnd = (value: string): string => value.replace(/[.!?)\]*]+$/, '');

const isMixed = (value: string): boolean =>
  value.length > 5 && /\d/.test(value) && /\p{L}/u.test(value) && /^[^\\/([]+$/.test(value);

/** No word: it holds a digit or a sign. */
const isOdd = (value: string): boolean =>
  value.length > 3 && /\d|[^\p{L}\p{N}'’-]/u.test(value) && /^[^\\/([]+$/.test(value);

/** What one says of a password. */
const NO_PASSWORD =
  /^(?:[^\p{L}\p{N}]*|x+|true|false|yes|on|off|(?:en|dis)abled|optional|required|expired|(?:in)?correct|wrong|invalid|unknown|blank|empty|default|same|missing|none|not|no|the|see|is|it|was|please|reset|forgot(?:ten)?|siehe|keine?|nicht|falsch|vergessen)$/iu;

const SECRET =
  /(?:(?<![a-z])(?:api|priv)?key|secret|token|credentials?|bearer|basic|schlüssel|clé|clave|chave)["'`*]{0,2} ?(?:(?:is|ist|est|es|[:=]|[-=]>) ?){0,2}["'`*]{0,2}(?<=[ :=>"'`])([\w+/=.~-]{12,500})/gi;

/** Letters and digits in turns, as nobody writes words. */
const isRandom = (value: string): boolean =>
  /\d/.test(value) && /[A-Za-z]/.test(value) && (value.match(/\d[A-Za-z]|[A-Za-z]\d|[a-z][A-Z]/g)?.length ?? 0) >= 4;

/** The password of a URL. */
const IN_URL = /:\/\/[^\s/:@]{0,200}:([^\s/@]{4,200})(?=@)/g;
