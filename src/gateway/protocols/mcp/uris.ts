import type { Statement, StatementSource } from '../../../contract/core/ask.ts';
import type { Source } from '../../../contract/core/response.ts';

/** A source as a content block of a tool's result. */
export interface ResourceLink {
  type: 'resource_link';
  uri: string;
  name: string;
  title: string;
  mimeType: string;
  annotations: { audience: ['user']; priority?: number; lastModified?: string };
  _meta?: Record<string, string>;
}

/** Members of `_meta` that are ours. */
const RESOURCE_META = 'dev.constellation/resource';

const ARTICLES = 'constellation://articles/';
const PASSAGES = 'constellation://passages/';

/** As RFC 6570 expands them: slashes in ids are encoded. */
export const ARTICLE_TEMPLATE = `${ARTICLES}{id}`;
export const PASSAGE_TEMPLATE = `${PASSAGES}{id}/{start}/{end}`;

export function articleUri(id: string): string {
  return `${ARTICLES}${encodeURIComponent(id)}`;
}

/** The exact words of a quote, in UTF-16 units of the article's text. */
const passageUri = (id: string, { start, end }: { start: number; end: number }): string =>
  `${PASSAGES}${encodeURIComponent(id)}/${start}/${end}`;

/** What a resource's address names; undefined for none of ours. */
export function readUri(
  uri: string,
): { id: string; passage?: { start: number; end: number } } | undefined {
  const article = uri.startsWith(ARTICLES) ? decoded(uri.slice(ARTICLES.length)) : undefined;
  if (article !== undefined) return { id: article };
  const [encoded = '', start = '', end = '', more] = uri.startsWith(PASSAGES)
    ? uri.slice(PASSAGES.length).split('/')
    : [];
  const id = decoded(encoded);
  if (id === undefined || more !== undefined || !OFFSET.test(start) || !OFFSET.test(end))
    return undefined;
  return { id, passage: { start: Number(start), end: Number(end) } };
}

const OFFSET = /^\d{1,8}$/;

const decoded = (text: string): string | undefined => {
  try {
    return text === '' || text.includes('/') ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** One link for each source of an answer, with the exact passage that it is cited for. */
export function linksOf(
  sources: readonly Source[],
  statements: readonly Statement[] = [],
): ResourceLink[] {
  const cited = statements.flatMap((statement) => statement.sources);
  return sources.flatMap((source) => {
    const quote = cited.find(
      ({ name, url, reported_by }) =>
        (url ?? name) === (source.url ?? source.name) && reported_by === source.reported_by,
    );
    return linkTo({ ...source, ...quote }) ?? [];
  });
}

interface Linked
  extends Pick<StatementSource, 'name' | 'url' | 'file' | 'start' | 'end' | 'reported_by'> {
  /** 0 to 1. */
  relevance?: number | undefined;
  lastUpdated?: string | undefined;
}

/** A link to the public address of an article, or to the article as a resource; undefined for a source without either. */
export function linkTo({
  name: named,
  url,
  file,
  start,
  end,
  relevance,
  lastUpdated,
  reported_by: reporter,
}: Linked): ResourceLink | undefined {
  const passage =
    file !== undefined &&
    start !== undefined &&
    end !== undefined &&
    passageUri(file, { start, end });
  const resource = passage || (file === undefined ? undefined : articleUri(file));
  const isPublic = url !== undefined && URL.canParse(url);
  const uri = isPublic ? url : resource;
  if (uri === undefined) return undefined;
  const name =
    reporter === undefined ? named : `${named} (reported by ${reporter}, not checked here)`;
  return {
    type: 'resource_link',
    uri,
    name,
    title: name,
    mimeType: isPublic ? 'text/html' : 'text/markdown',
    annotations: {
      audience: ['user'],
      ...(relevance === undefined ? {} : { priority: relevance }),
      ...(lastUpdated === undefined ? {} : { lastModified: lastUpdated }),
    },
    ...(resource === undefined ? {} : { _meta: { [RESOURCE_META]: resource } }),
  };
}
