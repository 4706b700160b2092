import * as z from 'zod';
import { SourceFailed } from './source-failed.ts';

/** Where a pass over a list stands whose pages are counted. */
export const CountedPage = z.object({
  /** From 1. */
  page: z.int().min(1).max(10_000),
  /** Members of the list that the pages before had. */
  seen: z.int().min(0).max(1_000_000),
  /** How many the list had, as the page before said. */
  total: z.int().min(0).max(1_000_000).optional(),
});
export type CountedPage = z.infer<typeof CountedPage>;

export const FIRST_PAGE: CountedPage = { page: 1, seen: 0 };

/**
 * What leads on from a page; undefined when it was the last.
 *
 * A list that is counted shifts when an article leaves it: one that is still there moves to a page that was read already. So a
 * list that gets shorter while it is read, or that ends before all of it came, fails the pass.
 *
 * @throws {SourceFailed} When articles may have been missed.
 */
export const nextPage = (
  { page, seen, total: before }: CountedPage,
  { received, total, pageSize }: { received: number; total: number | undefined; pageSize: number },
): CountedPage | undefined => {
  if (before !== undefined && total !== undefined && total < before)
    throw new SourceFailed('DATA_SOURCE_ERROR', 'the list got shorter while it was read');
  const soFar = seen + received;
  const isLast = received === 0 || (total === undefined ? received < pageSize : soFar >= total);
  if (!isLast) return { page: page + 1, seen: soFar, ...(total === undefined ? {} : { total }) };
  if (total !== undefined && soFar < total)
    throw new SourceFailed('DATA_SOURCE_ERROR', `the list ended after ${soFar} of ${total} articles`);
  return undefined;
};
