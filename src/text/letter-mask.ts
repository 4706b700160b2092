/**
 * Which letters a word has, one bit each (a to z; digits share five bits, bytes beyond ASCII one): one edit changes at
 * most two bits, so that a vocabulary is searched for misspelt words without looking at its letters.
 */
export const letterMask = (utf8: Uint8Array): number => {
  let mask = 0;
  for (const byte of utf8) {
    if (byte >= 97 && byte <= 122) mask |= 1 << (byte - 97);
    else mask |= byte < 128 ? 1 << (26 + (byte % 5)) : 1 << 31;
  }
  return mask >>> 0;
};
