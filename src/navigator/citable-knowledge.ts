import { chunkFrom } from '../grounding/render-passage.ts';
import { hiddenIn, overlaps, type ShownPassage } from '../grounding/shown-passages.ts';
import { oncePer } from '../runtime/once-per.ts';
import {
  type CachedChunk,
  cachedArticle,
  cachedChunk,
  type Edition,
  type EditionArticle,
} from '../search/open-edition.ts';
import type { Span } from '../text/split-sentences.ts';

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

/** Articles whose analysis is cached per edition. */
const MAX_ARTICLES = 32;
/** Length of the text that the rules about words read, in UTF-16 units. Quotes may be anywhere in a longer article. */
const MAX_TEXT = 200_000;

/** The articles of an edition, as the rules of a response read them. Texts are decoded when a rule asks for them. */
export const knowledgeIn: (edition: Edition) => CitableKnowledge = oncePer((edition: Edition) => {
  const articles = new Map<string, CitableArticle>();
  return {
    edition: edition.id,
    article: (file) => {
      const cached = articles.get(file);
      if (cached !== undefined) return cached;
      const index = edition.findArticle(file);
      if (index < 0) return undefined;
      const article = readArticle(edition, cachedArticle(edition, index));
      const [oldest] = articles.keys();
      if (articles.size >= MAX_ARTICLES && oldest !== undefined) articles.delete(oldest);
      articles.set(file, article);
      return article;
    },
  };
});

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
      text += chunk.text.slice(Math.max(0, start + text.length - chunk.start), Math.max(0, end - chunk.start));
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
      text ??= slice(0, Math.min(MAX_TEXT, cachedChunk(edition, endChunk - 1).end));
      return text;
    },
    get headings() {
      headings ??= [...new Set([...chunks()].flatMap(({ headingPath }) => headingPath))];
      return headings;
    },
  };
};

/** The passages that a model has read: what was not shown cannot be cited. */
export const knowledgeOf = (passages: readonly ShownPassage[], edition: string): CitableKnowledge => {
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
};

const sliceOf = (chunks: readonly CachedChunk[], { start, end }: Span): string => {
  const holder = chunks.find((chunk) => start >= chunk.start && end <= chunk.end);
  if (holder === undefined) return '';
  const span = { start: start - holder.start, end: end - holder.start };
  return overlaps(hiddenIn(holder), span) ? '' : holder.text.slice(span.start, span.end);
};
