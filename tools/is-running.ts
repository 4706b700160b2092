import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** Whether another process with this id runs; after a crash there is none, or at worst a later one of the same number. */
export function isRunning(id: number): boolean {
  if (!Number.isInteger(id) || id <= 0 || id === process.pid) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // It exists, and belongs to someone else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * When a process started, which together with its id tells it from a later one with the same id; `undefined` when there is no such
 * process. Comparable on one machine only.
 */
export function startOf(id: number): string | undefined {
  if (!Number.isInteger(id) || id <= 0) return undefined;
  try {
    // The name in parentheses may hold spaces; the start is field 22 (proc_pid_stat(5)), in ticks since the boot.
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (fields[19] !== undefined) return `${boot} ${fields[19]}`;
  } catch {
    // No such process, or a system without /proc.
  }
  return outputOf(['-o', 'lstart=', '-p', String(id)]);
}

/** A process in the file of a lock: its id may belong to another one after a while, so its start stands beside it. */
export const LockOwner = z.object({
  process: z.int(),
  /** `startOf` that process. */
  startedAt: z.string().optional(),
});
export type LockOwner = z.infer<typeof LockOwner>;

/** This process, as the owner of a lock. */
export function thisProcess(): LockOwner {
  return { process: process.pid, startedAt: startOf(process.pid) };
}

/** Whether the process that took a lock still runs. */
export function stillRuns({ process: id, startedAt }: LockOwner): boolean {
  return isRunning(id) && startOf(id) === startedAt;
}

/** The command line of a process; `undefined` when there is no such process. */
export function commandOf(id: number): string | undefined {
  return outputOf(['-o', 'command=', '-p', String(id)]);
}

const outputOf = (options: string[]): string | undefined => {
  try {
    const output = execFileSync('ps', options, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return output === '' ? undefined : output;
  } catch {
    return undefined;
  }
};
