import type { SearchAnalytics } from './config.ts';

/** Workspaces with figures; the least recently searched one is dropped first. Under 1 MB in total. */
const MAX_WORKSPACES = 1000;
/** Upper bounds of latencies, each a quarter above the one before: 0.1 ms to 1 minute and beyond. */
const BOUNDS_MS = Array.from({ length: 61 }, (_, place) => 0.1 * 1.25 ** place);

/** The outcome of a search. */
interface SearchEnd {
  outcome: 'found' | 'empty' | 'failed';
  latencyMs: number;
}

interface Figures {
  count: number;
  empty: number;
  failed: number;
  totalMs: number;
  maxMs: number;
  since: number;
  /** Searches by latency: one count for each bound, and one for all above. */
  histogram: Uint32Array;
}

/** Counts searches by workspace, in memory: numbers only. */
export const searchAnalytics = () => {
  const byWorkspace = new Map<string, Figures>();

  const figuresOf = (workspaceId: string, now: number): Figures => {
    const known = byWorkspace.get(workspaceId);
    byWorkspace.delete(workspaceId);
    if (byWorkspace.size >= MAX_WORKSPACES) byWorkspace.delete(byWorkspace.keys().next().value ?? '');
    const histogram = () => new Uint32Array(BOUNDS_MS.length + 1);
    const figures = known ?? {
      count: 0,
      empty: 0,
      failed: 0,
      totalMs: 0,
      maxMs: 0,
      since: now,
      histogram: histogram(),
    };
    byWorkspace.set(workspaceId, figures);
    return figures;
  };

  return {
    record: (workspaceId: string, { outcome, latencyMs }: SearchEnd, now: number): void => {
      const figures = figuresOf(workspaceId, now);
      figures.count += 1;
      if (outcome === 'empty') figures.empty += 1;
      if (outcome === 'failed') {
        figures.failed += 1;
        return;
      }
      const bucket = BOUNDS_MS.findIndex((bound) => latencyMs <= bound);
      const place = bucket === -1 ? BOUNDS_MS.length : bucket;
      figures.histogram[place] = (figures.histogram[place] ?? 0) + 1;
      figures.totalMs += latencyMs;
      figures.maxMs = Math.max(figures.maxMs, latencyMs);
    },
    read: (workspaceId: string): SearchAnalytics | undefined => {
      const figures = byWorkspace.get(workspaceId);
      return figures === undefined ? undefined : summaryOf(figures);
    },
  };
};

const summaryOf = (figures: Figures): SearchAnalytics => {
  const { count, empty, failed, since, totalMs, maxMs: max } = figures;
  const ended = count - failed;
  if (ended === 0) return { count, empty, failed, since };
  const latencyMs = { mean: totalMs / ended, p50: percentile(figures, 0.5), p95: percentile(figures, 0.95), max };
  return { count, empty, failed, since, latencyMs };
};

/** The bound that this share of the searches stays within. */
const percentile = ({ histogram, count, failed, maxMs }: Figures, share: number): number => {
  let below = 0;
  for (const [place, searches] of histogram.entries()) {
    below += searches;
    if (below >= share * (count - failed)) return Math.min(maxMs, BOUNDS_MS[place] ?? maxMs);
  }
  return maxMs;
};
