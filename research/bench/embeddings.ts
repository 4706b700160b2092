import type { EmbeddingProvider } from '../../src/ai/embeddings/base.ts';
import {
  type CachedEmbeddingsOptions,
  cachedEmbeddings,
  EmbeddingCache,
} from '../../src/ai/embeddings/cached-embeddings.ts';
import { OpenAIEmbeddingProvider } from '../../src/ai/embeddings/openai.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import type { EmbeddingStore } from '../../src/platform/storage/embedding-store.ts';
import { redisEmbeddingStore } from '../../src/platform/storage/redis-embedding-store.ts';
import { sqlVectorIndex } from '../../src/platform/storage/sql-vector-index.ts';
import type { VectorFilter } from '../../src/platform/storage/vector-index.ts';
import { nodeSql } from '../../tools/stand-ins/node-sql.ts';
import { startOpenAIServer } from '../../tools/stand-ins/openai/openai-server.ts';
import { startRedisServer } from '../../tools/stand-ins/redis/redis-server.ts';
import { drawQuestions, readBenchArticles } from './corpus.ts';
import { percentilesOf } from './single-client.ts';

const QUESTIONS = 1000;
const ASKED = 10_000;
/** Number of isolates, chosen at random per question, and the questions after which each is replaced. */
const ISOLATES = 4;
const LIFE = 1000;
/** Fewer than there are questions, so that the first cache level evicts some. */
const MAX_SIZE = 500;
const SCANNED = [1000, 5000, 20_000];
const DIMENSIONS = 1536;

/** Measures provider calls for repeated questions, with the real adapters and local servers, and the cost of a vector scan. */
export async function benchEmbeddings({ data }: { data: string | undefined }): Promise<void> {
  const { name, articles } = readBenchArticles(data);
  const texts = articles.map(({ text }) => text);
  const stream = zipfStream(drawQuestions(texts, QUESTIONS));
  const different = new Set(stream).size;
  console.log(
    `Embeddings, ${ASKED} questions, ${different} different ones from ${name} by Zipf's law, ${ISOLATES} isolates that live for ${LIFE} questions\n`,
  );
  console.log(
    '                      level one  level two   embedded  of repeated: cached   one p50    two p50',
  );
  const [redis, openai] = await Promise.all([startRedisServer(), startOpenAIServer()]);
  try {
    const provider = new OpenAIEmbeddingProvider({ baseURL: openai.url, apiKey: openai.apiKey });
    const { dimensions } = provider;
    const store = redisEmbeddingStore({ url: redis.url, token: redis.token, dimensions });
    for (const [label, level2] of [
      ['level one alone', undefined],
      ['with Redis', store],
    ] as const) {
      const { counts, times } = await replay(stream, { provider, store: level2 });
      console.log(
        [
          `  ${label.padEnd(18)}`,
          percent(counts.hits / ASKED).padStart(11),
          percent(counts.storeHits / ASKED).padStart(11),
          percent(counts.misses / ASKED).padStart(11),
          percent(1 - (counts.misses - different) / (ASKED - different)).padStart(21),
          `${percentilesOf(times.hits).p50.toFixed(3)} ms`.padStart(10),
          (level2 ? `${percentilesOf(times.storeHits).p50.toFixed(2)} ms` : '-').padStart(11),
        ].join(''),
      );
    }
  } finally {
    await Promise.all([redis.stop(), openai.stop()]);
  }
  await benchScan();
}

type Way = 'hits' | 'storeHits' | 'misses';
const WAYS = ['hits', 'storeHits', 'misses'] as const;

/** Asks the questions in sequence, each in a random isolate, and counts where each embedding came from. */
const replay = async (
  stream: readonly string[],
  { provider, store }: { provider: EmbeddingProvider; store: EmbeddingStore | undefined },
): Promise<{ counts: Record<Way, number>; times: Record<Way, number[]> }> => {
  const random = seededRandom(7);
  const times: Record<Way, number[]> = { hits: [], storeHits: [], misses: [] };
  const isolates: { cache: EmbeddingCache; asked: number }[] = [];
  for (const question of stream) {
    const at = Math.floor(random() * ISOLATES);
    const known = isolates[at];
    const isolate =
      known && known.asked < LIFE
        ? known
        : { cache: new EmbeddingCache({ maxSize: MAX_SIZE }), asked: 0 };
    isolates[at] = isolate;
    isolate.asked += 1;
    const work: Promise<unknown>[] = [];
    const options: CachedEmbeddingsOptions = {
      cache: isolate.cache,
      store,
      waitUntil: (promise) => void work.push(promise),
      // Long enough for a busy machine.
      storeReadMs: 5000,
    };
    const cached = cachedEmbeddings(provider, options);
    const before = cached.statistics();
    const began = performance.now();
    await cached.embed(question);
    const tookMs = performance.now() - began;
    const after = cached.statistics();
    const way = WAYS.find((each) => after[each] > before[each]) ?? 'misses';
    times[way].push(tookMs);
    for (let done = 0; done < work.length; done += 1) await work[done];
  }
  const counts = {
    hits: times.hits.length,
    storeHits: times.storeHits.length,
    misses: times.misses.length,
  };
  return { counts, times };
};

/** The question of rank r is asked 1/r times as often as the first. */
const zipfStream = (questions: readonly string[]): string[] => {
  const random = seededRandom(3);
  const upTo: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= questions.length; rank += 1) {
    sum += 1 / rank;
    upTo.push(sum);
  }
  return Array.from({ length: ASKED }, () => {
    const lot = random() * sum;
    return questions[upTo.findIndex((each) => lot < each)] ?? '';
  });
};

const benchScan = async (): Promise<void> => {
  console.log(`\n  vectors in SQLite, ${DIMENSIONS} numbers     search p50    narrowed to a tenth`);
  for (const size of SCANNED) {
    const random = seededRandom(size);
    const vector = () => Array.from({ length: DIMENSIONS }, () => random() - 0.5);
    const index = sqlVectorIndex(nodeSql(), { namespace: 'bench', dimensions: DIMENSIONS });
    for (let at = 0; at < size; at += 1000) {
      const records = Array.from({ length: 1000 }, (_, more) => ({
        id: `v${at + more}`,
        vector: vector(),
        metadata: { tenth: more % 10 },
      }));
      await index.upsert(records);
    }
    const timesOf = async (filter?: VectorFilter): Promise<number> => {
      const times: number[] = [];
      for (let run = 0; run < 11; run += 1) {
        const query = vector();
        const began = process.cpuUsage();
        await index.query(query, { limit: 10, filter });
        const { user, system } = process.cpuUsage(began);
        times.push((user + system) / 1000);
      }
      return percentilesOf(times).p50;
    };
    const all = await timesOf();
    const narrowed = await timesOf([
      { field: 'tenth', atLeast: 3 },
      { field: 'tenth', atMost: 3 },
    ]);
    console.log(
      `${String(size).padStart(20)}${`${all.toFixed(1)} ms`.padStart(26)}${`${narrowed.toFixed(1)} ms`.padStart(23)}`,
    );
  }
  console.log('\n  time of the processor, for a database in the memory of this process\n');
};

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
