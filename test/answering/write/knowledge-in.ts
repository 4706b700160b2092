import { chunkFrom } from '../../../src/answering/passages/render-passage.ts';
import type {
  CitableArticle,
  CitableKnowledge,
} from '../../../src/answering/write/citable-knowledge.ts';
import {
  type CachedChunk,
  cachedArticle,
  cachedChunk,
  type Edition,
  type EditionArticle,
} from '../../../src/knowledge/edition/open-edition.ts';

/** All articles of an edition, as the rules of a response read them. */
export function knowledgeIn(edition: Edition): CitableKnowledge {
  const articles = new Map<string, CitableArticle>();
  return {
    edition: edition.id,
    article: (file) => {
      const index = edition.findArticle(file);
      if (index < 0) return undefined;
      const article = articles.get(file) ?? readArticle(edition, cachedArticle(edition, index));
      articles.set(file, article);
      return article;
    },
  };
}

const readArticle = (edition: Edition, source: EditionArticle): CitableArticle => {
  const { id, title, url, firstChunk, endChunk } = source;
  const chunks = function* (): Generator<CachedChunk> {
    for (let index = firstChunk; index < endChunk; index++) yield cachedChunk(edition, index);
  };
  const slice = (start: number, end: number): string => {
    let text = '';
    for (let index = chunkFrom(edition, source, start); index < endChunk; index++) {
      const chunk = cachedChunk(edition, index);
      if (chunk.start >= end) break;
      const from = start + text.length;
      // Headings lie between chunks; the lines in their place are empty.
      text += '\n'.repeat(Math.max(0, Math.min(end, chunk.start) - from));
      text += chunk.text.slice(
        Math.max(0, start + text.length - chunk.start),
        Math.max(0, end - chunk.start),
      );
    }
    return text + '\n'.repeat(Math.max(0, end - start - text.length));
  };
  let text: string | undefined;
  let headings: string[] | undefined;
  return {
    id,
    title,
    url,
    slice,
    get text() {
      text ??= slice(0, cachedChunk(edition, endChunk - 1).end);
      return text;
    },
    get headings() {
      headings ??= [...new Set([...chunks()].flatMap(({ headingPath }) => headingPath))];
      return headings;
    },
  };
};
