import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { bundleModules, type WorkerModule } from '../../tools/build/bundle-function.ts';
import { ROOT } from '../../tools/functions.ts';
import { readSupportDocs } from '../eval/eval-data.ts';

const FUNCTIONS = join(ROOT, 'research', 'bench', 'functions');
const EMPTY = 'empty.ts';
const STARTS = 5;
const TEXTS = 1000;
const PASSAGE_CHARACTERS = 600;
/** Calls with the same texts, once the code is warm. */
const ROUNDS = 10;

/** What the table of word vectors costs a function in workerd: its start, opening it, memory, and vectors of short passages. */
export async function benchWordVectors({ data }: { data?: string | undefined }): Promise<void> {
  if (data === undefined || !existsSync(join(data, 'support-docs/articles.jsonl'))) {
    console.log('Word vectors: needs the evaluation data (--data names its folder)');
    return;
  }
  const lines = readSupportDocs(data)
    .articles.map(({ text }) => text.replaceAll(/\s+/g, ' ').slice(0, PASSAGE_CHARACTERS))
    .filter(({ length }) => length === PASSAGE_CHARACTERS);
  const passages = Array.from({ length: TEXTS }, (_, at) => lines[at % lines.length] ?? '');
  console.log(
    `Word vectors in workerd, best of ${STARTS} fresh ones; passages of ${PASSAGE_CHARACTERS} characters`,
  );
  const rows = [];
  for (const [name, file] of Object.entries({
    'an empty function': EMPTY,
    'one with the table': 'word-vectors.ts',
  })) {
    const modules = await bundleModules(join(FUNCTIONS, file), { minify: true });
    const runs: Awaited<ReturnType<typeof measure>>[] = [];
    for (let start = 0; start < STARTS; start += 1)
      runs.push(await measure(modules, file === EMPTY ? [] : passages));
    const best = (figure: (run: Awaited<ReturnType<typeof measure>>) => number): string =>
      Math.min(...runs.map(figure)).toFixed(1);
    rows.push({
      function: name,
      'start to first answer, ms': best(({ readyMs }) => readyMs),
      'first text, ms': best(({ firstMs }) => firstMs),
      'next text, ms': best(({ nextMs }) => nextMs),
      'µs a passage, first time': best(({ coldMs }) => (coldMs * 1000) / TEXTS),
      'µs a passage, warm': best(({ warmMs }) => (warmMs * 1000) / TEXTS),
      'MiB before': best(({ readyMiB }) => readyMiB),
      'MiB once open': best(({ usedMiB }) => usedMiB),
    });
  }
  console.table(rows);
}

/** Over HTTP, as the clock of workerd stands still while it computes. */
const measure = async (modules: WorkerModule[], passages: readonly string[]) => {
  const started = performance.now();
  const worker = { name: 'vectors', compatibilityDate: '2026-11-01', modules };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.ERROR),
      telemetry: { enabled: false },
      workers: [worker],
    }),
  );
  try {
    const url = await miniflare.ready;
    const timed = async (body?: string): Promise<number> => {
      const asked = performance.now();
      await (await fetch(url, body === undefined ? {} : { method: 'POST', body })).text();
      return performance.now() - asked;
    };
    await timed();
    const readyMs = performance.now() - started;
    const readyMiB = memoryOfWorkerd();
    if (passages.length === 0)
      return { readyMs, firstMs: 0, nextMs: 0, coldMs: 0, warmMs: 0, readyMiB, usedMiB: readyMiB };
    const firstMs = await timed('How do I replace it?');
    const nextMs = await timed('How do I remove it?');
    const usedMiB = memoryOfWorkerd();
    const all = passages.join('\n');
    const coldMs = await timed(all);
    let warmMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round += 1) warmMs = Math.min(warmMs, await timed(all));
    return { readyMs, firstMs, nextMs, coldMs, warmMs, readyMiB, usedMiB };
  } finally {
    await miniflare.dispose();
  }
};

/** Resident memory of this process's workerd, where Linux tells it; otherwise 0. */
const memoryOfWorkerd = (): number => {
  const children = `/proc/${process.pid}/task/${process.pid}/children`;
  if (!existsSync(children)) return 0;
  const statuses = readFileSync(children, 'utf8')
    .trim()
    .split(' ')
    .map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'));
  const kib = statuses
    .filter((status) => status.includes('workerd'))
    .map((status) => /VmRSS:\s+(\d+)/.exec(status)?.[1]);
  return Math.max(0, ...kib.map(Number)) / 1024;
};
