/** Words that carry a sentence but say nothing about the evidence. */
const FUNCTION_WORDS =
  'a an the this that these those it its it’s i we you my our your me us is am are was were be been being do does did ' +
  'have has had will would can could should may might must and or but so because as of to in on at by for from with ' +
  'about than then there here what which who how all any some no not too also just only yes';

/** Words that voice an opinion or repeat the verdict. However many there are, they justify nothing. */
const OPINION_WORDS =
  'seem seems seemed look looks sound sounds feel feels appear appears think believe guess suppose assume know hope ' +
  'right correct good fine ok okay great well true wrong bad likely unlikely probable probably possible possibly maybe ' +
  'perhaps sure certain certainly surely definitely obvious obviously clear clearly very quite really pretty rather ' +
  'fairly totally absolutely highly high medium low level confidence confident uncertain unsure answer response reply ' +
  'reason me enough';

const FILLER = new Set(`${FUNCTION_WORDS} ${OPINION_WORDS}`.split(' '));

/** Characters below which seed 004 refuses a reason, whatever it says. */
export const REASON_MIN_LENGTH = 10;

/**
 * Whether a confidence reason tells why, and not only how sure (seed 004, confidenceReason: "Seems right" is too vague).
 * What is left without function words and words of opinion must be at least two different words: those name the
 * evidence, what was found or missing, where. In scripts without spaces each character counts as a word.
 */
export const isMeaningfulReason = (reason: string): boolean => {
  const words =
    reason.toLowerCase().match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}’'_]+/gu) ?? [];
  return new Set(words.filter((word) => !FILLER.has(word))).size >= 2;
};
