import type { HostArticleReply } from '../../contract/host-article.ts';
import { utf8 } from '../../signing/digest.ts';
import { sha256Hex } from '../../storage/edition-storage.ts';

/** Incremented when normalisation or chunking changes, so that all articles are processed again. */
const TREATMENT = 3;

/** Content hash of an article: every member that we read, in a fixed order. SHA-256, hexadecimal. */
export const hashArticle = ({ id, title, url, content, metadata }: HostArticleReply): Promise<string> => {
  const { intent = [], device = [], last_updated = null, author = null, audience = null } = metadata ?? {};
  const fields = [TREATMENT, id, title, url ?? null, intent, device, last_updated, author, content, audience];
  return sha256Hex(utf8(JSON.stringify(fields)));
};
