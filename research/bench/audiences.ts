import { type ApiKeyRecord, hashApiKey } from '../../src/gateway/access/api-keys.ts';
import { buildEdition } from '../../src/knowledge/edition/build-edition.ts';
import { editionFor } from '../../src/knowledge/edition/current-edition.ts';
import { openEdition } from '../../src/knowledge/edition/open-edition.ts';
import { newApiKey } from '../../tools/new-api-key.ts';
import { type Product, startProduct } from '../../tools/run/product.ts';
import { growCorpus, readBenchArticles } from './corpus.ts';
import { sampleQuestions, variationsOf } from './http.ts';
import { percentilesOf, singleClient } from './single-client.ts';

const GROUPS = Array.from({ length: 40 }, (_, at) => `group-${at}`);
/** Audiences of the askers. */
const HELD: readonly (readonly string[])[] = [[], GROUPS.slice(0, 1), GROUPS.slice(0, 20)];
/** Percent of the articles that are limited to a group, each to the next one. */
const LIMITED = [0, 10, 90];
const WARM_UP = 30;
const ROUNDS = 120;
const CHUNKS = 10_000;

/** What audiences cost: questions to workspaces with more or fewer limited articles, and narrowing an edition once. */
export async function benchAudiences(): Promise<void> {
  benchNarrowing();
  const product = await startProduct({ kb: 'sample', port: 0 });
  try {
    for (const percent of LIMITED) await fill(product, percent);
    await benchAsk(product);
  } finally {
    await product.stop();
  }
}

const workspaceOf = (percent: number): string => `limited-${percent}`;

/** The groups of the articles of a knowledge base, in order; undefined for one that is for everybody. */
const groups = function* (percent: number): Generator<string[] | undefined, never> {
  for (let at = 0, limited = 0; ; at += 1) {
    const isLimited = at % 10 < percent / 10;
    yield isLimited ? [GROUPS[limited % GROUPS.length] ?? ''] : undefined;
    if (isLimited) limited += 1;
  }
};

/** Writes the sample into a workspace of its own, and waits until it is published. */
const fill = async (product: Product, percent: number): Promise<void> => {
  const { articles } = readBenchArticles(undefined);
  const key = await keyOf(product, {
    workspaces: [workspaceOf(percent)],
    audiences: ['*'],
    capabilities: ['kb:*'],
  });
  const send = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, product.url), { ...init, headers: headersOf(key) });
  const audiences = groups(percent);
  for (const { id, title, text: content } of articles) {
    const audience = audiences.next().value;
    const body = JSON.stringify({
      title,
      content,
      metadata: audience === undefined ? {} : { audience },
    });
    const put = await send(`/api/kb/articles/${id}`, { method: 'PUT', body });
    if (!put.ok) throw new Error(`Cannot write ${id}: ${await put.text()}`);
  }
  const count = async () =>
    ((await (await send('/v1/sync')).json()) as { articles: number }).articles; // of our own gateway
  while ((await count()) < articles.length)
    await new Promise((resolve) => void setTimeout(resolve, 200));
};

const keyOf = async (
  product: Product,
  rights: Pick<ApiKeyRecord, 'workspaces' | 'audiences' | 'capabilities'>,
) => {
  const key = newApiKey();
  const keys = await product.miniflare.getKVNamespace('API_KEYS', 'constellation-gateway');
  const record: ApiKeyRecord = { name: 'bench', rate: 'unlimited', ...rights };
  await keys.put(await hashApiKey(key), JSON.stringify(record));
  return key;
};

const headersOf = (key: string) => ({
  'content-type': 'application/json',
  authorization: `Bearer ${key}`,
});

/** All in turn, each with questions of its own, so that they meet the same noise. */
const benchAsk = async (product: Product): Promise<void> => {
  const questions = variationsOf(sampleQuestions());
  const askers = await Promise.all(
    LIMITED.flatMap((percent) =>
      HELD.map(async (held) => {
        const rights = {
          workspaces: [workspaceOf(percent)],
          audiences: [...held],
          capabilities: ['kb:read'],
        };
        const client = singleClient(headersOf(await keyOf(product, rights)));
        return { percent, held, client, times: [] as number[] };
      }),
    ),
  );
  const url = new URL('/v1/ask', product.url);
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    for (const [index, { client, times }] of askers.entries()) {
      const query = questions[(round * askers.length + index) % questions.length];
      const ms = await client.post(url, JSON.stringify({ query, librarian: 'navigator' }));
      if (round >= WARM_UP) times.push(ms);
    }
  }
  for (const { client } of askers) client.close();
  console.log(`/v1/ask, navigator named, one client, ${ROUNDS} questions each, milliseconds`);
  console.table(
    askers.map(({ percent, held, times }) => {
      const { p50, p99 } = percentilesOf(times);
      const tenth = times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)] ?? 0;
      return {
        'limited articles, %': percent,
        'audiences of the key': held.length,
        p10: tenth.toFixed(2),
        p50: p50.toFixed(2),
        p99: p99.toFixed(2),
      };
    }),
  );
};

/** Once for each set of articles that somebody may read; the next question finds it. */
const benchNarrowing = (): void => {
  const { articles } = readBenchArticles(undefined);
  const rows = LIMITED.flatMap((percent) => {
    const audiences = groups(percent);
    const entries = [...growCorpus(articles, CHUNKS)].map(({ article, chunks }) => ({
      article: { ...article, audiences: audiences.next().value },
      chunks,
    }));
    const built = buildEdition(entries, {
      id: 'bench',
      workspace: 'bench',
      createdAt: new Date().toISOString(),
    });
    return HELD.map((held) => {
      const times = Array.from({ length: 15 }, () => {
        const edition = openEdition(built.slice());
        const startedAt = performance.now();
        const { chunkCount } = editionFor(edition, held);
        return { ms: performance.now() - startedAt, chunkCount };
      });
      const ms = Math.min(...times.map((each) => each.ms));
      return {
        'limited articles, %': percent,
        'audiences of the asker': held.length,
        'chunks read': times[0]?.chunkCount ?? 0,
        'first question, ms': ms.toFixed(1),
      };
    });
  });
  console.log(`Narrowing an edition of ${CHUNKS} chunks, the fastest of fifteen`);
  console.table(rows);
};
