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
  const index = new Map<string, number[]>();
  const add = (statement: Statement) => {
    const place = said.push(statement) - 1;
    texts.add(statement.text.toLowerCase());
    for (const word of statement.words) {
      const places = index.get(word);
      if (places === undefined) index.set(word, [place]);
      else places.push(place);
    }
  };
  const holds = (statement: Statement): boolean => {
    const { text, words, numbers } = statement;
    if (!/[\p{L}\p{N}]/u.test(text)) return true;
    if (words.size === 0 && numbers.length === 0) return texts.has(text.toLowerCase());
    if (words.size === 0) return said.some((other) => saysAsMuch(other, statement));
    const shared = new Uint16Array(said.length);
    for (const word of words) for (const place of index.get(word) ?? []) shared[place] = (shared[place] ?? 0) + 1;
    return shared.some((count, place) => {
      const other = said[place];
      return other !== undefined && count / words.size >= SAID_FROM && saysAsMuch(other, statement);
    });
  };
  return { add: (statements) => statements.forEach(add), holds };
};

const saysAsMuch = (one: Statement, { isNegated, numbers }: Statement): boolean =>
  one.isNegated === isNegated && numbers.every((number) => one.numbers.includes(number));
