import { findPasswords } from './find-passwords.ts';
import { findSeedPhrases } from './find-seed-phrases.ts';
import type { Found } from './mask-kind.ts';

/**
 * Finds what opens something: keys and tokens that can be told by their form, private keys, passwords and secrets behind the
 * word for them, and the words that a wallet is restored from.
 */
export const findKeys = (text: string): Found[] => {
  const found: Found[] = [];
  for (const { 0: run, index } of text.matchAll(BY_FORM))
    found.push({ kind: 'key', start: index, end: index + run.length });
  found.push(...privateKeysIn(text));
  return [...found, ...findPasswords(text), ...findSeedPhrases(text)];
};

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';

const BY_FORM = new RegExp(
  `(?<![A-Za-z0-9_-])(?:${[
    '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7\\d]{16}',
    'gh[pousr]_[A-Za-z\\d]{20,255}',
    'github_pat_\\w{20,255}',
    '(?:glpat|glrt)-[\\w-]{16,255}',
    'xox[abeoprs]-[\\w-]{10,255}',
    '(?:sk|rk|pk)_(?:live|test)_[A-Za-z\\d]{10,255}',
    'sk-[\\w-]{16,255}',
    'ck_[\\w-]{16,255}',
    '(?:npm|hf|whsec|shpat|shpss|dop_v1)_[\\w+/=]{16,255}',
    'AIza[\\w-]{30,45}',
    'SG\\.[\\w-]{16,64}\\.[\\w-]{16,64}',
    '\\d{8,10}:[A-Za-z\\d_-]{35}',
    'eyJ[\\w-]{8,8000}\\.[\\w-]{4,8000}(?:\\.[\\w-]{0,8000}){0,3}',
    `(?:5[HJK]${BASE58}{49}|[KLc]${BASE58}{51}|9${BASE58}{50})`,
    `[xyztuvXYZTUV]prv${BASE58}{90,120}`,
    'nsec1[02-9ac-hj-np-z]{50,60}',
  ].join('|')})(?![A-Za-z\\d])`,
  'g',
);

/** From its first line to its last; where that is missing, as far as there are lines of it. */
function* privateKeysIn(text: string): Generator<Found> {
  for (let at = text.indexOf('-----BEGIN '); at !== -1; ) {
    KEY_BEGINS.lastIndex = at;
    const head = KEY_BEGINS.exec(text)?.[0].length ?? 0;
    let end = at + Math.max(head, 1);
    if (head > 0) {
      KEY_ENDS.lastIndex = end;
      KEY_LINES.lastIndex = end;
      end += (KEY_ENDS.exec(text) ?? KEY_LINES.exec(text))?.[0].length ?? 0;
      yield { kind: 'key', start: at, end };
    }
    at = text.indexOf('-----BEGIN ', end);
  }
}

const KEY_BEGINS = /-----BEGIN (?:[A-Z\d]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_ENDS = /[^-]{0,20000}-----END (?:[A-Z\d]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_LINES = /(?:\s{1,4}[A-Za-z\d+/=]{16,100}){0,400}/y;
