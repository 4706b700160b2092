import { execFileSync } from 'node:child_process';
import { cl100k, loadTokenizer, o200k, type Tokenizer } from '../../src/ai/tokenizer.ts';
import type { Memory } from '../../src/contract/wire/memory.ts';
import { ContextEngine } from '../../src/memory/context-engine/index.ts';
import type { StorageClient } from '../../src/memory/store/memory-store.ts';
import { ROOT } from '../../tools/functions.ts';
import { readBenchArticles } from './corpus.ts';
import { benchTokenizerInWorkerd } from './tokenizer-workerd.ts';

const MEMORIES = 100;
const BUDGET = 2000;
const RUNS = 1000;
const WARM_UP = 100;
const MEGABYTE = 1_000_000;

/** Measures contexts of 100 memories without a network, previews, and token counting. */
export async function benchContext({ data }: { data: string | undefined }): Promise<void> {
  const { name, articles } = readBenchArticles(data);
  const text = articles.map((article) => article.text).join('\n\n');
  console.log(
    `Contexts of ${MEMORIES} memories with ${BUDGET} tokens of gpt-4, texts from ${name}\n`,
  );
  await benchContexts(passagesOf(text));
  const megabyte = text.repeat(Math.ceil(MEGABYTE / text.length)).slice(0, MEGABYTE);
  await benchCounting(megabyte);
  benchColdLoad();
  await benchTokenizerInWorkerd(megabyte.slice(0, 10_000));
}

/** Passages of the length of a stored memory: 200 to 300 characters. */
const passagesOf = (text: string): string[] =>
  (text.match(/\S[\s\S]{200,290}?(?=\s|$)/g) ?? []).map((passage) => passage.replace(/\s+/g, ' '));

const benchContexts = async (passages: readonly string[]): Promise<void> => {
  for (const { title, isNew } of [
    { title: 'memories that were counted before', isNew: false },
    { title: 'memories never counted before', isNew: true },
  ]) {
    const engine = engineOver(passages, { isNew });
    const times: Record<'buildContext' | 'previewContext', number[]> = {
      buildContext: [],
      previewContext: [],
    };
    let tokens = 0;
    let cpu = process.cpuUsage();
    for (let run = 0; run < WARM_UP + RUNS; run += 1) {
      if (run === WARM_UP) cpu = process.cpuUsage();
      const turn =
        run % 2 === 0 ? ['buildContext', 'previewContext'] : ['previewContext', 'buildContext'];
      for (const method of turn as ('buildContext' | 'previewContext')[]) {
        const started = performance.now();
        const built = await engine[method](`question ${run % 7}`, 'bench', {
          limit: MEMORIES,
          tokenBudget: BUDGET,
        });
        const ms = performance.now() - started;
        if (!built.ok) throw new Error(`Cannot build a context: ${built.error.type}`);
        tokens = built.value.tokenCount;
        if (run >= WARM_UP) times[method].push(ms);
      }
    }
    const { user, system } = process.cpuUsage(cpu);
    const [build, preview] = [times.buildContext, times.previewContext];
    console.log(
      `  ${title.padEnd(36)} buildContext p50 ${ms(percentile(build, 0.5))}, p99 ${ms(percentile(build, 0.99))}; ` +
        `previewContext p50 ${ms(percentile(preview, 0.5))} = ${(percentile(preview, 0.5) / percentile(build, 0.5)).toFixed(2)} times; CPU ${ms((user + system) / 1000 / RUNS / 2)} each; ${tokens} tokens`,
    );
  }
  console.log();
};

/** @param isNew Whether every search returns new texts. */
const engineOver = (passages: readonly string[], { isNew }: { isNew: boolean }): ContextEngine => {
  let searches = 0;
  const memoryAt = (at: number): Memory => ({
    id: `memory-${at}`,
    workspace_id: 'bench',
    type: 'fact',
    content: `${passages[at % passages.length] ?? ''}${isNew ? ` ${searches}` : ''}`,
    confidence: (at % 10) / 10,
    created_at: new Date(1_750_000_000_000 + at * 3_600_000).toISOString(),
  });
  const storageClient: StorageClient = {
    searchMemories: async (_workspaceId, { limit }) => {
      searches += 1;
      return Array.from({ length: limit }, (_, at) => ({
        memory: memoryAt(at),
        score: 1 - at / 200,
      }));
    },
    getMemoryRelationships: async () => [],
  };
  const vector = Array.from({ length: 1536 }, (_, at) => Math.sin(at));
  const embeddingProvider = {
    dimensions: 1536,
    model: 'none',
    embed: async () => vector,
    embedBatch: async (texts: string[]) => texts.map(() => vector),
  };
  return new ContextEngine({
    storageClient,
    embeddingProvider,
    tokenizer: () => loadTokenizer('gpt-4', [cl100k]),
  });
};

/** In one process, sequentially; only gpt-tokenizer caches anything between runs. */
const benchCounting = async (text: string): Promise<void> => {
  const { Tiktoken } = await import('js-tiktoken/lite');
  const js = new Tiktoken((await import('js-tiktoken/ranks/cl100k_base')).default);
  const gpt = await import('gpt-tokenizer/encoding/cl100k_base');
  const tokenizer = await loadTokenizer('gpt-4', [cl100k]);
  const plain = { disallowedSpecial: new Set<string>() };
  console.log(
    `  counting ${(text.length / MEGABYTE).toFixed(1)} MB of text, cl100k_base; first and median of 5`,
  );
  row('ours', text, uncached(tokenizer));
  row('js-tiktoken', text, (counted) => js.encode(counted, [], []).length);
  row('gpt-tokenizer', text, (counted) => gpt.countTokens(counted, plain));
  const run = 'a'.repeat(4000);
  console.log('\n  4,000 equal letters');
  row('ours', run, uncached(tokenizer), 1);
  row('js-tiktoken', run, (counted) => js.encode(counted, [], []).length, 1);
  console.log();
};

/** `count` would cache the text. */
const uncached =
  (tokenizer: Tokenizer) =>
  (text: string): number =>
    tokenizer.encode(text).length;

const row = (name: string, text: string, count: (text: string) => number, runs = 5): void => {
  const times: number[] = [];
  let tokens = 0;
  for (let at = 0; at < runs; at += 1) {
    const started = performance.now();
    tokens = count(text);
    times.push(performance.now() - started);
  }
  const median = percentile(times, 0.5);
  console.log(`    ${name.padEnd(14)} ${ms(times[0] ?? 0)}  ${ms(median)}  ${tokens} tokens`);
};

/** Each in fresh processes, from nothing to the first count; the start of node itself is not in it. */
const benchColdLoad = (): void => {
  const ours = (source: typeof cl100k) => {
    const file = source === cl100k ? 'cl100k' : 'o200k';
    const model = source === cl100k ? 'gpt-4' : 'gpt-4o';
    return `const { loadTokenizer, ${file} } = await import('./src/ai/tokenizer.ts'); globalThis.kept = await loadTokenizer('${model}', [${file}]); kept.count('hello');`;
  };
  const js = (ranks: string) =>
    `const { Tiktoken } = await import('js-tiktoken/lite'); globalThis.kept = new Tiktoken((await import('js-tiktoken/ranks/${ranks}')).default); kept.encode('hello');`;
  console.log('  cold load and first count, best of 5 fresh processes; and the memory that stays');
  for (const [name, code] of Object.entries({
    'ours, cl100k': ours(cl100k),
    'js-tiktoken, cl100k': js('cl100k_base'),
    'ours, o200k': ours(o200k),
    'js-tiktoken, o200k': js('o200k_base'),
  })) {
    const runs = Array.from({ length: 5 }, () => coldRun(code));
    const fastest = Math.min(...runs.map((run) => run.ms));
    const bytes = Math.min(...runs.map((run) => run.bytes));
    console.log(`    ${name.padEnd(20)} ${ms(fastest)}  ${(bytes / MEGABYTE).toFixed(0)} MB`);
  }
  console.log();
};

const coldRun = (code: string): { ms: number; bytes: number } => {
  const measured = `gc(); const used = () => { const { heapUsed, arrayBuffers } = process.memoryUsage(); return heapUsed + arrayBuffers; };
    const before = used(); const started = performance.now(); ${code} const ms = performance.now() - started; gc();
    console.log(JSON.stringify({ ms, bytes: used() - before }));`;
  const args = ['--expose-gc', '--no-warnings', '--input-type=module', '-e', measured];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' }));
};

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};
