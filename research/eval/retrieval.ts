import { chunkArticle } from '../../src/knowledge/articles/chunk-article.ts';
import { buildEdition } from '../../src/knowledge/edition/build-edition.ts';
import { attachWordVectors } from '../../src/knowledge/edition/edition-vectors.ts';
import {
  type Edition,
  type EditionChunk,
  openEdition,
} from '../../src/knowledge/edition/open-edition.ts';
import { createRetriever, type Retriever } from '../../src/knowledge/search/retrieve.ts';
import type { SearchHit, SearchOutcome } from '../../src/knowledge/search/search-edition.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { type JudgedSet, readMtrag, readNq, readSquad, readSupportDocs } from './eval-data.ts';
import { withTypingMistakes } from './typing-mistakes.ts';

/** One line of the table: what was measured, the figure, and what it should at least be. */
export interface Measure {
  name: string;
  value: number;
  /** To be reached, or not to be passed. */
  target?: number;
  atMost?: number;
  note?: string;
}

const TYPING_MISTAKES = [0.1, 0.2, 0.4];
/** With the conversation in view. */
const CONVERSATION_TARGET = 0.9;
/** Below what the words alone give without mistakes. */
const MISTAKES_MAY_COST = 0.01;
const TARGETS: Record<string, number> = {
  'squad2-kb paragraphs': 0.915,
  'nq-wiki': 0.945,
  'mtrag-un': 0.845,
};

/** As the product searches where no embedding model is configured, and by the words alone. */
const RETRIEVERS = {
  default: createRetriever({ wordVectors: shippedWordVectors }),
  words: createRetriever({}),
};

/**
 * Retrieval through the product's own chunker, edition and word vectors, nDCG@10. Every set with a target has one
 * for typing mistakes in 20 % of the content words as well. Nothing here was fitted on `squad2-kb`.
 */
export async function evaluateRetrieval(folder: string): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const set of [
    readSquad(folder),
    readNq(folder),
    readMtrag(folder),
    readSupportDocs(folder),
  ]) {
    const edition = editionOf(set);
    const plain = await score(set, edition);
    const target = TARGETS[set.name];
    measures.push({
      name: set.name,
      value: plain.ndcg,
      ...(target === undefined ? {} : { target }),
      note: noteOf(edition, plain),
    });
    const words = await score(set, edition, { retrieve: RETRIEVERS.words });
    measures.push({
      name: `${set.name}, words alone`,
      value: words.ndcg,
      note: noteOf(edition, words),
    });
    if (set.questions.some(({ history }) => history.length > 0)) {
      const conversation = await score(set, edition, { useHistory: true });
      const byWords = await score(set, edition, { useHistory: true, retrieve: RETRIEVERS.words });
      const name = `${set.name}, with conversation`;
      measures.push({ name, value: conversation.ndcg, target: CONVERSATION_TARGET });
      measures.push({ name: `${name}, words alone`, value: byWords.ndcg });
    }
    for (const share of TYPING_MISTAKES) {
      const random = seededRandom(20_261_121);
      const { ndcg } = await score(set, edition, {
        change: (text) => withTypingMistakes(text, share, random),
      });
      measures.push({
        name: `${set.name}, typing mistakes ${share * 100} %`,
        value: ndcg,
        ...(share === 0.2 && set.name in TARGETS ? { target: words.ndcg - MISTAKES_MAY_COST } : {}),
        note: `loss ${(plain.ndcg - ndcg).toFixed(4)}`,
      });
    }
  }
  return measures;
}

/** The set as the library would publish it. */
export function editionOf({ name, articles }: Pick<JudgedSet, 'name' | 'articles'>): Edition {
  return openEdition(
    attachWordVectors(
      buildEdition(
        articles.map((article) => ({ article, chunks: chunkArticle(article) })),
        { id: name, workspace: 'eval', createdAt: '1970-01-01T00:00:00Z' },
      ),
      shippedWordVectors(),
    ),
  );
}

interface Scores {
  ndcg: number;
  first: number;
  medianMs: number;
}

/** The judged units of the hits, the best first: sections one by one, articles by all that was found of them. */
export function unitsOf(
  set: JudgedSet,
  edition: Edition,
  { hits }: Pick<SearchOutcome, 'hits'>,
): string[] {
  if (set.judgedBy === 'article') return articlesIn(edition, hits);
  return [
    ...new Set(
      hits.map(({ chunk, article }) =>
        sectionKey(edition.article(article).id, edition.chunk(chunk)),
      ),
    ),
  ];
}

/** The ids of the articles of hits, the best first: by the score of the best hit and a tenth of those of the next two. */
export function articlesIn(edition: Edition, hits: readonly SearchHit[]): string[] {
  const scores = [...Map.groupBy(hits, ({ article }) => article)].map(([article, own]) => {
    const [best = 0, second = 0, third = 0] = own.map(({ fused, score }) => fused ?? score);
    return { article, score: best + 0.1 * (second + third) };
  });
  return scores
    .sort((left, right) => right.score - left.score || left.article - right.article)
    .map(({ article }) => edition.article(article).id);
}

/** How the judges of a set call a section. */
export function sectionKey(articleId: string, { headingPath }: EditionChunk): string {
  return `${articleId} ${headingPath.at(-1) ?? ''}`;
}

interface Scoring {
  useHistory?: boolean;
  change?: (text: string) => string;
  retrieve?: Retriever;
}

const score = async (set: JudgedSet, edition: Edition, scoring: Scoring = {}): Promise<Scores> => {
  const { useHistory = false, change = (text) => text, retrieve = RETRIEVERS.default } = scoring;
  let ndcg = 0;
  let first = 0;
  const times: number[] = [];
  for (const { text, relevant, history } of set.questions) {
    const question = change(text);
    const before = performance.now();
    const options = { limit: 20, history: useHistory ? history : [] };
    const { outcome } = await retrieve(edition, question, options);
    times.push(performance.now() - before);
    const units = unitsOf(set, edition, outcome);
    ndcg += ndcgAt10(units, relevant);
    first += relevant.has(units[0] ?? '') ? 1 : 0;
  }
  const count = Math.max(1, set.questions.length);
  const medianMs = times.sort((left, right) => left - right)[times.length >> 1] ?? 0;
  return { ndcg: ndcg / count, first: first / count, medianMs };
};

/** Normalised discounted cumulative gain of the first ten, every relevant unit worth the same. */
export function ndcgAt10(units: readonly string[], relevant: ReadonlySet<string>): number {
  const discount = (rank: number): number => 1 / Math.log2(rank + 2);
  const gain = units
    .slice(0, 10)
    .reduce((sum, unit, rank) => sum + (relevant.has(unit) ? discount(rank) : 0), 0);
  const ideal = Array.from({ length: Math.min(10, relevant.size) }, (_, rank) => discount(rank));
  return ideal.length === 0 ? 0 : gain / ideal.reduce((sum, value) => sum + value, 0);
}

const noteOf = ({ chunkCount, articleCount }: Edition, { first, medianMs }: Scores): string =>
  `top 1 ${first.toFixed(3)}; ${articleCount} articles, ${chunkCount} chunks, p50 ${medianMs.toFixed(3)} ms`;
