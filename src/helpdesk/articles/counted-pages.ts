import * as z from 'zod';
import { readAs } from '../../contract/issue.ts';
import { ArticleId } from './read-articles.ts';
import { SourceFailed } from './source-failed.ts';

/** Where a pass over a list stands whose pages are counted. */
export const CountedPage = z.object({
  /** From 1. */
  page: z.int().min(1).max(10_000),
  /** Members of the list that the pages before had. */
  seen: z.int().min(0).max(1_000_000),
  /** How many the list had, as the page before said. */
  total: z.int().min(0).max(1_000_000).optional(),
  /** Id of the last member of the page before. */
  last: ArticleId.optional(),
});
export type CountedPage = z.infer<typeof CountedPage>;

export const FIRST_PAGE: CountedPage = { page: 1, seen: 0 };

/**
 * What leads on from a page; undefined when it was the last.
 *
 * A list that is counted shifts when an article leaves it: one that is still there moves to a page that was read already. So does
 * one that is edited, where the newest change comes first, and the others move on by a place: the page then begins with what the one
 * before ended with. So a list that gets shorter while it is read, that moves on by more than it grew, or that ends before all of it
 * came, fails the pass.
 *
 * @param members Of the page, as the tool gave them.
 * @param isWhole Whether the pass tells what is gone. One for what has changed may move on: the next one has what was passed over.
 * @throws {SourceFailed} When articles may have been missed.
 */
export const nextPage = (
  { page, seen, total: before, last: lastBefore }: CountedPage,
  {
    members,
    total,
    pageSize,
    isWhole,
  }: { members: readonly unknown[]; total: number | undefined; pageSize: number; isWhole: boolean },
): CountedPage | undefined => {
  if (before !== undefined && total !== undefined && total < before)
    throw new SourceFailed('DATA_SOURCE_ERROR', 'the list got shorter while it was read');
  const ids = members.map(idOf);
  const movedBy = lastBefore === undefined ? 0 : ids.lastIndexOf(lastBefore) + 1;
  if (movedBy > (total ?? 0) - (before ?? 0))
    throw new SourceFailed('DATA_SOURCE_ERROR', 'the list changed its order while it was read');
  const received = members.length;
  const soFar = seen + received;
  const isLast = received === 0 || (total === undefined ? received < pageSize : soFar >= total);
  const last = ids.at(-1);
  if (!isLast)
    return {
      page: page + 1,
      seen: soFar,
      ...(total === undefined ? {} : { total }),
      ...(last === undefined || !isWhole ? {} : { last }),
    };
  if (total !== undefined && soFar < total)
    throw new SourceFailed('DATA_SOURCE_ERROR', `the list ended after ${soFar} of ${total} articles`);
  return undefined;
};

const idOf = (member: unknown): string | undefined => {
  const read = readAs(z.object({ id: ArticleId }), member);
  return read.ok ? read.value.id : undefined;
};
