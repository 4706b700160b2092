import type { OriginContext } from '../../platform/context/request-context.ts';
import { sleep } from '../../platform/retry.ts';

/** Whose calls may be made together. */
export type Asker = Pick<
  OriginContext,
  'workspace' | 'subject' | 'audiences' | 'traceId' | 'authentication'
>;

interface Batch<Item> {
  asker: Asker;
  items: Item[];
  isSent: boolean;
}

interface GatherOptions<Item> {
  /** Makes one call for all. */
  send: (asker: Asker, items: readonly Item[]) => Promise<void>;
  /** Milliseconds that an item waits for others. */
  waitMs: number;
  /** Most items of one call. */
  limit: number;
  /** Whether further items of the same moment are dropped; they go into another call when false or absent. */
  isDropping?: boolean | undefined;
  /** Resolves after so many milliseconds. */
  wait?: ((ms: number) => Promise<void>) | undefined;
}

/**
 * Gathers what one asker leaves within a moment into one call. Every request waits for itself, so that what it
 * leaves is sent whatever becomes of the others.
 */
export function createGatherer<Item>({
  send,
  waitMs,
  limit,
  isDropping = false,
  wait = sleep,
}: GatherOptions<Item>): (asker: Asker, item: Item) => Promise<void> {
  const waiting = new Map<string, Batch<Item>>();
  return async (asker, item) => {
    const { workspace, subject, audiences, authentication } = asker;
    const key = JSON.stringify([workspace, subject, audiences, authentication]);
    const current = waiting.get(key);
    const isFull = current !== undefined && current.items.length >= limit;
    if (isFull && isDropping) return;
    const isOpen = current !== undefined && !isFull;
    const batch: Batch<Item> = isOpen ? current : { asker, items: [], isSent: false };
    batch.items.push(item);
    waiting.set(key, batch);
    await wait(waitMs);
    if (batch.isSent) return;
    batch.isSent = true;
    if (waiting.get(key) === batch) waiting.delete(key);
    await send(batch.asker, batch.items);
  };
}
