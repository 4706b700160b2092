import type { Found } from './mask-kind.ts';

/**
 * Finds what stands behind a word for it: passwords, and strings that look drawn by lot behind "key", "secret" or "token". "My
 * password is wrong" tells none, nor does "the key is on the back".
 */
export const findPasswords = (text: string): Found[] => {
  const found: Found[] = [];
  const add = (end: number, value: string) => found.push({ kind: 'key', start: end - value.length, end });
  for (const { 0: all, 1: word = '', 2: quoted, 3: bare, index } of text.matchAll(ASSIGNED)) {
    const value = quoted ?? bare ?? '';
    if (isAssigned(withoutEnd(value), word)) add(index + all.length, value);
  }
  for (const { 0: all, 1: verb, 2: value = '', index } of text.matchAll(TOLD))
    if (isTold(withoutEnd(value), verb)) add(index + all.length, value);
  for (const { 0: all, 1: value = '', index } of text.matchAll(SECRET))
    if (isRandom(value)) add(index + all.length, value);
  for (const { 0: all, 1: value = '', index } of text.matchAll(IN_URL))
    if (value.length > 3) add(index + all.length, value);
  return found;
};

const WORD = [
  '[\\p{L}\\d]{0,20}[_-]?(?:pass|kenn)wor[dt]e?s?|pass ?code|pin ?code|passwd|pwd|pw|pass|[\\p{L}\\d]{0,20}passphrase|pin',
  'mot de passe|contraseña|senha|palavra-passe|parola|hasło|wachtwoord|lösenord|adgangskode|пароль',
].join('|');
const VALUE = '([^\\s\\ue000"\'`<>,;]{3,200})';

/** "password: …". In quotation marks it may hold spaces. */
const ASSIGNED = new RegExp(
  `(?<![\\p{L}\\d])(${WORD})["'\`*]{0,2}[ \\t]{0,2}(?:is|ist|est|es)?[ \\t]{0,2}(?:[:=]|->|=>){1,2}[ \\t]{0,2}(?:["'](?=[^"'\\n]{3,60}["'])([^"'\\n\\ue000]{3,60})|["'\`*]{0,2}${VALUE})`,
  'giu',
);

/** "the password is …", "was changed to …", and "password …" alone. */
const TOLD = new RegExp(
  `(?<![\\p{L}\\d])(?:${WORD})["'\`*]{0,2}[ \\t]{1,2}(?:((?:(?:was|is|has been|got|wurde) )?(?:changed|set|reset) to|is|was|ist|lautet|est|es|è|jest|är|er)[ \\t]{1,2})?["'\`*]{0,2}${VALUE}`,
  'giu',
);

const withoutEnd = (value: string): string => value.replace(/[.!?)\]*]+$/, '');

const isAssigned = (value: string, word: string): boolean => {
  if (/^pin$/i.test(word)) return /^\d{4,8}$/.test(value);
  return /^(?:pw|pass)$/i.test(word) ? isMixed(value) : !NO_PASSWORD.test(value);
};

const isTold = (value: string, verb: string | undefined): boolean =>
  isMixed(value) ||
  (verb !== undefined && value.length > 3 && /\d|[^\p{L}\p{N}'’-]/u.test(value) && /^[^\\/([]+$/.test(value));

const isMixed = (value: string): boolean =>
  value.length > 5 && /\d/.test(value) && /\p{L}/u.test(value) && /^[^\\/([]+$/.test(value);

/** What one says of a password. */
const NO_PASSWORD = new RegExp(
  `^(?:[^\\p{L}\\p{N}]*|x+|${[
    'true|false|null|yes|on|off|enabled|disabled|optional|required|expired|changed|correct|wrong|incorrect|invalid|unknown',
    'blank|empty|default|same|protected|missing|none|not|no|the|see|is|it|was|please|reset|forgot|forgotten',
    'siehe|keine?|nicht|falsch|vergessen|leer|oublié|incorrecta?|olvidada',
  ].join('|')})$`,
  'iu',
);

const SECRET =
  /(?<![\p{L}\p{N}])(?:[\w-]{0,30}[_-])?(?:api[ _-]?key|key|secret|token|credentials?|bearer|basic|schlüssel|clé|clave|llave|chiave|chave|klucz|sleutel)["'`*]{0,2}[ \t]{0,2}(?:(?:is|was|ist|lautet|est|es|:|=|->|=>)[ \t]{0,2}){0,2}["'`*]{0,2}([\w+/=.~-]{12,500})/giu;

/** Letters and digits in turns, as nobody writes words. */
const isRandom = (value: string): boolean => {
  const turns = value.match(/\d[A-Za-z]|[A-Za-z]\d|[a-z][A-Z]/g)?.length ?? 0;
  return turns >= 4 && /\d/.test(value) && /[A-Za-z]/.test(value);
};

/** The password of a URL. */
const IN_URL = /:\/\/[^\s/:@\ue000]{0,200}:([^\s/@\ue000]{1,200})(?=@)/g;
