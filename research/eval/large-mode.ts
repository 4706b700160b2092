import type { EditionEntry } from '../../src/knowledge/articles/article.ts';
import { chunkArticle } from '../../src/knowledge/articles/chunk-article.ts';
import { languageOfArticle } from '../../src/knowledge/edition/collect-words.ts';
import type { EditionScope, SearchToDo } from '../../src/knowledge/edition/current-edition.ts';
import { type Edition, openEdition } from '../../src/knowledge/edition/open-edition.ts';
import { editionsOfHits } from '../../src/knowledge/large/editions-of-hits.ts';
import type { HybridRecord } from '../../src/knowledge/large/hybrid-index.ts';
import { attachLargeManifest } from '../../src/knowledge/large/large-manifest.ts';
import { largeModeOf } from '../../src/knowledge/large/large-mode.ts';
import { passageRecord } from '../../src/knowledge/large/passage-record.ts';
import { createRetriever } from '../../src/knowledge/search/retrieve.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { startVectorServer } from '../../tools/stand-ins/vector/vector-server.ts';
import { type JudgedSet, readMtrag, readNq, readSquad, readSupportDocs } from './eval-data.ts';
import { editionOf, type Measure, ndcgAt10, unitsOf } from './retrieval.ts';
import { withTypingMistakes } from './typing-mistakes.ts';

/** Every so many questions are asked; 1 asks all. */
const STRIDES: Readonly<Record<string, number>> = {
  'squad2-kb paragraphs': 10,
  'nq-wiki': 4,
  'mtrag-un': 1,
};
const STRIDE = 2;
/** Below the search in memory. */
const MAY_COST = 0.005;
const MISTAKES = 0.2;
const KEY = '5e'.repeat(32);
const WORKSPACE = 'eval';
const UPSERTED = 500;

/**
 * The search in large mode through the local hybrid index, nDCG@10, beside the search in memory: plain questions, and with typing mistakes in 20 %
 * of the content words. Only plain questions have a target: in sets this small many words are too rare for the lexicon to correct.
 */
export async function evaluateLargeMode(folder: string): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const set of [
    readSquad(folder),
    readNq(folder),
    readMtrag(folder),
    readSupportDocs(folder),
  ]) {
    const stride = STRIDES[set.name] ?? STRIDE;
    const questions = set.questions.filter((_, at) => at % stride === 0);
    const whole = editionOf(set);
    const large = await startLargeMode(set);
    const random = seededRandom(20_261_121);
    const misspelt = questions.map(({ text, ...rest }) => ({
      ...rest,
      text: withTypingMistakes(text, MISTAKES, random),
    }));
    for (const [name, asked] of [
      [set.name, questions],
      [`${set.name}, typing mistakes ${MISTAKES * 100} %`, misspelt],
    ] as const) {
      const inMemory = await score({ ...set, questions: asked }, async () => whole);
      const value = await score({ ...set, questions: asked }, large.editionFor);
      const note = `in memory ${inMemory.toFixed(4)}, ${asked.length} questions`;
      const isPlain = asked === questions;
      measures.push({ name, value, note, ...(isPlain && { target: inMemory - MAY_COST }) });
    }
    await large.stop();
  }
  return measures;
}

const retrieve = createRetriever({ wordVectors: shippedWordVectors });

const score = async (
  set: JudgedSet,
  editionFor: (search: SearchToDo) => Promise<Edition>,
): Promise<number> => {
  let sum = 0;
  for (const { text, relevant } of set.questions) {
    const edition = await editionFor({ question: text });
    const { outcome } = await retrieve(edition, text, { limit: 20 });
    sum += ndcgAt10(unitsOf(set, edition, outcome), relevant);
  }
  return sum / Math.max(1, set.questions.length);
};

/** A local index with the passages of a set, and a reader of it. */
const startLargeMode = async ({ articles }: Pick<JudgedSet, 'articles'>) => {
  const wordVectors = shippedWordVectors;
  const { dimensions } = wordVectors();
  const server = await startVectorServer({
    indexes: [{ dimension: dimensions, isHybrid: true }],
    indexingDelayMs: 0,
  });
  const hybrid = { url: server.url, token: server.token, fromPassages: 0 };
  const mode = largeModeOf({ workspace: WORKSPACE, hybrid, provider: undefined, wordVectors });
  const namespace = mode.namespaceOf(1);
  const index = mode.indexOf(namespace);
  const entries = articles.map((article) => ({ article, chunks: chunkArticle(article) }));
  const usual = mode.usualOf(entries);
  const counter = mode.counterFor(usual);
  for (let at = 0; at < entries.length; at += UPSERTED) {
    const some = entries.slice(at, at + UPSERTED);
    for (const entry of some) counter.add(entry);
    const vectors = await mode.vectorsOf(some, usual);
    const records = await Promise.all(some.map((entry, each) => recordsOf(entry, vectors[each])));
    await index.upsert(records.flat());
  }
  const identity = {
    id: 'e000001-00000000',
    workspace: WORKSPACE,
    createdAt: '1970-01-01T00:00:00Z',
  };
  const edition = openEdition(
    attachLargeManifest(counter.build(identity), {
      number: 1,
      namespace,
      key: KEY,
      space: mode.space,
      articles: entries.length,
      ...counter.counts(),
      deadShare: 0,
      tombstones: {},
      audienceLists: [[]],
    }),
  );
  const read = editionsOfHits(async () => edition, { indexOf: () => index, wordVectors });
  // Nothing else of the context is read.
  const context = { workspace: WORKSPACE, audiences: [] } as unknown as EditionScope['context'];
  return {
    editionFor: (search: SearchToDo) =>
      read({ context, waitUntil: () => undefined, searches: () => [search] }),
    stop: () => server.stop(),
  };
};

type Vectors = Awaited<ReturnType<ReturnType<typeof largeModeOf>['vectorsOf']>>[number];

const recordsOf = (entry: EditionEntry, vectors: Vectors | undefined): Promise<HybridRecord[]> => {
  const { text: _, audiences: __, ...article } = entry.article;
  const language = languageOfArticle(entry);
  return Promise.all(
    entry.chunks.map(({ articleId: ___, ...chunk }, at) => {
      const own = vectors?.[at];
      if (own === undefined) throw new Error('a passage has no vectors');
      const passage = {
        article: { ...article, language },
        version: '00',
        chunk,
        born: 1,
        audienceList: 0,
      };
      return passageRecord(passage, { workspace: WORKSPACE, key: KEY, ...own });
    }),
  );
};
