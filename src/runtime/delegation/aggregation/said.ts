import { addToIndex, countShared, type WordIndex } from './number-words.ts';
import type { Statement } from './statements-of.ts';

/** What was said so far. */
export interface Said {
  add(statements: readonly Statement[]): void;
  /** Whether another statement has four in five of its words, all of its numbers, and denies as it does. */
  holds(statement: Statement): boolean;
}

/** Share of a statement's words from which on another one counts as having said it. */
const SAID_FROM = 0.8;

/** Statements by their words, so that each is held against those alone that share some. */
export const createSaid = (): Said => {
  const said: Statement[] = [];
  const texts = new Set<string>();
  const index: WordIndex = [];
  const add = (statement: Statement) => {
    const place = said.push(statement) - 1;
    texts.add(statement.text.toLowerCase());
    addToIndex(index, statement.words, place);
  };
  const holds = (statement: Statement): boolean => {
    const { text, words, numbers } = statement;
    if (!/[\p{L}\p{N}]/u.test(text)) return true;
    if (words.length === 0 && numbers.length === 0) return texts.has(text.toLowerCase());
    if (words.length === 0) return said.some((other) => saysAsMuch(other, statement));
    const shared = countShared(index, words, said.length);
    return shared.some((count, place) => {
      const other = said[place];
      return other !== undefined && count / words.length >= SAID_FROM && saysAsMuch(other, statement);
    });
  };
  return { add: (statements) => statements.forEach(add), holds };
};

/** The same as `holds`, of statements without an index. */
export const isSaidIn = (said: readonly Statement[], statement: Statement): boolean => {
  const { text, words, numbers } = statement;
  if (!/[\p{L}\p{N}]/u.test(text)) return true;
  if (words.length === 0 && numbers.length === 0)
    return said.some((other) => other.text.toLowerCase() === text.toLowerCase());
  return said.some(
    (other) =>
      saysAsMuch(other, statement) &&
      (words.length === 0 || words.filter((word) => other.words.includes(word)).length >= SAID_FROM * words.length),
  );
};

const saysAsMuch = (one: Statement, { isNegated, numbers }: Statement): boolean =>
  one.isNegated === isNegated && numbers.every((number) => one.numbers.includes(number));
