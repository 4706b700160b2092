import { findPasswords } from './find-passwords.ts';
import { findSeedPhrases } from './find-seed-phrases.ts';
import { type Found, findAll } from './mask-kind.ts';

/**
 * Finds what opens something: keys and tokens that can be told by their form, private keys, passwords and secrets behind the
 * word for them, and the words that a wallet is restored from.
 */
export const findKeys = (text: string): Found[] => [
  ...findAll('key', text, BY_FORM),
  ...privateKeysIn(text),
  ...findPasswords(text),
  ...findSeedPhrases(text),
];

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';

/** Of AWS, GitHub, GitLab, Slack, Stripe, npm and others, Google, chat bots; our own `ck_`; JWT; private keys of wallets. */
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

/** From its first line to its last; where that is missing, as far as there are lines of it. */
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
