import type { Worker } from 'node:worker_threads';

/** What a thread may take for one task. */
export interface ThreadBounds {
  /** Processor time. */
  maxMs: number;
  /** By which the memory of the process may grow: what libraries unpack is not in the heap. */
  maxGrowthBytes: number;
}

/**
 * Objects that live short: libraries make many, and without a limit they fill more memory than what a document holds. Without it, little
 * memory in all makes the collector run all the time.
 */
export const MAX_YOUNG_MIB = 16;

/** Times as long as its processor time a task may take on a busy machine. */
const MAX_WAITING = 6;
const WATCH_MS = 25;

/**
 * Watches a thread while it has a task. One that ends by itself has no memory left.
 *
 * @param stop Gets why it has to be ended, once.
 * @returns Ends the watch.
 */
export function watchThread(
  worker: Worker,
  { maxMs, maxGrowthBytes }: ThreadBounds,
  stop: (problem: string) => void,
): () => void {
  const before = process.memoryUsage.rss();
  const end = (): void => {
    clearTimeout(timer);
    clearInterval(watch);
    worker.off('error', onEnd).off('exit', onEnd);
  };
  const stopOnce = (problem: string): void => {
    end();
    stop(problem);
  };
  const tooLong = (): void => stopOnce(`reading it takes more than ${maxMs / 1000} s`);
  const tooLarge = (): void => stopOnce('reading it takes too much memory');
  const onEnd = tooLarge;
  // Node before 24.6 does not say how much processor time a thread took: there the clock counts.
  const tellsTime = typeof worker.cpuUsage === 'function';
  // A thread that waits for something that never comes takes no processor time.
  const timer = setTimeout(tooLong, tellsTime ? MAX_WAITING * maxMs : maxMs);
  let started: NodeJS.CpuUsage | undefined;
  const watch = setInterval(async () => {
    if (process.memoryUsage.rss() - before > maxGrowthBytes) return tooLarge();
    if (!tellsTime) return;
    // It has none before it runs, and when it has ended.
    const used = await worker.cpuUsage().catch(() => undefined);
    started ??= used;
    if (used !== undefined && started !== undefined && msBetween(started, used) > maxMs) tooLong();
  }, WATCH_MS);
  worker.once('error', onEnd).once('exit', onEnd);
  return end;
}

const msBetween = (from: NodeJS.CpuUsage, to: NodeJS.CpuUsage): number =>
  (to.user + to.system - from.user - from.system) / 1000;
