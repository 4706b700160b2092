import type { SyncReport, SyncStatus } from '../../contract/sync.ts';

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
    state === 'listing' ? [progress.listed, progress.total ?? 0] : [progress.processed, progress.to_process];
  return `${state} ${all > 0 ? `${done} of ${all}` : done || ''}`;
}

/** Removes that line from a terminal. */
export const clearProgress = (): string => (process.stdout.isTTY ? '\r\u001b[K' : '');

/** Summary of a sync: counts, skipped articles with reasons, held deletions and how to apply them. */
export function summariseSync(report: SyncReport, status: SyncStatus, milliseconds?: number): string {
  const counts = `${report.added} new, ${report.changed} changed, ${report.removed} removed`;
  const time = milliseconds === undefined ? '' : ` in ${(milliseconds / 1000).toFixed(1)} s`;
  const lines =
    report.outcome === 'failed'
      ? [
          `sync failed: ${report.error?.message ?? 'unknown'}${report.error?.suggestion ? ` ${report.error.suggestion}` : ''}`,
        ]
      : [`${status.articles} articles, ${status.chunks} passages (${counts})${time}, edition ${status.edition}`];
  for (const { id, reason } of report.skipped.slice(0, 10)) lines.push(`  ${id}: ${reason}`);
  if (report.skipped_count > 10) lines.push(`  and ${report.skipped_count - 10} more`);
  const held = report.held_deletions;
  if (held !== null)
    lines.push(`  ${held.count} of ${held.of} articles are gone from the source and were kept. ${held.how_to_force}`);
  return lines.join('\n');
}
