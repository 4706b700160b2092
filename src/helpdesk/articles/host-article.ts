import type { SourceArticle, UnreadableArticle } from './article-source.ts';

/** Meaning of the tool's labels, by label. */
export type LabelMeanings = Readonly<Record<string, { intent?: string | undefined; device?: string | undefined }>>;

/** An article in the listing of a host knowledge base. One that cannot be read has only its id. */
export interface ListedArticle {
  id?: string;
  title?: string;
  url?: string;
  content?: string;
  metadata?: {
    intent: string[];
    device: string[];
    last_updated?: string;
    /** An extension of the contract. */
    locale?: string;
  };
}

/**
 * An article in the form that the library reads. Labels become intents and devices by the settings, or by their own prefix `intent:` or
 * `device:`.
 *
 * @param prefix Before the id: `zendesk-` for `zendesk-360012`.
 */
export const toHostArticle = (
  article: SourceArticle | UnreadableArticle,
  { prefix, labels }: { prefix: string; labels: LabelMeanings },
): ListedArticle => {
  if ('unreadableId' in article) return article.unreadableId === undefined ? {} : { id: prefix + article.unreadableId };
  const { id, title, url, body, format, updatedAtMs, locale } = article;
  return {
    id: prefix + id,
    title,
    ...(url === undefined ? {} : { url }),
    content: format === 'html' ? asPage(body) : body,
    metadata: {
      intent: meant(article.labels, 'intent', labels),
      device: meant(article.labels, 'device', labels),
      ...(updatedAtMs === undefined ? {} : { last_updated: new Date(updatedAtMs).toISOString() }),
      ...(locale === undefined ? {} : { locale }),
    },
  };
};

/** A fragment that begins with a word would be read as Markdown. */
const asPage = (fragment: string): string => (fragment.trim() === '' ? '' : `<html><body>${fragment}</body></html>`);

const MAX_LABELS = 100;

const meant = (labels: readonly string[], kind: 'intent' | 'device', meanings: LabelMeanings): string[] => {
  const found = labels.flatMap((label) => {
    const said = Object.hasOwn(meanings, label) ? meanings[label]?.[kind] : undefined;
    const own = label.toLowerCase().startsWith(`${kind}:`) ? label.slice(kind.length + 1) : undefined;
    const name = (said ?? own)?.trim().slice(0, 100);
    return name ? [name] : [];
  });
  return [...new Set(found)].slice(0, MAX_LABELS);
};
