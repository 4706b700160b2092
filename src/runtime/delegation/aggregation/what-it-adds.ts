import { type Statement, shareOf } from './statements-of.ts';

/** Share of a statement's words from which on another one counts as having said it. */
const SAID_FROM = 0.8;
/** A sentence that leans on the one before it is not understood alone. */
const LEANS_BACK =
  /^[*_"'“(]{0,3}(?:it|its|this|that|these|those|they|their|he|she|then|also|however|but|so|therefore|otherwise|both|such)\b/i;

/**
 * The parts of an answer that say something more than what was said: blocks and sentences in their order.
 *
 * A statement was said when another has four in five of its words, all of its numbers, and denies as it does.
 *
 * @param blocks As `statementsOf` reads the answer.
 * @returns Empty when everything was said already.
 */
export const whatItAdds = (blocks: readonly (readonly Statement[])[], said: readonly Statement[]): string =>
  blocks
    .map((block) => newIn(block, said))
    .filter((block) => block !== '')
    .join('\n\n');

const newIn = (block: readonly Statement[], said: readonly Statement[]): string => {
  const isNew = block.map((statement) => !isSaid(statement, said));
  if (!isNew.includes(true)) return '';
  const texts = block.map(({ text }) => text);
  // A table without its head, or a list without its first lines, is not the same any more.
  if (texts.some((text) => /^\s*(?:[-+*>|]|\d{1,3}[.)]\s|#)/.test(text))) return texts.join('\n');
  const leansBack = (place: number) => LEANS_BACK.test(texts[place] ?? '');
  return texts.filter((_, place) => isNew[place] || (isNew[place + 1] && leansBack(place + 1))).join(' ');
};

const isSaid = (statement: Statement, said: readonly Statement[]): boolean => {
  if (!/[\p{L}\p{N}]/u.test(statement.text)) return true;
  if (statement.words.size === 0 && statement.numbers.length === 0)
    return said.some(({ text }) => text.toLowerCase() === statement.text.toLowerCase());
  return said.some(
    (other) =>
      other.isNegated === statement.isNegated &&
      statement.numbers.every((number) => other.numbers.includes(number)) &&
      (statement.words.size === 0 || shareOf(statement.words, other.words) >= SAID_FROM),
  );
};
