import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import type { EditionManifest } from '../../src/platform/storage/edition-storage.ts';
import { bundleModules } from '../../tools/build/bundle-function.ts';
import { ROOT } from '../../tools/functions.ts';

/** Limits the objects of V8; arrays of bytes lie outside of it and are in the resident memory. */
const HEAP_MIB = 128;
const FUNCTIONS = join(ROOT, 'research', 'bench', 'functions');

interface Served {
  manifest: EditionManifest;
  part: (part: number) => Uint8Array | undefined;
}

/** Answers questions from an edition in a workerd of its own, its heap limited, and compares its memory with an empty function's. */
export async function measureReader(
  { manifest, part }: Served,
  questions: readonly string[],
): Promise<void> {
  const server = createServer((request, response) => {
    const place = (request.url ?? '').slice(1);
    const body = place === 'current' ? JSON.stringify(manifest) : part(Number(place));
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const rows = [
      await run('empty.ts', origin, []),
      await run('read-edition.ts', origin, questions),
    ];
    console.log(
      `  a reader in workerd, --max-old-space-size=${HEAP_MIB}, pages over HTTP from this process`,
    );
    console.table(rows);
  } finally {
    server.close().closeAllConnections();
  }
}

const run = async (file: string, origin: string, questions: readonly string[]) => {
  const before = new Set(workerds());
  process.env.MINIFLARE_WORKERD_V8_FLAGS = `--max-old-space-size=${HEAP_MIB}`;
  const worker = {
    name: 'reader',
    compatibilityDate: '2026-11-01',
    modules: await bundleModules(join(FUNCTIONS, file), { minify: true }),
    bindings: { ORIGIN: origin },
  };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.ERROR),
      telemetry: { enabled: false },
      workers: [worker],
    }),
  );
  delete process.env.MINIFLARE_WORKERD_V8_FLAGS;
  try {
    const url = await miniflare.ready;
    const ask = async (query: string): Promise<{ ms: number; isDegraded: boolean }> => {
      const began = performance.now();
      const response = await fetch(`${url}${query}`);
      const text = await response.text();
      if (!response.ok) throw new Error(`The reader failed: ${text.slice(0, 300)}`);
      return { ms: performance.now() - began, isDegraded: text.includes('"texts"') };
    };
    await (await fetch(url)).text();
    const figures: Record<string, number | string> = { function: file };
    for (const [name, more] of [
      ['search', ''],
      ['answer', '&answer=1'],
    ] as const) {
      if (questions.length === 0) break;
      const first = await ask(`?q=${encodeURIComponent(questions[0] ?? '')}${more}`);
      const times = [];
      for (const question of questions.slice(1))
        times.push(await ask(`?q=${encodeURIComponent(question)}${more}`));
      const sorted = times.map(({ ms }) => ms).sort((left, right) => left - right);
      figures[`${name} first ms`] = Math.round(first.ms);
      figures[`${name} p50 ms`] = Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
      figures[`${name} p99 ms`] = Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0);
      figures[`${name} degraded`] = times.filter(({ isDegraded }) => isDegraded).length;
    }
    const [own] = workerds().filter((pid) => !before.has(pid));
    figures['resident MiB'] = memoryOf(own, 'VmRSS');
    figures['peak MiB'] = memoryOf(own, 'VmHWM');
    return figures;
  } finally {
    await miniflare.dispose();
  }
};

/** Processes of workerd that this process has started. */
const workerds = (): string[] => {
  try {
    return readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      const status = statusOf(pid);
      return (
        /^Name:\s+workerd$/m.test(status) &&
        new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status)
      );
    });
  } catch {
    return [];
  }
};

const statusOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
};

const memoryOf = (pid: string | undefined, name: string): number =>
  Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(statusOf(pid ?? ''))?.[1] ?? 0) / 1024);
