import type { Edition } from '../../search/open-edition.ts';
import type { Knowledge, KnowledgeQuestion } from '../retrieval/knowledge.ts';
import type { CheckedGap, OpenGap, RemoteGapBook } from './gap-book.ts';
import { isSameGap } from './same-gap.ts';

export interface RecheckOptions {
  book: Pick<RemoteGapBook, 'toCheck' | 'noteChecked'>;
  /** Asks the edition again. */
  ask: (question: KnowledgeQuestion) => Promise<Knowledge>;
  /** Gaps that are asked again, at most; the others are left to the next time. */
  limit: number;
  /** No further batch begins after this, in milliseconds since 1970. */
  untilMs?: number | undefined;
  now: () => number;
}

/** What is written down at once: a crash in between loses no more than this, and only has it asked again. */
const BATCH = 20;

/**
 * Asks open gaps again that were not compared with an edition yet, and closes those that it answers.
 *
 * @returns How many were closed.
 */
export const recheckGaps = async (
  { id: edition }: Pick<Edition, 'id'>,
  { book, ask, limit, untilMs = Number.POSITIVE_INFINITY, now }: RecheckOptions,
): Promise<number> => {
  let closed = 0;
  for (let left = limit; left > 0 && now() <= untilMs; left -= BATCH) {
    const gaps = await book.toCheck(edition, Math.min(BATCH, left), now());
    const results: CheckedGap[] = [];
    for (const gap of gaps) {
      const { message, subject, intent, product } = gap.query;
      const metadata = product === null ? {} : { product };
      await turnOfOthers();
      const knowledge = await ask({ message, intent, metadata, subject: subject ?? undefined });
      // What could not be asked is left as it is; of a newer edition that came meanwhile nothing is told here.
      if (knowledge.foundGaps === undefined || knowledge.edition !== edition) continue;
      results.push({ id: gap.id, lastSeenMs: gap.lastSeenMs, isAnswered: isAnswered(gap, knowledge) });
    }
    if (results.length > 0) await book.noteChecked(results, { edition, nowMs: now() });
    closed += results.filter((result) => result.isAnswered).length;
    if (gaps.length < BATCH || results.length === 0) break;
  }
  return closed;
};

/** Each takes some milliseconds, and the answers of the same isolate have to go out meanwhile. */
const turnOfOthers = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** It is not reported any more, and something was found: a question that says nothing reports nothing. */
const isAnswered = (gap: OpenGap, { foundGaps = [], coverage }: Knowledge): boolean => {
  const isReported = foundGaps.some(({ kind, product = null, intent = null, stems }) =>
    isSameGap(gap, { kind, product, intent, subject: { stems } }),
  );
  if (isReported) return false;
  return coverage === 'high' || coverage === 'medium' || (coverage === 'low' && foundGaps.length === 0);
};
