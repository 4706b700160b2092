import { expect, it } from 'vitest';
import { nodeSql } from '../../../src/dev/stand-ins/node-sql.ts';
import type { GapBook } from '../../../src/knowledge/gaps/gap-book.ts';
import { sqlGapBook } from '../../../src/knowledge/gaps/sql-gap-book.ts';

const bookOf = (): GapBook => {
  let ids = 0;
  return sqlGapBook(nodeSql(), { newId: () => `gap-${++ids}` });
};

let requests = 0;
const meet = (book: GapBook, audiences: string[] | undefined): void => {
  requests += 1;
  book.record({
    ...{ requestHash: `request ${requests}`, by: 'user:key-1', edition: 'e000001-aaaaaaaa', nowMs: 1, audiences },
    query: { message: `asked with ${audiences?.join()}`, subject: null, intent: 'x', product: null },
    gaps: [
      {
        kind: 'question',
        gap: 'No article covers pumps',
        product: null,
        intent: 'x',
        subject: { stems: [['pump', 1]] },
      },
    ],
  });
};

const seen = (book: GapBook, audiences?: string[]) => {
  const { gaps, total } = book.list({ state: 'all', limit: 50, audiences });
  const records = book.records({ limit: 50 }, audiences).gaps.map(({ examples }) => examples.at(-1)?.message);
  const messages = gaps.map(({ example_queries }) => example_queries[0]);
  expect([records.toSorted(), total]).toEqual([messages.toSorted(), messages.length]);
  return messages.toSorted();
};

it('shows a gap to those who hold all audiences of those who met it, and mixes no questions', () => {
  const book = bookOf();
  for (const audiences of [undefined, ['staff'], ['staff', 'sales'], ['sales', 'staff'], ['*']]) meet(book, audiences);
  expect(seen(book)).toEqual(['asked with undefined']);
  expect(seen(book, ['sales'])).toEqual(['asked with undefined']);
  expect(seen(book, ['staff'])).toEqual(['asked with staff', 'asked with undefined']);
  expect(seen(book, ['sales', 'staff'])).toEqual([
    'asked with sales,staff',
    'asked with staff',
    'asked with undefined',
  ]);
  expect(seen(book, ['*'])).toHaveLength(4);
});

it('hands out gaps to check by the audiences that they were met with', () => {
  const book = bookOf();
  for (const audiences of [undefined, ['staff']]) meet(book, audiences);
  const toCheck = (audiences?: string[]) =>
    book.toCheck('e000002-bbbbbbbb', 9, 2, audiences).map(({ query }) => query.message);
  expect(book.audienceLists()).toEqual([['staff'], []]);
  expect(toCheck(['staff'])).toEqual(['asked with staff']);
  expect(toCheck()).toEqual(['asked with undefined']);
  expect(toCheck(['staff', 'sales'])).toEqual([]);
});

it('keeps the audiences of gaps that are moved', () => {
  const [from, to] = [bookOf(), bookOf()];
  meet(from, ['staff']);
  expect(to.restore(from.records({ limit: 9 }, ['*']).gaps)).toBe(1);
  expect([seen(to), seen(to, ['staff'])]).toEqual([[], ['asked with staff']]);
});
