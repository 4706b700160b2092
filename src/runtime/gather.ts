import type { OriginContext } from '../signing/request-context.ts';

/** Whose calls may be made together. */
export type Asker = Pick<OriginContext, 'workspace' | 'subject' | 'audiences' | 'traceId' | 'authentication'>;

interface Gathered<Item> {
  asker: Asker;
  items: Item[];
  isTaken: boolean;
}

interface GatherOptions<Item> {
  /** Makes one call for all. */
  send: (asker: Asker, items: readonly Item[]) => Promise<void>;
  /** Milliseconds that an item waits for others. */
  waitMs: number;
  /** Most items of one call. */
  limit: number;
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
  wait = sleep,
}: GatherOptions<Item>): (asker: Asker, item: Item) => Promise<void> {
  const waiting = new Map<string, Gathered<Item>>();
  return async (asker, item) => {
    const { workspace, subject, audiences, authentication } = asker;
    const key = JSON.stringify([workspace, subject, audiences, authentication]);
    const open = waiting.get(key);
    const gathered = open !== undefined && open.items.length < limit ? open : { asker, items: [], isTaken: false };
    gathered.items.push(item);
    waiting.set(key, gathered);
    await wait(waitMs);
    if (gathered.isTaken) return;
    gathered.isTaken = true;
    if (waiting.get(key) === gathered) waiting.delete(key);
    await send(gathered.asker, gathered.items);
  };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
