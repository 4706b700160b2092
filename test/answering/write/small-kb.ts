import type { CitableKnowledge } from '../../../src/answering/write/citable-knowledge.ts';
import type { Article } from '../../../src/knowledge/articles/article.ts';
import { chunkArticle } from '../../../src/knowledge/articles/chunk-article.ts';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { type Edition, openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { attachRepeatedBlocks } from '../../../src/knowledge/edition/repeated-blocks.ts';
import articles from './small-kb.json' with { type: 'json' };

/** A dozen articles about a coffee machine in two models: steps, a table, code, a conflict, raw HTML. */
export const ARTICLES: Article[] = articles.map((each) => ({
  ...each,
  url: `https://docs.example.com/${each.id}`,
  intents: [],
  lastUpdated: '2026-01-01T00:00:00Z',
}));

/** A question that the first article answers with this sentence. */
export const OFTEN = 'How often must the boiler be descaled?';
export const QUOTE = 'Descale the boiler every 60 days, or every 30 days with hard water.';

/** The articles as an open edition, fitted like a published one. */
export function openSmallKb(given: readonly Article[] = ARTICLES): {
  edition: Edition;
  knowledge: CitableKnowledge;
} {
  const entries = given.map((each) => ({ article: each, chunks: chunkArticle(each) }));
  const edition = openEdition(
    attachRepeatedBlocks(
      buildEdition(entries, { id: 'e1', workspace: 'default', createdAt: '2026-01-01T00:00:00Z' }),
    ),
  );
  return {
    edition,
    knowledge: { article: (file) => given.find(({ id }) => id === file), edition: 'e1' },
  };
}
