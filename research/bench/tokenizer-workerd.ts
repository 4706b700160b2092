import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { bundle } from '../../tools/build/bundle-function.ts';
import { ROOT } from '../../tools/functions.ts';

const FUNCTIONS = join(ROOT, 'research', 'bench', 'functions');
const STARTS = 5;

/** What a tokenizer costs a function: its size, its start while nothing is counted, and the first and later counts. */
export async function benchTokenizerInWorkerd(text: string): Promise<void> {
  const counting = await bundle(join(FUNCTIONS, 'count-tokens.ts'), { minify: true });
  const empty = await bundle(join(FUNCTIONS, 'empty.ts'), { minify: true });
  console.log(
    `  in workerd, best of ${STARTS} fresh ones; the vocabulary is a dynamic import, in the bundle`,
  );
  for (const [name, code] of Object.entries({
    'an empty function': empty,
    'one that counts': counting,
  })) {
    const size = `${(code.length / 1024).toFixed(0)} KiB, ${(gzipSync(code).byteLength / 1024).toFixed(0)} KiB gzip`;
    const runs: number[][] = [];
    for (let start = 0; start < STARTS; start += 1)
      runs.push(await timesOf(code, text, code === counting));
    const [ready, first, next] = [0, 1, 2].map((at) =>
      Math.min(...runs.map((run) => run[at] ?? 0)),
    );
    const counted =
      code === counting
        ? `, first count ${ms(first)}, next ${ms(next)} of ${text.length} characters`
        : '';
    console.log(`    ${name.padEnd(18)} ${size}: start to first answer ${ms(ready)}${counted}`);
  }
  console.log();
}

/** From the start of workerd to its first answer, then two counts over HTTP. */
const timesOf = async (code: string, text: string, isCounting: boolean): Promise<number[]> => {
  const started = performance.now();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.ERROR),
      telemetry: { enabled: false },
      workers: [
        {
          name: 'counting',
          compatibilityDate: '2026-11-01',
          modules: [{ type: 'ESModule', path: 'index.mjs', contents: code }],
        },
      ],
    }),
  );
  try {
    const url = await miniflare.ready;
    await (await fetch(url)).text();
    const times = [performance.now() - started];
    for (let count = 0; isCounting && count < 2; count += 1) {
      const asked = performance.now();
      await (await fetch(url, { method: 'POST', body: `${count} ${text}` })).text();
      times.push(performance.now() - asked);
    }
    return times;
  } finally {
    await miniflare.dispose();
  }
};

const ms = (value: number | undefined): string => `${(value ?? 0).toFixed(1)} ms`;
