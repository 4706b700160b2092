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
    let [start, end, count] = [index, index, 0];
    const close = () => {
      const isWhole = count % 3 === 0 && isAlone(text, start, end);
      if (count > 11 && count < 27 && (isWhole || TOLD.test(text.slice(Math.max(0, start - 100), start))))
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

const RUN = /(?<![\p{L}\p{N}])(?:(?:\d{1,2}[.):]?[ \t]*)?[a-z]{3,8}(?![\p{L}\p{N}])[,;]?\s{0,3}){12,40}/gu;

const TOLD = /seed|mnemonic|recovery|phrase|wallet|backup|(?:four|12|24) w[oö]r|wiederherst|r[eé]cup/i;

/** A line, what stands between quotation marks, or what a colon announces. */
const isAlone = (text: string, start: number, end: number): boolean =>
  /(?:^|[\n:="'(])[ \t]{0,3}(?:1[.):]?[ \t]{0,3})?$/.test(text.slice(Math.max(0, start - 10), start)) &&
  /^[ \t]{0,3}(?:$|[\n."')])/.test(text.slice(end, end + 6));

/** Frequent words that the list of BIP 39 does not have; of the forms it lists hardly any. */
const OUTSIDE =
  /^(?:the|and|for|not|are|was|but|has|had|from|been|were|which|would|could|should|does|did|its|our|his|her|how|who|why|while|got?|get|let|than|them|too|out|see|may|per|yes|non|here|tried|said|new|.*[^aeious]s|(?!br|k|r|sp|sw|th|w|even|dur).*ing)$/;
