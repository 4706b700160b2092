import { type Found, findAll } from './mask-kind.ts';

/**
 * Finds e-mail addresses, and those written with "(at)" and "dot".
 *
 * No address: the user of a URL (`stratum+tcp://worker@pool.example.com`), of a login to a device (`root@192.168.1.5`,
 * `admin@apollo.local`) and of a repository (`git@host:path`).
 */
export const findEmails = (text: string): Found[] => [
  ...findAll('email', text, ADDRESS, (address, start) => !OWN_HOST.test(address) && !isUserOfUrl(text, start)),
  ...findAll('email', text, SPELLED),
];

const ADDRESS =
  /(?<![\p{L}\p{N}'+._-])['+.-]{0,3}((?!git@[^\s:]{1,200}:)[\p{L}\p{M}\p{N}'+._-]{0,200}[\p{L}\p{M}\p{N}_+-]@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.){1,9}(?:xn--[a-z\d-]{2,59}|[\p{L}\p{M}]{2,24})(?!\p{N}))/giu;

const OWN_HOST = /\.(?:local|lan|home|internal|localdomain)$/i;

/** Something like `scheme://` stands before it, with no white space or slash between. */
const isUserOfUrl = (text: string, start: number): boolean =>
  /:\/\/[^\s/@<>"]{0,100}$/.test(text.slice(Math.max(0, start - 110), start + 1));

const DOT = '(?:dot|DOT|punkt|point|punto|\\.)';
/** "name (at) example dot com", "name [at] example [dot] com", "name AT example DOT com". */
const SPELLED = new RegExp(
  `(?<![\\p{L}\\d._+-])[\\p{L}\\d._+-]{1,64} ?(?:[([{] ?(?:at|@|ät|arroba) ?[)\\]}]|(?<= )AT(?= )) ?[\\p{L}\\d-]{1,63}(?:(?:\\.| ${DOT} | ?[([{] ?${DOT} ?[)\\]}] ?)[\\p{L}\\d-]{2,63}){1,4}`,
  'gu',
);
