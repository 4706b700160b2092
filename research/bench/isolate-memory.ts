import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';

const MEBIBYTE = 2 ** 20;
/** A value is read once the isolate pauses: within a computation that never waits nothing is seen. */
const INTERVAL_MS = 25;
const COLLECTING_INTERVAL_MS = 500;

/** As the inspector of V8 reports it. `backingStorageSize` are arrays of bytes, which lie outside of the heap. */
const HeapUsage = z.object({
  usedSize: z.number(),
  embedderHeapUsedSize: z.number(),
  backingStorageSize: z.number(),
});
const Targets = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.url() }));
const Reply = z.object({ id: z.int(), result: HeapUsage });

/** What an isolate has held at most: objects and arrays of bytes, in MiB. */
interface IsolatePeak {
  peak: number;
  heap: number;
  bytes: number;
}

export interface IsolateWatch {
  /** By function, since the last call. */
  take(name: string): IsolatePeak;
  stop(): void;
}

/** A port that is free now, for the inspector of a workerd. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
      server.close(() => resolve(port));
    });
  });
}

/**
 * Reads over and over what the isolates of a workerd hold. The limit of a production isolate, 128 MB, is one on the same sum; the
 * resident memory of the process has all isolates, the caches of V8 and pages given back to no one.
 *
 * @param port Of the inspector.
 * @param names The functions to watch.
 * @param options.isAlive Has garbage collected before each reading, which slows the isolate; what is read is garbage included otherwise.
 */
export async function watchIsolates(
  port: number,
  names: readonly string[],
  { isAlive }: { isAlive: boolean },
): Promise<IsolateWatch> {
  const targets = Targets.parse(await (await fetch(`http://127.0.0.1:${port}/json`)).json());
  const peaks = new Map<string, IsolatePeak>();
  const ending = new AbortController();
  const sockets = names.map((name) => {
    const target = targets.find(({ id }) => id === `core:user:${name}`);
    if (target === undefined)
      throw new Error(`Cannot watch ${name}: workerd runs no such function`);
    return watch(target.webSocketDebuggerUrl, { signal: ending.signal, isAlive }, (usage) => {
      const [heap, bytes] = [usage.usedSize + usage.embedderHeapUsedSize, usage.backingStorageSize];
      if (heap + bytes > (peaks.get(name)?.peak ?? 0))
        peaks.set(name, { peak: heap + bytes, heap, bytes });
    });
  });
  return {
    take: (name) => {
      const { peak, heap, bytes } = peaks.get(name) ?? { peak: 0, heap: 0, bytes: 0 };
      peaks.delete(name);
      const mebibytes = (value: number): number => Math.round((value / MEBIBYTE) * 10) / 10;
      return { peak: mebibytes(peak), heap: mebibytes(heap), bytes: mebibytes(bytes) };
    },
    stop: () => {
      ending.abort();
      for (const socket of sockets) socket.close();
    },
  };
}

const watch = (
  url: string,
  { signal, isAlive }: { signal: AbortSignal; isAlive: boolean },
  note: (usage: z.infer<typeof HeapUsage>) => void,
): WebSocket => {
  const socket = new WebSocket(url);
  const ask = (id: number): void => {
    if (isAlive) socket.send(JSON.stringify({ id: 0, method: 'HeapProfiler.collectGarbage' }));
    socket.send(JSON.stringify({ id, method: 'Runtime.getHeapUsage' }));
  };
  socket.onopen = () => ask(1);
  socket.onmessage = async ({ data }) => {
    const reply = Reply.safeParse(JSON.parse(String(data)));
    if (!reply.success) return;
    note(reply.data.result);
    await wait(isAlive ? COLLECTING_INTERVAL_MS : INTERVAL_MS);
    if (!signal.aborted) ask(reply.data.id + 1);
  };
  return socket;
};
