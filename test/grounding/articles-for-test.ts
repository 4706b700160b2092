import { chunkArticle } from '../../src/knowledge/articles/chunk-article.ts';
import type { Article } from '../../src/search/article.ts';
import { buildEdition } from '../../src/search/build-edition.ts';
import { attachRepeatedBlocks } from '../../src/search/fit-edition.ts';
import { type Edition, openEdition } from '../../src/search/open-edition.ts';

/** An article of a test; only `id` and `text` are required. */
export type ArticleSketch = Partial<Article> & Pick<Article, 'id' | 'text'>;

const articleOf = (sketch: ArticleSketch): Article => ({
  title: sketch.id.replace(/\.md$/, ''),
  url: '',
  intents: [],
  devices: [],
  lastUpdated: '2026-01-01T00:00:00Z',
  ...sketch,
});

/** The bytes of an edition of articles, before anything is attached. */
export const builtOf = (...sketches: readonly ArticleSketch[]): Uint8Array => {
  const entries = sketches.map(articleOf).map((article) => ({ article, chunks: chunkArticle(article) }));
  const identity = { id: 'e1', workspace: 'default', createdAt: '2026-01-01T00:00:00Z' };
  return buildEdition(entries, identity);
};

/** An edition of articles, with repeated blocks marked; nothing is fitted on it. */
export const editionOf = (...sketches: readonly ArticleSketch[]): Edition =>
  openEdition(attachRepeatedBlocks(builtOf(...sketches)));
