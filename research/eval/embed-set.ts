import { createHash } from 'node:crypto';
import type { EmbeddingProvider } from '../../src/ai/embeddings/base.ts';
import { chunkArticle } from '../../src/knowledge/articles/chunk-article.ts';
import { buildEdition } from '../../src/knowledge/edition/build-edition.ts';
import { attachVectors, embeddingTextOf } from '../../src/knowledge/edition/edition-vectors.ts';
import { packVector, quantise } from '../../src/knowledge/edition/nearest-rows.ts';
import { type Edition, openEdition } from '../../src/knowledge/edition/open-edition.ts';
import { attachRepeatedBlocks } from '../../src/knowledge/edition/repeated-blocks.ts';
import { createRetriever, meaningBy } from '../../src/knowledge/search/retrieve.ts';
import type { SearchHit, SearchOutcome } from '../../src/knowledge/search/search-edition.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import type { JudgedQuestion, JudgedSet } from './eval-data.ts';
import { sectionKey } from './retrieval.ts';
import { answerableQuestions, sampleEntries } from './sample.ts';

/** The sample knowledge base with the questions in customers' words. */
export function readSample(): JudgedSet {
  return {
    name: 'sample knowledge base',
    articles: sampleEntries().map(({ article }) => article),
    questions: answerableQuestions().map(({ question, article, also = [] }) => ({
      id: question,
      text: question,
      relevant: new Set([article, ...also]),
      history: [],
    })),
    judgedBy: 'article',
  };
}

/** The set as the library would publish it, words alone. */
const publish = ({ name, articles }: Pick<JudgedSet, 'name' | 'articles'>): Uint8Array =>
  attachRepeatedBlocks(
    buildEdition(
      articles.map((article) => ({ article, chunks: chunkArticle(article) })),
      { id: name, workspace: 'eval', createdAt: '1970-01-01T00:00:00Z' },
    ),
  );

/** The texts that are embedded for a set's articles, by chunk of its edition. */
export function textsToEmbed(set: Pick<JudgedSet, 'name' | 'articles'>): string[] {
  return textsOf(publish(set));
}

const textsOf = (published: Uint8Array): string[] => {
  const edition = openEdition(published);
  return Array.from({ length: edition.chunkCount }, (_, place) => {
    const chunk = edition.chunk(place);
    return embeddingTextOf({
      ...chunk,
      title: edition.article(edition.index.articleOf(place)).title,
    });
  });
};

/** The set as the library would publish it, with the vectors in the edition. */
export async function embeddedEdition(
  set: Pick<JudgedSet, 'name' | 'articles'>,
  provider: EmbeddingProvider,
): Promise<Edition> {
  const published = publish(set);
  const rows = (await provider.embedBatch(textsOf(published))).map((vector) =>
    packVector(quantise(vector)),
  );
  const space = { model: provider.model, dimensions: provider.dimensions };
  return openEdition(attachVectors(published, { kind: 'rows', space, rows, chunks: rows.length }));
}

/** A question with what was found by its words alone, and by words and meaning. */
export interface Asked extends JudgedQuestion {
  byWords: SearchOutcome;
  hybrid: SearchOutcome;
}

/** Time is no matter here: every question is compared by its meaning too. */
const NO_HURRY_MS = 600_000;
const LIMIT = 20;

export async function askAll(
  { questions }: Pick<JudgedSet, 'questions'>,
  {
    edition,
    provider,
    limit = LIMIT,
  }: { edition: Edition; provider: EmbeddingProvider; limit?: number },
): Promise<Asked[]> {
  const words = createRetriever({});
  const both = createRetriever({
    meaningOf: meaningBy(provider),
    wordVectors: shippedWordVectors,
    deadlineMs: NO_HURRY_MS,
  });
  const asked: Asked[] = [];
  for (const question of questions) {
    const options = { limit, history: question.history };
    const { outcome: byWords } = await words(edition, question.text, options);
    const { outcome: hybrid, semantic } = await both(edition, question.text, options);
    // Word vectors are absent where no word of a question is known.
    if (semantic === 'late' || semantic === 'failed')
      throw new Error(`Cannot compare meanings: they were ${semantic}`);
    asked.push({ ...question, byWords, hybrid });
  }
  return asked;
}

/** What the judges of a set call the place of a hit. */
export function unitOf({ judgedBy }: Pick<JudgedSet, 'judgedBy'>, edition: Edition) {
  return ({ article, chunk }: Pick<SearchHit, 'article' | 'chunk'>): string => {
    const { id } = edition.article(article);
    return judgedBy === 'article' ? id : sectionKey(id, edition.chunk(chunk));
  };
}

/** The half of a set that a question is in, by its id alone: one to tune and fit on, one to report on. */
export function halfOf({ id }: Pick<JudgedQuestion, 'id'>): 'tuning' | 'held out' {
  return (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0 ? 'tuning' : 'held out';
}
