import { blocksOf, type Statement, shareOf, statementOf } from './statements-of.ts';

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
 * @returns Empty when everything was said already.
 */
export const whatItAdds = (markdown: string, said: readonly Statement[]): string =>
  blocksOf(markdown)
    .map((block) => newIn(block, said))
    .filter((block) => block !== '')
    .join('\n\n');

const newIn = (block: readonly string[], said: readonly Statement[]): string => {
  const isNew = block.map((text) => !isSaid(statementOf(text), said));
  const kept = block.filter(
    (_text, place) => isNew[place] || (isNew[place + 1] && LEANS_BACK.test(block[place + 1] ?? '')),
  );
  const isLines = block.some((text) => /^\s*(?:[-+*>|]|\d{1,3}[.)]\s|#)/.test(text));
  if (!isNew.includes(true)) return '';
  // A table without its head, or a list without its first lines, is not the same any more.
  return isLines ? block.join('\n') : kept.join(' ');
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
