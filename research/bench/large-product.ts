import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { HostArticleReply } from '../../src/contract/wire/host-article.ts';
import { SyncStatus } from '../../src/contract/wire/sync.ts';
import { type Product, startProduct } from '../../tools/run/product.ts';
import { ensureInstalled } from '../../tools/stand-ins/ensure-installed.ts';
import { startServices } from '../../tools/stand-ins/start-services.ts';
import { drawQuestions, longArticles, PASSAGE_LENGTH, readBenchArticles } from './corpus.ts';
import { freePort, type IsolateWatch, watchIsolates } from './isolate-memory.ts';
import { percentilesOf } from './single-client.ts';

const PASSAGES = Number(process.env.BENCH_PASSAGES || 100_000);
const QUESTIONS = Number(process.env.BENCH_QUESTIONS || 200);
/** Memory that is alive instead of memory with garbage; the times are then not those of the product. */
const IS_ALIVE = process.env.BENCH_MEMORY === 'alive';
const PAGE = 100;
const POLL_MS = 200;
const STATUS_MS = 10_000;
/** Numbers of a word vector (docs/word-vectors.md). */
const WORD_VECTOR_DIMENSIONS = 96;
const LIBRARY = 'constellation-library';
const READER = 'constellation-navigator';

/**
 * A large knowledge base in the whole product, in workerd: how long the first sync and one without changes take, what the isolates that
 * build and read the edition hold, and `/v1/ask`. `BENCH_SERVICES=upstash` does the same on the local servers of `npx constellation services`, `hybrid` in large
 * mode.
 */
export async function benchLargeProduct({ data }: { data?: string | undefined }): Promise<void> {
  const kind = process.env.BENCH_SERVICES;
  const services =
    kind === 'upstash' || kind === 'hybrid' ? await startUpstash(kind === 'hybrid') : undefined;
  const { name, articles } = readBenchArticles(data);
  const samples: string[] = [];
  const host = await serveArticles(() => longArticles(articles, PASSAGES), samples);
  const inspectorPort = await freePort();
  const kb = { url: `http://127.0.0.1:${(host.address() as AddressInfo).port}/api/kb/articles` };
  const product = await startProduct({
    kb,
    port: 0,
    inspectorPort,
    adapters: services?.variables,
    onLog: (line) => line.includes('"fault"') && console.error(line.slice(0, 500)),
  });
  const watch = await watchIsolates(inspectorPort, [LIBRARY, READER], { isAlive: IS_ALIVE });
  try {
    console.log(
      `About ${PASSAGES} passages of some ${PASSAGE_LENGTH} characters, texts grown from ${name}; all functions in workerd; ` +
        `vectors ${services === undefined ? 'of words, in the edition' : 'in the local server that speaks the protocol of Upstash'}. ` +
        `Memory: objects and arrays of bytes of one isolate, ${IS_ALIVE ? 'alive' : 'garbage included'}, in MiB; a production isolate has 128`,
    );
    for (const sync of ['first', 'again, nothing changed'])
      console.table([await measureSync(product, { sync, watch })]);
    console.table([await measureAsk(product, drawQuestions(samples, QUESTIONS), watch)]);
  } finally {
    watch.stop();
    await product.stop();
    host.close().closeAllConnections();
    await services?.stop();
  }
}

/** Without a chat model: what answers cost is the search. */
const startUpstash = async (isHybrid: boolean) => {
  ensureInstalled(['redis'], { reason: 'the local Upstash Redis starts it' });
  const { variables, stop } = await startServices(
    isHybrid ? { hybridDimensions: WORD_VECTOR_DIMENSIONS } : {},
  );
  if (!isHybrid) return { variables: { ...variables, CHAT_MODEL: 'none' }, stop };
  return {
    variables: { ...variables, OPENAI_BASE_URL: undefined, INDEX_FROM_PASSAGES: '1' },
    stop,
  };
};

const measureSync = async (
  product: Product,
  { sync, watch }: { sync: string; watch: IsolateWatch },
) => {
  watch.take(LIBRARY);
  const began = performance.now();
  const seconds = (): string => ((performance.now() - began) / 1000).toFixed(0);
  await product.fetch('/v1/sync', { method: 'POST', body: JSON.stringify({ full: true }) });
  const phases: Record<string, number> = {};
  for (;;) {
    const status = await readStatus(product);
    const { peak } = watch.take(LIBRARY);
    // While the library computes it does not answer: what is seen after that belongs to the phase before.
    const state = status?.state ?? 'busy';
    if (!(state in phases)) console.log(`  ${seconds()} s: ${state}`);
    phases[state] = Math.max(phases[state] ?? 0, peak);
    if (status?.state === 'idle') {
      const { outcome, writes, error } = status.last_report ?? {};
      if (error) console.log(error.message);
      const { articles, chunks: passages } = status;
      const most = Math.max(...Object.values(phases));
      return {
        sync,
        s: seconds(),
        outcome,
        writes,
        articles,
        passages,
        'library at most': most,
        ...phases,
      };
    }
    await wait(POLL_MS);
  }
};

/** Undefined while the library computes. */
const readStatus = async (product: Product): Promise<SyncStatus | undefined> => {
  try {
    const response = await product.fetch('/v1/sync', { signal: AbortSignal.timeout(STATUS_MS) });
    return response.ok ? SyncStatus.parse(await response.json()) : undefined;
  } catch {
    return undefined;
  }
};

const measureAsk = async (product: Product, questions: readonly string[], watch: IsolateWatch) => {
  const times: number[] = [];
  let failed = 0;
  let degraded = 0;
  let firstMs = 0;
  let loading = watch.take(READER);
  for (const [at, query] of questions.entries()) {
    const began = performance.now();
    const response = await product.fetch('/v1/ask', {
      method: 'POST',
      body: JSON.stringify({ query, librarian: 'navigator' }),
    });
    const text = await response.text();
    if (at === 0) {
      firstMs = performance.now() - began;
      loading = watch.take(READER);
    } else times.push(performance.now() - began);
    if (!response.ok) failed += 1;
    if (text.includes('"degraded"')) degraded += 1;
  }
  const { p50, p99 } = percentilesOf(times);
  const { peak, heap } = watch.take(READER);
  return {
    questions: questions.length,
    failed,
    degraded,
    'first ms': Math.round(firstMs),
    'p50 ms': Math.round(p50),
    'p99 ms': Math.round(p99),
    'navigator at most': peak,
    'of it objects': heap,
    'while it opens the edition': loading.peak,
  };
};

/** A host knowledge base whose pages are made when they are asked for, in order. */
const serveArticles = async (
  articles: () => Iterator<HostArticleReply>,
  samples: string[],
): Promise<Server> => {
  let iterator = articles();
  const pages = new Map<number, HostArticleReply[]>();
  const server = createServer((request, response) => {
    const place = Number(
      new URL(request.url ?? '', 'http://local').searchParams.get('cursor') ?? 0,
    );
    if (place === 0) {
      iterator = articles();
      pages.clear();
    }
    // A page that is asked for again is the same.
    const page = pages.get(place) ?? nextPage(iterator);
    pages.clear();
    pages.set(place, page);
    if (samples.length < 1000)
      samples.push(...page.slice(0, 10).map(({ content }) => content.slice(0, 5000)));
    const next_cursor = page.length < PAGE ? null : String(place + 1);
    const listed = page.map(({ metadata: _, url: __, ...article }) => article);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ articles: listed, next_cursor }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

const nextPage = (articles: Iterator<HostArticleReply>): HostArticleReply[] => {
  const page: HostArticleReply[] = [];
  while (page.length < PAGE) {
    const { value, done } = articles.next();
    if (done === true) break;
    page.push(value);
  }
  return page;
};
