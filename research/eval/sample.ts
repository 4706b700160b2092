import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EditionEntry } from '../../src/knowledge/articles/article.ts';
import { takeInArticle } from '../../src/knowledge/articles/normalise-article.ts';
import { buildEdition } from '../../src/knowledge/edition/build-edition.ts';
import { attachWordVectors } from '../../src/knowledge/edition/edition-vectors.ts';
import { openEdition } from '../../src/knowledge/edition/open-edition.ts';
import { createRetriever, type Retriever } from '../../src/knowledge/search/retrieve.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { SAMPLE_KNOWLEDGE_BASE, SAMPLE_QUESTIONS } from '../../tools/sample/files.ts';
import { articlesIn, type Measure } from './retrieval.ts';

/**
 * Retrieval on the sample knowledge base with its metadata, asked in customers' words: the share of the answerable questions
 * whose article comes first, among the first three, among the first ten. A point is 1.6 %, so small changes are chance.
 */
export async function evaluateSample(): Promise<Measure[]> {
  return [
    ...(await recallOf(
      'words and word vectors',
      createRetriever({ wordVectors: shippedWordVectors }),
    )),
    ...(await recallOf('words alone', createRetriever({}))),
  ];
}

const recallOf = async (name: string, retrieve: Retriever): Promise<Measure[]> => {
  const edition = openEdition(attachWordVectors(publishedSample(), shippedWordVectors()));
  const asked: { rank: number; coverage: number }[] = [];
  for (const { question, article, also = [] } of answerableQuestions()) {
    const { outcome } = await retrieve(edition, question, { limit: 50 });
    const ids = articlesIn(edition, outcome.hits);
    const rank = ids.findIndex((id) => id === article || also.includes(id));
    asked.push({ rank: rank < 0 ? Number.POSITIVE_INFINITY : rank, coverage: outcome.coverage });
  }
  const mean = (figureOf: (each: (typeof asked)[number]) => number): number =>
    asked.reduce((sum, each) => sum + figureOf(each), 0) / asked.length;
  return [1, 3, 10].map((depth) => ({
    name: `${name}: recall@${depth}`,
    value: mean(({ rank }) => (rank < depth ? 1 : 0)),
    ...(depth === 1
      ? {
          note: `${asked.length} questions, mean coverage ${mean(({ coverage }) => coverage).toFixed(3)}`,
        }
      : {}),
  }));
};

export interface AnswerableQuestion {
  question: string;
  kind: string;
  article: string;
  /** Other articles that state the same. */
  also?: string[];
}

/** Those of `sample/questions.json` that an article answers. */
export function answerableQuestions(): AnswerableQuestion[] {
  const questions = JSON.parse(readFileSync(SAMPLE_QUESTIONS, 'utf8')) as AnswerableQuestion[];
  return questions.filter(({ kind }) => kind === 'answerable');
}

/** The sample knowledge base as the library takes it in. */
export function sampleEntries(): EditionEntry[] {
  const folder = SAMPLE_KNOWLEDGE_BASE;
  const ids = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.md'),
  );
  return ids.map((id) =>
    takeInArticle(
      { id, title: '', url: '', content: readFileSync(join(folder, id), 'utf8') },
      { articleUrl: () => '' },
    ),
  );
}

/** And as it would publish it, word vectors aside. */
const publishedSample = (): Uint8Array =>
  buildEdition(sampleEntries(), {
    id: 'sample',
    workspace: 'eval',
    createdAt: '1970-01-01T00:00:00Z',
  });
