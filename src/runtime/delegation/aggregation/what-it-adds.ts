import type { Said } from './said.ts';
import type { Statement } from './statements-of.ts';

/** A sentence that leans on the one before it is not understood alone. */
const LEANS_BACK =
  /^[*_"'“(]{0,3}(?:it|its|this|that|these|those|they|their|he|she|then|also|however|but|so|therefore|otherwise|both|such)\b/i;

/**
 * The parts of an answer that say something more than what was said: blocks and sentences in their order.
 *
 * @param blocks As `createStatements` reads the answer.
 * @returns Empty when everything was said already.
 */
export const whatItAdds = (blocks: readonly (readonly Statement[])[], said: Said): string =>
  blocks
    .map((block) => newIn(block, said))
    .filter((block) => block !== '')
    .join('\n\n');

const newIn = (block: readonly Statement[], said: Said): string => {
  const isNew = block.map((statement) => !said.holds(statement));
  if (!isNew.includes(true)) return '';
  const texts = block.map(({ text }) => text);
  // A table without its head, or a list without its first lines, is not the same any more.
  if (texts.some((text) => /^\s*(?:[-+*>|]|\d{1,3}[.)]\s|#)/.test(text))) return texts.join('\n');
  const leansBack = (place: number) => LEANS_BACK.test(texts[place] ?? '');
  return texts.filter((_, place) => isNew[place] || (isNew[place + 1] && leansBack(place + 1))).join(' ');
};
