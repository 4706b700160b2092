import { join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import type { TrainingSource } from '../../src/support/intents/intent-model.ts';
import { bundle } from '../../tools/build/bundle-function.ts';
import { ROOT } from '../../tools/functions.ts';

const FUNCTION = join(ROOT, 'research', 'bench', 'functions', 'train-intents.ts');

/** What training at load costs in a fresh isolate: first and later times over HTTP, since its own clock stands still. */
export async function benchIntentsInWorkerd(
  taxonomy: TrainingSource,
  { runs }: { runs: number },
): Promise<void> {
  const code = await bundle(FUNCTION, { minify: true });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.ERROR),
      telemetry: { enabled: false },
      workers: [
        {
          name: 'training',
          compatibilityDate: '2026-11-01',
          modules: [{ type: 'ESModule', path: 'index.mjs', contents: code }],
        },
      ],
    }),
  );
  try {
    const url = await miniflare.ready;
    const ask = async (task: string): Promise<number> => {
      const startedAt = performance.now();
      const response = await fetch(new URL(task, url), {
        method: 'POST',
        body: JSON.stringify(taxonomy),
      });
      if (!response.ok) throw new Error(`Cannot measure: status is ${response.status}`);
      await response.text();
      return performance.now() - startedAt;
    };
    await ask('read');
    const first = await ask('train');
    const later: number[] = [];
    const idle: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      later.push(await ask('train'));
      idle.push(await ask('read'));
    }
    const median = (times: number[]) =>
      times.toSorted((left, right) => left - right)[times.length >> 1] ?? 0;
    const net = median(later) - median(idle);
    console.log(
      `  in workerd, 20 x 20: trained first ${first.toFixed(0)} ms, then ${net.toFixed(0)} ms`,
    );
  } finally {
    await miniflare.dispose();
  }
}
