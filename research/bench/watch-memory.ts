import { readdirSync, readFileSync } from 'node:fs';

const WATCH_MS = 100;
const PAGE_KIB = 4;

/** The local runtime with all functions in it: the ids of the children of this process that run workerd (Linux). */
export function runtimeProcesses(): string[] {
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      const [, name = '', parent = ''] =
        /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${id}/stat`, 'utf8')) ?? [];
      return name === 'workerd' && Number(parent) === process.pid;
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

/** Resident memory of the local runtime, MiB. */
export function memoryOfRuntime(): number {
  const pages = runtimeProcesses().map(residentPages);
  return Math.round((pages.reduce((sum, each) => sum + each, 0) * PAGE_KIB) / 1024);
}

/** Resident pages of a process; 0 when it has ended meanwhile. */
const residentPages = (id: string): number => {
  try {
    return Number(readFileSync(`/proc/${id}/statm`, 'utf8').split(' ')[1]);
  } catch {
    return 0;
  }
};

/** `stop` says how much it was before, and at most. */
export function watchMemory(): { stop(): string } {
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
}
