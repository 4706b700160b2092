import type { HostArticleReply } from '../../contract/host-article.ts';
import { utf8 } from '../../runtime/digest.ts';
import { sha256Hex } from '../../storage/edition-storage.ts';

/** Raised when the same article would be normalised or chunked to something else, so that all are taken in anew. */
const TREATMENT = 2;

/** Tells two versions of an article apart: everything that we read of it, in a fixed order. SHA-256, hexadecimal. */
export const hashArticle = ({ id, title, url, content, metadata }: HostArticleReply): Promise<string> => {
  const { intent = [], device = [], last_updated = null, author = null } = metadata ?? {};
  const fields = [TREATMENT, id, title, url ?? null, intent, device, last_updated, author, content];
  return sha256Hex(utf8(JSON.stringify(fields)));
};
