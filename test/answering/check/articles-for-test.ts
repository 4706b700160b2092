import type { Article } from '../../../src/knowledge/articles/article.ts';
import { chunkArticle } from '../../../src/knowledge/articles/chunk-article.ts';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { type Edition, openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { attachRepeatedBlocks } from '../../../src/knowledge/edition/repeated-blocks.ts';
import {
  cachedSection,
  type Section,
  sectionRanges,
} from '../../../src/knowledge/edition/sections.ts';

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
export function builtOf(...sketches: readonly ArticleSketch[]): Uint8Array {
  const entries = sketches
    .map(articleOf)
    .map((article) => ({ article, chunks: chunkArticle(article) }));
  return buildEdition(entries, {
    id: 'e1',
    workspace: 'default',
    createdAt: '2026-01-01T00:00:00Z',
  });
}

/** An edition of articles, with repeated blocks marked; nothing is fitted on it. */
export function editionOf(...sketches: readonly ArticleSketch[]): Edition {
  return openEdition(attachRepeatedBlocks(builtOf(...sketches)));
}

/** The sections of the first article. */
export function sectionsOf(edition: Edition): Section[] {
  return sectionRanges(edition, 0).map((range) => cachedSection(edition, range));
}

/** Words repeated to a size in characters. */
export function filler(words: string, size = 500): string {
  return `${words} `.repeat(Math.ceil(size / (words.length + 1))).trim();
}

/** Numbered items, joined. */
export function listOf(count: number, item: (at: number) => string, between = '\n'): string {
  return Array.from({ length: count }, (_, at) => item(at)).join(between);
}

/** Articles with a text of their own and this text in all of them. */
export function articlesWith(repeated: string): ArticleSketch[] {
  return Array.from({ length: 4 }, (_, at) => ({
    id: `with-${at}.md`,
    text: `Text ${at}.\n\n${repeated}`,
  }));
}
