import type { Found } from './mask-kind.ts';

/**
 * Finds addresses that money is sent to: Bitcoin and Litecoin, old and new (BIP 173, BIP 350), Ethereum, Lightning (BOLT 11,
 * LNURL, lightning addresses), and extended public keys (BIP 32, SLIP 132).
 *
 * By form, not by check sum: an address with a typing mistake leads to its owner as well, and nothing else that is written
 * down has this form. 64 hexadecimal digits are a transaction, a block or a check sum, and stay.
 */
export const findWallets = (text: string): Found[] => {
  const found: Found[] = [];
  for (const { 0: run, index } of text.matchAll(PREFIXED))
    found.push({ kind: 'wallet', start: index, end: index + run.length });
  for (const { 0: run, index } of text.matchAll(BASE58))
    if (/[A-Z]/.test(run) && /[a-z]/.test(run) && /\d.*\d/.test(run))
      found.push({ kind: 'wallet', start: index, end: index + run.length });
  for (const { 0: all, 1: address = '', index } of text.matchAll(LIGHTNING_ADDRESS))
    found.push({ kind: 'wallet', start: index + all.length - address.length, end: index + all.length });
  return found;
};

const PREFIXED = new RegExp(
  `(?<![A-Za-z0-9])(?:${[
    '(?:bc|tb|bcrt|ltc|tltc)1[02-9ac-hj-np-z]{25,87}',
    '(?:BC|TB|LTC)1[02-9AC-HJ-NP-Z]{25,87}',
    '(?:ln(?:bc|tb|bcrt|sb)\\d{0,16}[munp]?1[02-9ac-hj-np-z]{50,4000})',
    '(?:LN(?:BC|TB)\\d{0,16}[MUNP]?1[02-9AC-HJ-NP-Z]{50,4000})',
    'lnurl1[02-9ac-hj-np-z]{20,1000}',
    'LNURL1[02-9AC-HJ-NP-Z]{20,1000}',
    'lno1[02-9ac-hj-np-z]{50,2000}',
    '0[xX][\\da-fA-F]{40}',
    '[xyztuvXYZTUV]pub[1-9A-HJ-NP-Za-km-z]{90,120}',
  ].join('|')})(?![A-Za-z0-9])`,
  'g',
);

/** Of 25 to 34 signs the first tells the kind: 1 and 3 Bitcoin, L and M Litecoin, m, n and 2 the test network. */
const BASE58 =
  /(?<![A-Za-z0-9])(?:[13LMmn][1-9A-HJ-NP-Za-km-z]{24,33}|2[1-9A-HJ-NP-Za-km-z]{34}|D[1-9A-HJ-NP-Za-km-z]{33})(?![A-Za-z0-9])/g;

const LIGHTNING_ADDRESS =
  /\b(?:lightning|lnurl|⚡)[ -]?(?:address|adresse|wallet)?(?: is| ist)?[ :=]{1,3}([\w.+-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{2,63}){1,4})/giu;
