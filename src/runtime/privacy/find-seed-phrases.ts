import type { Found } from './mask-kind.ts';

/**
 * Finds the words that a wallet is restored from (BIP 39): 12 to 24 words of three to eight small letters in a row, numbered or
 * not. The list of words is not needed: prose has words of one and two letters, and those below, within any twelve.
 *
 * Where nothing says that it is such a phrase, it has to have 12, 15, 18, 21 or 24 words exactly, and stand by itself.
 */
export const findSeedPhrases = (text: string): Found[] => {
  const found: Found[] = [];
  for (const { 0: run, index } of text.matchAll(RUN)) {
    for (const { start, end, count } of phrasesIn(run, index))
      if (count >= 12 && count <= 26 && (isTold(text, start) || (COUNTS.has(count) && isAlone(text, start, end))))
        found.push({ kind: 'key', start, end });
  }
  return found;
};

const COUNTS: ReadonlySet<number> = new Set([12, 15, 18, 21, 24]);

const RUN = /(?<![\p{L}\p{N}])(?:(?:\d{1,2}[.):]?[ \t]*)?[a-z]{3,8}(?![\p{L}\p{N}])[,;]?\s{0,3}){12,40}/gu;

/** Stretches of words that can all stand in a phrase. */
function* phrasesIn(run: string, offset: number): Generator<{ start: number; end: number; count: number }> {
  let open: { start: number; end: number; count: number } | undefined;
  for (const { 0: word, index } of run.matchAll(/[a-z]+/g)) {
    if (
      OUTSIDE.has(word) ||
      (/[^aeiou]s$|ing$/.test(word) &&
        !/ss$|^(?:bring|king|ring|spring|swing|thing|wing|evening|during|lens)$/.test(word))
    ) {
      if (open) yield open;
      open = undefined;
    } else if (open) open = { ...open, end: offset + index + word.length, count: open.count + 1 };
    else open = { start: offset + index, end: offset + index + word.length, count: 1 };
  }
  if (open) yield open;
}

const isTold = (text: string, at: number): boolean =>
  /seed|mnemonic|recovery|phrase|wallet|backup|(?:12|24|twelve|wenty-four) words|wörter|wiederherstell|récupération|recuperación/i.test(
    text.slice(Math.max(0, at - 100), at),
  );

/** A line, what stands between quotation marks, or what a colon announces. */
const isAlone = (text: string, start: number, end: number): boolean =>
  /(?:^|[\n:="'(])[ \t]{0,3}(?:1[.):]?[ \t]{0,3})?$/.test(text.slice(Math.max(0, start - 10), start)) &&
  /^[ \t]{0,3}(?:$|[\n."')])/.test(text.slice(end, end + 6));

/** Frequent words that the list of BIP 39 does not have. */
const OUTSIDE: ReadonlySet<string> = new Set(
  (
    'the and for not are was but has had from been were which would could should does did its our his her how who why while ' +
    'get got let than them too out see may per yes non here thanks tried says said seems shows new works'
  ).split(' '),
);
