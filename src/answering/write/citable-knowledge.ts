import type { CachedChunk } from '../../knowledge/edition/open-edition.ts';
import type { Span } from '../../language/split-sentences.ts';
import { hiddenIn, overlaps, type ShownPassage } from '../passages/shown-passages.ts';

/** An article, as the rules of a response read it. */
export interface CitableArticle {
  /** The `file` of a cited source. */
  id: string;
  title: string;
  url?: string | undefined;
  text: string;
  /** Headings that `text` lacks when it is only a part of the article. */
  headings?: readonly string[] | undefined;
  /** The article's text from `start` to `end` when `text` is only a part of it; `text.slice` when absent. */
  slice?: ((start: number, end: number) => string) | undefined;
}

/** The knowledge base that an answer is validated against. */
export interface CitableKnowledge {
  article(file: string): CitableArticle | undefined;
  /** Version of the current articles. */
  edition?: string | undefined;
}

/** The passages that a model has read: what was not shown cannot be cited. */
export function knowledgeOf(passages: readonly ShownPassage[], edition: string): CitableKnowledge {
  const articles = new Map<string, CitableArticle>();
  for (const [{ id, title, url }, own] of Map.groupBy(passages, ({ source }) => source)) {
    const chunks = own.flatMap(({ pieces }) => pieces.map(({ chunk }) => chunk));
    articles.set(id, {
      id,
      title,
      url,
      text: own.map(({ text }) => text).join('\n\n'),
      headings: [...new Set(chunks.flatMap(({ headingPath }) => headingPath))],
      slice: (start, end) => sliceOf(chunks, { start, end }),
    });
  }
  return { article: (file) => articles.get(file), edition };
}

const sliceOf = (chunks: readonly CachedChunk[], { start, end }: Span): string => {
  const holder = chunks.find((chunk) => start >= chunk.start && end <= chunk.end);
  if (holder === undefined) return '';
  const span = { start: start - holder.start, end: end - holder.start };
  return overlaps(hiddenIn(holder), span) ? '' : holder.text.slice(span.start, span.end);
};
