import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EmbeddingFailed, type EmbeddingProvider } from '../../src/ai/embeddings/base.ts';
import { chunkArticle } from '../../src/knowledge/articles/chunk-article.ts';
import { buildEdition } from '../../src/knowledge/edition/build-edition.ts';
import { attachVectors, embeddingTextOf } from '../../src/knowledge/edition/edition-vectors.ts';
import { packVector, quantise } from '../../src/knowledge/edition/nearest-rows.ts';
import { type Edition, openEdition } from '../../src/knowledge/edition/open-edition.ts';
import {
  createRetriever,
  meaningBy,
  type SemanticUse,
} from '../../src/knowledge/search/retrieve.ts';
import { textVector } from '../../tools/stand-ins/openai/text-vector.ts';
import { type JudgedSet, readSupportDocs } from '../eval/eval-data.ts';
import { benchVectorSync } from './vector-sync.ts';

const DIMENSIONS = 1536;
const MODEL = 'text-embedding-3-small';
const QUESTIONS = 300;
/** Concurrent requests: each waits for its deadline, like requests in one isolate. */
const AT_ONCE = 5;
/** Deadline of a retrieval plus timer tolerance. */
const LIMIT_MS = 110;

/** Hybrid retrieval while the embedding model behaves in four ways; then the sync that fills a vector index. */
export async function benchRetrieval({ data }: { data?: string | undefined }): Promise<void> {
  if (data === undefined || !existsSync(join(data, 'support-docs/articles.jsonl'))) {
    console.log(
      'Retrieval with an embedding model: needs the evaluation data (--data names its folder)',
    );
    return;
  }
  const set = readSupportDocs(data);
  const edition = editionOf(set);
  const questions = set.questions.slice(0, QUESTIONS).map(({ text }) => text);
  console.log(
    `Retrieval with an embedding model: ${questions.length} questions over ${edition.chunkCount} chunks of support-docs, ` +
      `${DIMENSIONS} numbers a vector, ${AT_ONCE} at once`,
  );
  for (const question of questions) questionVectors.set(question, vectorOf(question));
  const rows = [];
  for (const [name, embed] of Object.entries(MODELS))
    rows.push({ model: name, ...(await measure(edition, questions, embed)) });
  console.table(rows);
  await benchVectorSync(data);
}

const vectorOf = (text: string): number[] => [...textVector(text, DIMENSIONS)];

/** Computed beforehand: the model is not measured. */
const questionVectors = new Map<string, number[]>();
const known = (text: string): number[] => questionVectors.get(text) ?? [];

type Embed = (text: string) => Promise<number[]>;

const MODELS: Record<string, Embed | undefined> = {
  none: undefined,
  'answers at once': async (text) => known(text),
  'answers after 20 ms': async (text) => wait(20, known(text)),
  'answers after 500 ms': async (text) => wait(500, known(text)),
  hangs: () => new Promise<number[]>(() => undefined),
  fails: () =>
    Promise.reject(new EmbeddingFailed('unavailable', 'Cannot embed: the model does not answer')),
};

const measure = async (
  edition: Edition,
  questions: readonly string[],
  embed: Embed | undefined,
) => {
  const embeddings = embed && providerOf(embed);
  const retrieve = createRetriever({ meaningOf: embeddings && meaningBy(embeddings) });
  // Warm-up.
  for (const question of questions.slice(0, 20)) await createRetriever({})(edition, question);
  const times: number[] = [];
  const uses = new Map<SemanticUse, number>();
  let found = 0;
  const ask = async (question: string): Promise<void> => {
    const began = performance.now();
    const { outcome, semantic } = await retrieve(edition, question);
    times.push(performance.now() - began);
    uses.set(semantic, (uses.get(semantic) ?? 0) + 1);
    if (outcome.hits.length > 0) found += 1;
  };
  for (let at = 0; at < questions.length; at += AT_ONCE)
    await Promise.all(questions.slice(at, at + AT_ONCE).map(ask));
  times.sort((left, right) => left - right);
  const share = (count: number): string => `${((100 * count) / questions.length).toFixed(1)} %`;
  return {
    'p50 ms': times[times.length >> 1]?.toFixed(1),
    'p99 ms': times[Math.floor(times.length * 0.99)]?.toFixed(1),
    'max ms': times.at(-1)?.toFixed(1),
    [`within ${LIMIT_MS} ms`]: share(times.filter((time) => time <= LIMIT_MS).length),
    'not empty': share(found),
    meanings: [...uses].map(([use, count]) => `${use} ${share(count)}`).join(', '),
  };
};

const providerOf = (embed: Embed): EmbeddingProvider => ({
  model: MODEL,
  dimensions: DIMENSIONS,
  embed,
  embedBatch: (texts) => Promise.all(texts.map(embed)),
});

/** The set as the library would publish it, with vectors in the edition. */
const editionOf = ({ name, articles }: JudgedSet): Edition => {
  const entries = articles
    .map((article) => ({ article, chunks: chunkArticle(article) }))
    .toSorted((left, right) => (left.article.id < right.article.id ? -1 : 1));
  const built = buildEdition(entries, {
    id: name,
    workspace: 'bench',
    createdAt: '1970-01-01T00:00:00Z',
  });
  const rows = entries.flatMap(({ article: { title }, chunks }) =>
    chunks.map((chunk) => packVector(quantise(vectorOf(embeddingTextOf({ ...chunk, title }))))),
  );
  const space = { model: MODEL, dimensions: DIMENSIONS };
  return openEdition(attachVectors(built, { kind: 'rows', space, rows, chunks: rows.length }));
};
