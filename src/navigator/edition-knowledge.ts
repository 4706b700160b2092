import { oncePer } from '../runtime/once-per.ts';
import {
  type CachedChunk,
  cachedArticle,
  cachedChunk,
  type Edition,
  type EditionArticle,
} from '../search/open-edition.ts';
import type { CitableArticle, CitableKnowledge } from './validate-navigator-response.ts';

/** Articles whose analysis is cached per edition. */
const MAX_ARTICLES = 32;
/** Length of the text that the rules about words read, in UTF-16 units. Quotes may be anywhere in a longer article. */
const MAX_TEXT = 200_000;

/** The articles of an edition, as the rules of a response read them. Texts are decoded when a rule asks for them. */
export const knowledgeIn: (edition: Edition) => CitableKnowledge = oncePer((edition: Edition) => {
  const known = new Map<string, CitableArticle>();
  return {
    edition: edition.id,
    article: (file) => {
      const cached = known.get(file);
      if (cached !== undefined) return cached;
      const index = edition.findArticle(file);
      if (index < 0) return undefined;
      const article = readArticle(edition, cachedArticle(edition, index));
      const [oldest] = known.keys();
      if (known.size >= MAX_ARTICLES && oldest !== undefined) known.delete(oldest);
      known.set(file, article);
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
    for (let index = chunkBefore(edition, source, start); index < endChunk; index++) {
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
    ...{ id, title, url, slice },
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

/** The last chunk that begins at or before a place in the article. */
const chunkBefore = (edition: Edition, { firstChunk, endChunk }: EditionArticle, place: number): number => {
  let [low, high] = [firstChunk, endChunk - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (cachedChunk(edition, middle).start <= place) low = middle;
    else high = middle - 1;
  }
  return low;
};
