import { statfsSync } from 'node:fs';

/** With less, the local runtime would fail at the first thing that it stores. */
const MIN_FREE_BYTES = 8 * 1024 * 1024;

/** Whether the disk of a folder is full. */
export function isDiskFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < MIN_FREE_BYTES;
}
