import { sampleEntries } from '../../../research/eval/sample.ts';
import type { EditionEntry } from '../../../src/knowledge/articles/article.ts';
import { takeInArticle } from '../../../src/knowledge/articles/normalise-article.ts';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { type Edition, openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { attachRepeatedBlocks } from '../../../src/knowledge/edition/repeated-blocks.ts';
import { createRetriever } from '../../../src/knowledge/search/retrieve.ts';
import type { KnowledgeQuestion } from '../../../src/support/retrieval/knowledge.ts';
import { retrieveKnowledge } from '../../../src/support/retrieval/retrieve-knowledge.ts';

type RetrievalOptions = Parameters<typeof retrieveKnowledge>[1];

/** Fields of a test article besides its id and text. */
interface Given {
  title: string;
  intents?: string[];
  devices?: string[];
  lastUpdated?: string;
}

export function entryOf(id: string, given: Given, content: string): EditionEntry {
  const entry = takeInArticle(
    { id, title: given.title, url: `https://docs.example.com/${id}`, content },
    { articleUrl: () => '' },
  );
  const { intents = [], devices = [], lastUpdated = '2026-01-01T00:00:00Z' } = given;
  return { ...entry, article: { ...entry.article, intents, devices, lastUpdated } };
}

export function editionOf(entries: readonly EditionEntry[], id = 'e000001-00000001'): Edition {
  return openEdition(
    attachRepeatedBlocks(
      buildEdition([...entries], { id, workspace: 'default', createdAt: '2026-01-01T00:00:00Z' }),
    ),
  );
}

export const SAMPLE = sampleEntries();
export const sampleEdition = editionOf(SAMPLE);

/** Lexical retrieval, from the sample knowledge base by default, with a clock that stands still. */
export function retrieved(question: KnowledgeQuestion, options: Partial<RetrievalOptions> = {}) {
  return retrieveKnowledge(question, {
    edition: sampleEdition,
    retrieve: createRetriever({}),
    now: () => 0,
    ...options,
  });
}
