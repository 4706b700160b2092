import type { HostArticleReply } from '../../contract/host-article.ts';
import type { EditionEntry } from '../../search/article.ts';
import { chunkArticle } from './chunk-article.ts';
import { ArticleRefused, type NormaliseOptions, normaliseArticle } from './normalise-article.ts';

/**
 * Builds the article for an edition, and `content`, which is stored as received for later display, without control characters other than tab, line
 * feed and carriage return. As JSON each would take six bytes, and SQLite measures a text only up to its first NUL.
 *
 * @throws {ArticleRefused} For any defect: one article must not stop the others.
 */
export const takeInArticle = (
  reply: HostArticleReply,
  options: NormaliseOptions,
): EditionEntry & { content: string; warnings: string[] } => {
  try {
    const { article, warnings } = normaliseArticle(reply, options);
    return { article, chunks: chunkArticle(article), content: withoutControls(reply.content), warnings };
  } catch (cause) {
    if (cause instanceof ArticleRefused) throw cause;
    throw new ArticleRefused('Cannot take in the article: its content cannot be parsed', { cause });
  }
};

const withoutControls = (content: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to drop
  content.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '');
