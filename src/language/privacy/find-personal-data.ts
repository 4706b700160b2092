/** What can be masked, in order of precedence when two overlap: a wallet address that is a password is a key. */
export const MASK_KINDS = ['key', 'wallet', 'card', 'email', 'phone'] as const;
export type MaskKind = (typeof MASK_KINDS)[number];

/** Something to be masked: `[start, end)` in UTF-16 units of the text that was searched. */
export interface Found {
  kind: MaskKind;
  start: number;
  end: number;
}

/** All matches of a pattern; only the first group if there is one, which must end the match. */
const findAll = (
  kind: MaskKind,
  text: string,
  pattern: RegExp,
  isMeant: (value: string, start: number) => boolean = () => true,
): Found[] => {
  const found: Found[] = [];
  for (const { 0: all, 1: value = all, index } of text.matchAll(pattern)) {
    const end = index + all.length;
    const start = end - value.length;
    if (isMeant(value, start)) found.push({ kind, start, end });
  }
  return found;
};

/** Finds payment card numbers (ISO/IEC 7812), labelled card check codes, and IBANs (ISO 13616). */
export function findCards(text: string): Found[] {
  if (!TWO_DIGITS.test(text)) return [];
  const found: Found[] = [];
  const isLabelled = labelledIn(text);
  for (const { 0: run, index } of text.matchAll(DIGITS)) {
    const length = lengthOf(run, isCard);
    // A grouped number is a card in any context.
    const isOther = length > 0 && !/\D/.test(run.slice(0, length)) && isLabelled(index);
    if (length > 0 && !isOther) found.push({ kind: 'card', start: index, end: index + length });
  }
  for (const { 0: run, index } of text.matchAll(ACCOUNT)) {
    const length = lengthOf(run.toUpperCase(), isAccount);
    if (length > 0) found.push({ kind: 'card', start: index, end: index + length });
  }
  return [...found, ...findAll('card', text, CHECK_CODE)];
}

/** Every card and account number has two digits with at most a separator in between; most texts have none. */
const TWO_DIGITS = /\d(?:[ -]|\s{1,2})?\d/;

/** Thirteen or more digits, with optional separators. */
const DIGITS = /(?<![\p{L}\p{N}_.])\d(?:(?:[ -]|\s{1,2})?\d){12,27}/gu;

/** In groups of four, or ungrouped. */
const ACCOUNT =
  /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[ -]?[A-Z\d]{4}){2,7}(?:[ -]?[A-Z\d]{1,4})?(?![\p{L}\p{N}])/giu;

/** Length of the longest matching prefix of a run that ends with a group; 0 for none. */
const lengthOf = (run: string, isMeant: (number: string) => boolean): number => {
  for (let end = run.length; end > 12; end -= 1)
    if (
      !/^[A-Z\d]{2}/.test(run.slice(end - 1)) &&
      /[A-Z\d]/.test(run[end - 1] ?? '') &&
      isMeant(run.slice(0, end).replace(/[^A-Z\d]/g, ''))
    )
      return end;
  return 0;
};

/** Whether prefix and length are those of a card brand and the Luhn check digit is valid. */
const isCard = (digits: string): boolean => {
  let sum = 0;
  for (let place = 1; place <= digits.length; place += 1) {
    const value = Number(digits[digits.length - place]) * (place % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0 && BRANDS.test(digits);
};

const BRANDS =
  /^(?:3(?:0[0-5]|[689]\d)\d{11}|3[47]\d{13}|(?:[456]\d\d|30[0-5]|3[5689]\d|22[2-9]|2[3-6]\d|27[0-2])\d{13}|[456]\d{16,18})$/;

/** ISO 7064, MOD 97-10. */
const isAccount = (account: string): boolean => {
  let rest = 0;
  for (const letter of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(letter, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1 && account.length > 14 && account.length < 35 && /(?:\d.*){10}/.test(account);
};

/** Check code on the back of a card. */
const CHECK_CODE = /\b(?:cv[vc]2?|security code)\b(?: is| ist)?[ :=#-]{1,3}(\d{3,4})(?!\d)/gi;

/**
 * Finds telephone numbers: international ones, national ones in North American form or with a leading zero, and numbers after a word for
 * telephones. Dates, IP addresses and numbers labelled as something else are excluded.
 */
export function findPhones(text: string): Found[] {
  if (!FIVE_DIGITS.test(text)) return [];
  const isLabelled = labelledIn(text);
  const isMeant = (run: string, start: number) => !isOtherForm(run) && !isLabelled(start);
  return [...byForm(text, isMeant), ...findAll('phone', text, CALLED, isMeant)];
}

/** No telephone number has fewer, nor longer separators. */
const FIVE_DIGITS = /(?:\d\D{0,5}){4}\d/;

function* byForm(text: string, isMeant: (run: string, start: number) => boolean): Generator<Found> {
  for (const { 0: run, index } of text.matchAll(NUMBER_FORMS)) {
    const length = run[0] === '+' || run.startsWith('(+') ? internationalLength(run) : run.length;
    if (length > 7 && isMeant(run, index))
      yield { kind: 'phone', start: index, end: index + length };
  }
}

/**
 * Length of an international number: 11 digits in North America, up to 15 elsewhere; may continue on the next line while it is short;
 * never ends with a single separate digit.
 */
const internationalLength = (run: string): number => {
  const american = /^\D{0,3}1(?:\D{0,3}\d){10}(?!\d)/.exec(run)?.[0];
  if (american !== undefined) return american.length;
  const line = /^(?:[^\d\n]{0,3}\d){9,}(?=\n)/.exec(run)?.[0] ?? run;
  return (/^(?:\D{0,3}\d){8,15}(?!\d)/.exec(line)?.[0] ?? '').replace(
    /(?<=(?:\d.{0,3}){9})\s\d$/,
    '',
  ).length;
};

const SEPARATOR = '(?: ?[./-] ?| {1,2}|\\n)?';
const END = '(?![\\p{L}\\d_]|[.,:/-]\\d|-\\p{L})';

const NUMBER_FORMS = new RegExp(
  `(?<![\\p{L}\\d_.:+-]|\\d[/,])(?:${[
    // International, with its plus sign or two zeros.
    `\\(?\\+ ?[1-9]\\d{0,3}\\)?(?:${SEPARATOR}\\(?\\d{1,12}\\)?){1,7}`,
    '00 ?[1-9]\\d{0,2}(?:[ ./-]\\(?\\d{1,8}\\)?){2,6}',
    '00[1-9]\\d{9,12}',
    // North America: 555-123-4567, (555) 123-4567, 1-800-555-1234.
    '(?:1[-. ])?(?:\\([2-9]\\d{2}\\) ?[-.]?|[2-9]\\d{2}[-. /])\\d{3}[-. ]\\d{4}',
    // With a leading zero: 0170/1234567, 020 7946 0958, (030) 123 45 67, 06 12 34 56 78.
    '\\(?0\\)?[1-9]\\d{0,4}\\)?(?: ?[/.-] ?| )\\d{2,8}(?:[ .-]\\d{2,6}){0,4}(?<=(?:\\d\\D{0,3}){9})',
    '0[1-9]\\d{8,9}',
    // (11) 91234-5678
    '\\(\\d{2,3}\\) ?\\d{4,5}[- ]\\d{4}',
  ].join('|')})${END}`,
  'gu',
);

/** A date, with or without a time, or an IP address; not five pairs, the French form. */
const isOtherForm = (run: string): boolean =>
  (/^(?:\d{1,2}([./-])\d{1,2}\1(?:\d\d){1,2}|\d{4}([./-])\d{1,2}\2\d{1,2})(?!\d)/.test(run) &&
    !/^0\d(?:\D\d\d){4}$/.test(run)) ||
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(run);

/** "call me on 612 345 678". Up to three short words in between. */
const CALLED = new RegExp(
  `(?<![\\p{L}\\d])(?:tel(?!l)|call|ring|phone|cell|mobil|handy|portable|whats ?app|signal|sms|text|fax|(?:an|rück)?ruf|tél|móvil|celular|appel|llám|chiam|ligue|bel(?!\\p{L})|dzwoni|komórk|m(?:y|eine|on|i|ijn|io|eu) n[uú]m)\\p{L}{0,9}\\.?(?: {1,2}(?:\\p{L}{1,3}|back|n[uú]m\\p{L}{2,5}|unter)\\.?){0,3} {0,2}[:#=]? {0,2}(?<!\\p{L})((?:\\+ ?)?\\(?\\d(?:[ ./()-]{0,3}\\d){6,14})${END}`,
  'giu',
);

/**
 * Whether the word before the number at an offset labels it as something else: "order no. 5551234567", "Serial: …", "ticket #…". The text
 * is read when the first number is asked for.
 */
const labelledIn = (text: string): ((start: number) => boolean) => {
  let starts: Set<number> | undefined;
  return (start) => {
    starts ??= new Set(Array.from(text.matchAll(OTHER), ({ 0: all, index }) => index + all.length));
    return starts.has(start);
  };
};

const NAMES =
  'order|serial|s/?n|ticket|case|invoice|tracking|rma|ref\\w*|customer|p(?:ar)?t|model|sku|firmware|version|block|height|t(?:ransaction|x(?:id)?)|nonce|error|code|u?id|imei|item|device|' +
  '(?:bestell|auftrag|serie|rechnung|kunde|sendung|vorgang|artikel|order|fa[ck]tu|commande|pedido|ordine|zamówieni)\\p{L}{0,9}|série|colis|suivi|envío';

const OTHER = new RegExp(
  `(?<![\\p{L}\\d])(?:${NAMES})(?:[ -](?:n[uú]m\\p{L}*|nr|no|id|code))?\\.?[ \\t]{0,2}(?:(?:is|was|ist|lautet|est|es|è|[:#=]|n[or°º]\\.?|№|del?)[ \\t]{0,2}){0,3}["'(#]?(?=[+(]?\\d)`,
  'giu',
);

/** Finds credentials: keys and tokens with a known form, private keys, labelled passwords and secrets, and seed phrases of wallets. */
export function findKeys(text: string): Found[] {
  return [
    ...(LONG_WORD.test(text) ? findAll('key', text, SECRET_FORMS) : []),
    ...privateKeysIn(text),
    ...findPasswords(text),
    ...findSeedPhrases(text),
  ];
}

/** Every key or token has one. */
const LONG_WORD = /[\w+/=:.~-]{12}/;

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';

/** Keys of AWS, GitHub, GitLab, Slack, Stripe, npm and others, Google, chat bots; our own `ck_`; JWT; private keys of wallets. */
const SECRET_FORMS = new RegExp(
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
const VALUE =
  '["\'`*]{0,2}((?<=["\'])[^"\'\\n]{3,60}(?=["\'])|[^\\s"\'`<>,;:=-][^\\s"\'`<>,;]{2,200})';
const IS = '(?:is|was|ist|lautet|est|es|è|jest|är|er)';

/** "password: …" */
const ASSIGNED = new RegExp(`${WORD} ?${IS}? {0,2}(?:[:=]|[-=]>){1,2}\\s?${VALUE}`, 'gi');

/** "the password is …", "was changed to …", "I set the password to …". */
const SAID = new RegExp(
  `${WORD} (?:(?:${IS} )?(?:(?:re)?set |changed )?to|(?:i use )?${IS}) ${VALUE}`,
  'gi',
);
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
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  (value.match(/\d[A-Za-z]|[A-Za-z]\d|[a-z][A-Z]/g)?.length ?? 0) >= 4;

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
      if (
        count > 11 &&
        count < 27 &&
        (isWhole || SEED_WORDS.test(text.slice(Math.max(0, start - 100), start)))
      )
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

const RUN =
  /(?<![\p{L}\p{N}])(?:(?:\d{1,2}[.):]?[ \t]*)?[a-z]{3,8}(?![\p{L}\p{N}])[,;]?\s{0,3}){12,40}/gu;

const SEED_WORDS =
  /seed|mnemonic|recovery|phrase|wallet|backup|(?:four|12|24) w[oö]r|wiederherst|r[eé]cup/i;

/** Whether the range is a line, a quoted text, or follows a colon. */
const isAlone = (text: string, start: number, end: number): boolean =>
  /(?:^|[\n:="'(])[ \t]{0,3}(?:1[.):]?[ \t]{0,3})?$/.test(
    text.slice(Math.max(0, start - 10), start),
  ) && /^[ \t]{0,3}(?:$|[\n."')])/.test(text.slice(end, end + 6));

/** Frequent words that are not in the BIP 39 list, which has hardly any inflected forms. */
const OUTSIDE =
  /^(?:the|and|for|not|are|was|but|has|had|from|been|were|which|would|could|should|does|did|its|our|his|her|how|who|why|while|got?|get|let|than|them|too|out|see|may|per|yes|non|here|tried|said|new|.*[^aeious]s|(?!br|k|r|sp|sw|th|w|even|dur).*ing)$/;

/**
 * Finds payment addresses: Bitcoin and Litecoin, Base58 and Bech32 (BIP 173, BIP 350), Ethereum, Lightning (BOLT 11, LNURL, lightning
 * addresses), and extended public keys (BIP 32, SLIP 132).
 *
 * Matches the form, not the checksum: an address with a typing mistake also identifies its owner, and no other text has this form. 64
 * hexadecimal digits are a transaction, a block or a checksum, and stay.
 */
export function findWallets(text: string): Found[] {
  return [
    ...(WALLET_LENGTH.test(text)
      ? [
          ...findAll(
            'wallet',
            text,
            BECH32,
            (run) => run === run.toLowerCase() || run === run.toUpperCase(),
          ),
          ...findAll('wallet', text, OTHERS),
          ...findAll(
            'wallet',
            text,
            BASE58_ADDRESS,
            (run) => /[A-Z]/.test(run) && /[a-z]/.test(run) && /\d.*\d/.test(run),
          ),
        ]
      : []),
    ...(text.includes('@') ? findAll('wallet', text, LIGHTNING_ADDRESS) : []),
  ];
}

/** Every payment address has one, hardly any other text. */
const WALLET_LENGTH = /(?<![A-Za-z\d])[A-Za-z\d]{25}/;

/** Lower or upper case, never mixed. */
const BECH32 =
  /(?<![a-z\d])(?:(?:bc|tb|bcrt|t?ltc|lnurl|lno)1|ln(?:bc|tb|sb)\w{0,24}1)[02-9ac-hj-np-z]{25,4000}(?![a-z\d])/gi;

const OTHERS =
  /(?<![A-Za-z\d])(?:0[xX][\da-fA-F]{40}|[x-zt-vX-ZT-V]pub[1-9A-HJ-NP-Za-km-z]{90,120})(?![A-Za-z\d])/g;

/** 25 to 35 characters; the first names the kind: 1 and 3 Bitcoin, L and M Litecoin, m, n and 2 the test network. */
const BASE58_ADDRESS = /(?<![A-Za-z\d])[123LMmnD][1-9A-HJ-NP-Za-km-z]{24,34}(?![A-Za-z\d])/g;

const LIGHTNING_ADDRESS =
  /(?:lightning|lnurl|⚡)[ -]?(?:address|wallet)?(?: is)?[ :=]{1,3}([\w.+-]{1,64}@[\w.-]{3,200}\w)/gi;

/**
 * Finds e-mail addresses, also those written with "(at)" and "dot".
 *
 * Excluded: the user of a URL (`stratum+tcp://worker@pool.example.com`), of a login to a device (`root@192.168.1.5`,
 * `admin@apollo.local`) and of a repository (`git@host:path`).
 */
export function findEmails(text: string): Found[] {
  return [
    ...(text.includes('@')
      ? findAll(
          'email',
          text,
          ADDRESS,
          (address, start) => !OWN_HOST.test(address) && !isUserOfUrl(text, start),
        )
      : []),
    ...(SPELLED_AT.test(text) ? findAll('email', text, SPELLED) : []),
  ];
}

const ADDRESS =
  /(?<![\p{L}\p{N}'+._-])['+.-]{0,3}((?!git@[^\s:]{1,200}:)[\p{L}\p{M}\p{N}'+._-]{0,200}[\p{L}\p{M}\p{N}_+-]@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.){1,9}(?:xn--[a-z\d-]{2,59}|[\p{L}\p{M}]{2,24})(?!\p{N}))/giu;

const OWN_HOST = /\.(?:local|lan|home|internal|localdomain)$/i;

/** Whether `scheme://` precedes it, with no white space or slash in between. */
const isUserOfUrl = (text: string, start: number): boolean =>
  /:\/\/[^\s/@<>"]{0,100}$/.test(text.slice(Math.max(0, start - 110), start + 1));

const DOT = '(?:dot|DOT|punkt|point|punto|\\.)';
const AT = '(?:[([{] ?(?:at|@|ät|arroba) ?[)\\]}]|(?<= )AT(?= ))';
const SPELLED_AT = new RegExp(AT, 'u');
/** "name (at) example dot com", "name [at] example [dot] com", "name AT example DOT com". */
const SPELLED = new RegExp(
  `(?<![\\p{L}\\d._+-])[\\p{L}\\d._+-]{1,64} ?${AT} ?[\\p{L}\\d-]{1,63}(?:(?:\\.| ${DOT} | ?[([{] ?${DOT} ?[)\\]}] ?)[\\p{L}\\d-]{2,63}){1,4}`,
  'gu',
);
