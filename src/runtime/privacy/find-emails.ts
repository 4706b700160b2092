import type { Found } from './mask-kind.ts';

/**
 * Finds e-mail addresses, and those written with "(at)" and "dot".
 *
 * No address: the user of a URL (`stratum+tcp://worker@pool.example.com`), of a login to a device (`root@192.168.1.5`,
 * `admin@apollo.local`) and of a repository (`git@host:path`).
 */
export const findEmails = (text: string): Found[] => [...written(text), ...spelledOut(text)];

function* written(text: string): Generator<Found> {
  let from = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const before = localBefore(text, at, from);
    const after = DOMAIN.exec(text.slice(at + 1, at + 1 + MAX_DOMAIN))?.[0];
    if (before === undefined || after === undefined) continue;
    const start = at - before.length;
    const end = at + 1 + after.length;
    if (isOwnHost(after) || (before === 'git' && text[end] === ':') || isUserOfUrl(text, start)) continue;
    yield { kind: 'email', start, end };
    from = end;
  }
}

function* spelledOut(text: string): Generator<Found> {
  for (const { 0: all, index } of text.matchAll(SPELLED))
    yield { kind: 'email', start: index, end: index + all.length };
}

/** RFC 5321, 4.5.3.1. */
const MAX_LOCAL = 64;
const MAX_DOMAIN = 255;

/** The longest name that ends before a place. */
const localBefore = (text: string, at: number, from: number): string | undefined => {
  let start = at;
  while (start > Math.max(from, at - MAX_LOCAL) && LOCAL.test(text[start - 1] ?? '')) start -= 1;
  const local = text.slice(start, at).replace(/^[^\p{L}\p{N}_]+/u, '');
  return /[\p{L}\p{N}_+-]$/u.test(local) ? local : undefined;
};
const LOCAL = /[\p{L}\p{M}\p{N}'+._-]/u;

const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+(?:xn--[a-z\d-]{2,59}|[\p{L}\p{M}]{2,24})(?![\p{L}\p{N}])/iu;

const isOwnHost = (domain: string): boolean => /\.(?:local|lan|home|internal|localdomain)$/i.test(domain);

/** Something like `scheme://` stands before it, with no white space or slash between. */
const isUserOfUrl = (text: string, start: number): boolean =>
  /:\/\/[^\s/@<>"]{0,100}$/.test(text.slice(Math.max(0, start - 110), start + 1));

/** "name (at) example dot com", "name [at] example [dot] com", "name AT example DOT com". */
const SPELLED =
  /(?<![\p{L}\p{N}._+-])[\p{L}\p{N}._+-]{1,64} {0,2}(?:[([{] {0,2}(?:at|@|ät|arroba) {0,2}[)\]}]|(?<= )AT(?= )) {0,2}[\p{L}\p{N}-]{1,63}(?:(?: {0,2}[([{] {0,2}(?:dot|punkt|point|punto|\.) {0,2}[)\]}] {0,2}| (?:dot|DOT|punkt|point|punto) |\.)[\p{L}\p{N}-]{2,63}){1,4}/gu;
