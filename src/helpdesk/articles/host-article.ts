import { NO_ONE } from '../../signing/capabilities.ts';
import type { SourceArticle, UnreadableArticle } from './article-source.ts';

type Kind = 'intent' | 'device' | 'audience';

/** Meaning of the tool's labels, by label. */
export type LabelMeanings = Readonly<Record<string, Partial<Record<Kind, string | undefined>>>>;

/** An article in the listing of a host knowledge base. One that cannot be read has only its id. */
export interface ListedArticle {
  id?: string;
  title?: string;
  url?: string;
  content?: string;
  metadata?: {
    intent: string[];
    device: string[];
    audience?: string[];
    last_updated?: string;
    /** An extension of the contract. */
    locale?: string;
  };
}

/**
 * An article in the form that the library reads. Labels become intents, devices and audiences by the settings, or by their own prefix
 * `intent:`, `device:` or `audience:`.
 *
 * @param audience Who may read articles that say nothing else; everybody when absent.
 *
 * @param prefix Before the id: `zendesk-` for `zendesk-360012`.
 */
export const toHostArticle = (
  article: SourceArticle | UnreadableArticle,
  { prefix, labels, audience }: { prefix: string; labels: LabelMeanings; audience?: readonly string[] | undefined },
): ListedArticle => {
  if ('unreadableId' in article) return article.unreadableId === undefined ? {} : { id: prefix + article.unreadableId };
  const { id, title, url, body, format, updatedAtMs, locale } = article;
  const named = meant(article.labels, 'audience', labels);
  const own = [article.audience, named.length > 0 ? named : undefined].filter((names) => names !== undefined);
  const readers = own.length === 0 ? audience : commonTo(own);
  return {
    id: prefix + id,
    title,
    ...(url === undefined ? {} : { url }),
    content: format === 'html' ? asPage(body) : body,
    metadata: {
      intent: meant(article.labels, 'intent', labels),
      device: meant(article.labels, 'device', labels),
      ...(readers === undefined ? {} : { audience: [...readers] }),
      ...(updatedAtMs === undefined ? {} : { last_updated: new Date(updatedAtMs).toISOString() }),
      ...(locale === undefined ? {} : { locale }),
    },
  };
};

/** A fragment that begins with a word would be read as Markdown. */
const asPage = (fragment: string): string => (fragment.trim() === '' ? '' : `<html><body>${fragment}</body></html>`);

/** Whom each of the lists names. */
const commonTo = ([first = [], ...others]: (readonly string[])[]): readonly string[] => {
  const common = first.filter((name) => others.every((names) => names.includes(name)));
  return common.length === 0 ? [NO_ONE] : common;
};

const MAX_LABELS = 100;

const meant = (labels: readonly string[], kind: Kind, meanings: LabelMeanings): string[] => {
  const found = labels.flatMap((label) => {
    const said = Object.hasOwn(meanings, label) ? meanings[label]?.[kind] : undefined;
    const own = label.toLowerCase().startsWith(`${kind}:`) ? label.slice(kind.length + 1) : undefined;
    const name = (said ?? own)?.trim().slice(0, 100);
    return name ? [name] : [];
  });
  return [...new Set(found)].slice(0, MAX_LABELS);
};
