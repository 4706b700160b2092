import type { HostArticleReply } from '../contract/host-article.ts';
import { chunkArticle } from './chunk-article.ts';
import type { EditionEntry } from './edition-entry.ts';
import { ArticleRefused, type NormaliseOptions, normaliseArticle } from './normalise-article.ts';

/**
 * Makes of what was sent what an edition is built from.
 *
 * @throws {ArticleRefused} Whatever the reason: one article must not stop the others.
 */
export const takeInArticle = (
  reply: HostArticleReply,
  options: NormaliseOptions,
): EditionEntry & { warnings: string[] } => {
  try {
    const { article, warnings } = normaliseArticle(reply, options);
    return { article, chunks: chunkArticle(article), warnings };
  } catch (cause) {
    if (cause instanceof ArticleRefused) throw cause;
    throw new ArticleRefused('Cannot take in the article: its content cannot be parsed', { cause });
  }
};
