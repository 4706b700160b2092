import { readdirSync, readFileSync } from 'node:fs';

const WATCH_MS = 100;
const PAGE_KIB = 4;

/** Resident memory of the local runtime with all functions in it, MiB: the children of this process that run workerd (Linux). */
export const memoryOfRuntime = (): number => {
  let pages = 0;
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, name = '', parent = ''] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${id}/stat`, 'utf8')) ?? [];
      if (name !== 'workerd' || Number(parent) !== process.pid) continue;
      pages += Number(readFileSync(`/proc/${id}/statm`, 'utf8').split(' ')[1]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return Math.round((pages * PAGE_KIB) / 1024);
};

/** `stop` says how much it was before, and at most. */
export const watchMemory = (): { stop(): string } => {
  const before = memoryOfRuntime();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, memoryOfRuntime());
  }, WATCH_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return `${before} MiB before, ${Math.max(most, memoryOfRuntime())} MiB at most`;
    },
  };
};
