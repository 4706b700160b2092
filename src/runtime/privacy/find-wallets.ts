import { type Found, findAll } from './mask-kind.ts';

/**
 * Finds payment addresses: Bitcoin and Litecoin, Base58 and Bech32 (BIP 173, BIP 350), Ethereum, Lightning (BOLT 11, LNURL, lightning
 * addresses), and extended public keys (BIP 32, SLIP 132).
 *
 * Matches the form, not the checksum: an address with a typing mistake also identifies its owner, and no other text has this form. 64
 * hexadecimal digits are a transaction, a block or a checksum, and stay.
 */
export const findWallets = (text: string): Found[] => [
  ...(LONG_WORD.test(text)
    ? [
        ...findAll('wallet', text, BECH32, (run) => run === run.toLowerCase() || run === run.toUpperCase()),
        ...findAll('wallet', text, OTHERS),
        ...findAll('wallet', text, BASE58, (run) => /[A-Z]/.test(run) && /[a-z]/.test(run) && /\d.*\d/.test(run)),
      ]
    : []),
  ...(text.includes('@') ? findAll('wallet', text, LIGHTNING_ADDRESS) : []),
];

/** Every payment address has one, hardly any other text. */
const LONG_WORD = /(?<![A-Za-z\d])[A-Za-z\d]{25}/;

/** Lower or upper case, never mixed. */
const BECH32 =
  /(?<![a-z\d])(?:(?:bc|tb|bcrt|t?ltc|lnurl|lno)1|ln(?:bc|tb|sb)\w{0,24}1)[02-9ac-hj-np-z]{25,4000}(?![a-z\d])/gi;

const OTHERS = /(?<![A-Za-z\d])(?:0[xX][\da-fA-F]{40}|[x-zt-vX-ZT-V]pub[1-9A-HJ-NP-Za-km-z]{90,120})(?![A-Za-z\d])/g;

/** 25 to 35 characters; the first names the kind: 1 and 3 Bitcoin, L and M Litecoin, m, n and 2 the test network. */
const BASE58 = /(?<![A-Za-z\d])[123LMmnD][1-9A-HJ-NP-Za-km-z]{24,34}(?![A-Za-z\d])/g;

const LIGHTNING_ADDRESS =
  /(?:lightning|lnurl|⚡)[ -]?(?:address|wallet)?(?: is)?[ :=]{1,3}([\w.+-]{1,64}@[\w.-]{3,200}\w)/gi;

/**
 * Finds e-mail addresses, also those written with "(at)" and "dot".
 *
 * Excluded: the user of a URL (`stratum+tcp://worker@pool.example.com`), of a login to a device (`root@192.168.1.5`,
 * `admin@apollo.local`) and of a repository (`git@host:path`).
 */
export const findEmails = (text: string): Found[] => [
  ...(text.includes('@')
    ? findAll('email', text, ADDRESS, (address, start) => !OWN_HOST.test(address) && !isUserOfUrl(text, start))
    : []),
  ...(SPELLED_AT.test(text) ? findAll('email', text, SPELLED) : []),
];

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
