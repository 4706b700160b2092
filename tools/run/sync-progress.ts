import type { SkippedArticle, SyncReport, SyncStatus } from '../../src/contract/wire/sync.ts';

let lastLine = '';

/** Shows how far a sync has come: one line that rewrites itself on a terminal, a line a change elsewhere. */
export function showProgress(status: SyncStatus): void {
  const line = progressOf(status);
  if (line === undefined) return;
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line}`);
  else if (line !== lastLine) console.log(line);
  lastLine = line;
}

/** How far a sync has come; undefined when none runs. */
export function progressOf({ state, progress }: SyncStatus): string | undefined {
  if (progress === null) return undefined;
  const [done, all] =
    state === 'listing'
      ? [progress.listed, progress.total ?? 0]
      : [progress.processed, progress.to_process];
  return `${state} ${all > 0 ? `${done} of ${all}` : done || 'articles'}`;
}

/** Removes that line from a terminal. */
export function clearProgress(): string {
  return process.stdout.isTTY ? '\r\u001b[K' : '';
}

/**
 * Summary of a sync: counts, skipped articles and warnings with reasons, held deletions and how to apply them.
 *
 * @param options.before The report of the sync before: what it named is not named again.
 */
export function summariseSync(
  report: SyncReport,
  status: SyncStatus,
  { milliseconds, before }: { milliseconds?: number; before?: SyncReport | null } = {},
): string {
  const counts = `${report.added} new, ${report.changed} changed, ${report.removed} removed`;
  const time = milliseconds === undefined ? '' : ` in ${(milliseconds / 1000).toFixed(1)} s`;
  const lines =
    report.outcome === 'failed'
      ? [
          `sync failed: ${report.error?.message ?? 'unknown'}${report.error?.suggestion ? ` ${report.error.suggestion}` : ''}`,
        ]
      : [
          `${status.articles} articles, ${status.chunks} passages (${counts})${time}, edition ${status.edition}`,
        ];
  if (report.reread === true)
    lines.push('  every article was read again: this version reads them differently');
  lines.push(...named('not read', report.skipped, report.skipped_count, before?.skipped));
  lines.push(...named('warning', report.warnings, report.warning_count, before?.warnings));
  const held = report.held_deletions;
  if (held !== null)
    lines.push(
      `  ${held.count} of ${held.of} articles are gone from the source and were kept. ${held.how_to_force}`,
    );
  return lines.join('\n');
}

const MAX_NAMED = 10;

/** A line an article; how many more there are in the last one. */
function named(
  what: string,
  articles: readonly SkippedArticle[],
  count: number,
  before: readonly SkippedArticle[] = [],
): string[] {
  const isKnown = ({ id, reason }: SkippedArticle): boolean =>
    before.some((article) => article.id === id && article.reason === reason);
  const fresh = articles.filter((article) => !isKnown(article));
  const shown = fresh.slice(0, MAX_NAMED).map(({ id, reason }) => `  ${what}: ${id}: ${reason}`);
  const more = before.length === 0 ? count - shown.length : fresh.length - shown.length;
  return more > 0 ? [...shown, `  and ${more} more`] : shown;
}
