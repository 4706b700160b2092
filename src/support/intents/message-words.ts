/**
 * The words of a message in lower case: runs of letters and digits, contractions written out, so that `can't`, `cant` and
 * `can not` are the same.
 */
export const messageWords = (text: string): string[] => {
  const plain = text.normalize('NFKC').toLowerCase().replace(APOSTROPHES, "'");
  return writtenOut(plain).match(WORD) ?? [];
};

const APOSTROPHES = /[\u2018\u2019\u201b\u02bc\u00b4\u2032`]/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

const writtenOut = (text: string): string => {
  const apart = text.replace(/\b(?:can't|cant)\b/g, 'can not');
  if (!apart.includes("'")) return apart;
  return apart
    .replace(/n't\b/g, ' not')
    .replace(/'(m|re|ve|ll|d|s)\b/g, (_, short: string) => ` ${LONG_FORMS[short] ?? short}`);
};

const LONG_FORMS: Readonly<Record<string, string>> = { m: 'am', re: 'are', ve: 'have', ll: 'will', d: 'would' };
