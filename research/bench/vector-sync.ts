import { setTimeout as wait } from 'node:timers/promises';
import { OpenAIEmbeddingProvider } from '../../src/ai/embeddings/openai.ts';
import { HostArticleReply } from '../../src/contract/wire/host-article.ts';
import { attachRepeatedBlocks } from '../../src/knowledge/edition/repeated-blocks.ts';
import type { HostKbClient } from '../../src/knowledge/library/host-kb-client.ts';
import { createLibrary, type Library } from '../../src/knowledge/library/library.ts';
import type { LibraryEmbedding } from '../../src/knowledge/library/vector-store.ts';
import { upstashVectorIndex } from '../../src/platform/storage/upstash-vector-index.ts';
import { nodeSql } from '../../tools/stand-ins/node-sql.ts';
import { startOpenAIServer } from '../../tools/stand-ins/openai/openai-server.ts';
import { startVectorServer } from '../../tools/stand-ins/vector/vector-server.ts';
import { readSupportDocs } from '../eval/eval-data.ts';

const EMBEDDING_MS = 50;
const INDEXING_MS = 1000;
const PAGE = 50;
const LIMIT_MS = 120_000;

/** The first sync of support-docs and one that finds nothing new, with vectors in an index and in the edition. */
export async function benchVectorSync(data: string): Promise<void> {
  const { articles } = readSupportDocs(data);
  const host = hostOf(
    articles.map(({ id, title, url, text, lastUpdated, intents, devices }) =>
      HostArticleReply.parse({
        id,
        title,
        url,
        content: text,
        metadata: { intent: intents, device: devices, last_updated: lastUpdated },
      }),
    ),
  );
  console.log(
    `Sync of support-docs, ${articles.length} articles; the embedding server takes ${EMBEDDING_MS} ms a request, ` +
      `the index shows vectors after ${INDEXING_MS} ms; both servers share this process`,
  );
  const [openai, vector] = await Promise.all([
    startOpenAIServer(),
    startVectorServer({ indexingDelayMs: INDEXING_MS }),
  ]);
  openai.faults.always({ kind: 'delay', ms: EMBEDDING_MS });
  try {
    const provider = new OpenAIEmbeddingProvider({ baseURL: openai.url, apiKey: openai.apiKey });
    const { dimensions } = provider;
    const index = upstashVectorIndex({
      url: vector.url,
      token: vector.token,
      namespace: 'kb_bench',
      dimensions,
    });
    const rows = [];
    for (const [name, embedding] of [
      ['in Upstash Vector', { provider, index, indexName: vector.url }],
      ['in the edition', { provider }],
    ] as const) {
      const { library, untilIdle } = libraryOf(host, embedding);
      for (const sync of ['first', 'second']) {
        const requests = { openai: openai.requests.length, vector: vector.requests.length };
        const began = performance.now();
        library.startSync({ full: true });
        await untilIdle();
        const report = library.status(['*']).last_report;
        rows.push({
          vectors: name,
          sync,
          s: ((performance.now() - began) / 1000).toFixed(2),
          chunks: library.status(['*']).chunks,
          embeddings: report?.embeddings,
          missing: report?.embeddings_missing ?? 0,
          writes: report?.writes,
          'embedding requests': openai.requests.length - requests.openai,
          'index requests': vector.requests.length - requests.vector,
          'edition MiB': ((library.currentEdition()?.bytes ?? 0) / 2 ** 20).toFixed(1),
        });
      }
    }
    console.table(rows);
  } finally {
    await Promise.all([openai.stop(), vector.stop()]);
  }
}

const hostOf = (articles: readonly HostArticleReply[]): HostKbClient => ({
  readPage: async (_, cursor) => {
    const offset = cursor?.kind === 'count' ? cursor.offset : 0;
    const end = offset + PAGE;
    const page = articles.slice(offset, end);
    return {
      articles: page,
      skipped: [],
      received: page.length,
      total: articles.length,
      next:
        end < articles.length ? { kind: 'count', page: offset / PAGE + 2, offset: end } : undefined,
    };
  },
});

/** A library over SQLite in memory that is called when it asks to be, as by alarms. */
const libraryOf = (
  client: HostKbClient,
  embedding: LibraryEmbedding,
): { library: Library; untilIdle: () => Promise<void> } => {
  let wakeAt = 0;
  const library = createLibrary({
    workspace: 'bench',
    sql: nodeSql(),
    embedding,
    complete: attachRepeatedBlocks,
    editionStorage: { put: async () => undefined, delete: async () => undefined },
    source: () => ({ url: 'https://kb.example', client }),
    articleUrl: (id) => `https://kb.example/${id}`,
    now: Date.now,
    newId: () => crypto.randomUUID(),
    wakeAt: (time) => {
      wakeAt = time;
    },
    onFault: (where, error) => console.error(where, error),
  });
  const untilIdle = async (): Promise<void> => {
    const end = Date.now() + LIMIT_MS;
    while (library.status(['*']).state !== 'idle') {
      if (Date.now() > end) throw new Error('Cannot measure the sync: it does not end');
      await wait(Math.max(0, wakeAt - Date.now()));
      await library.work();
    }
  };
  return { library, untilIdle };
};
