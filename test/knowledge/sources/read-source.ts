import type {
  ArticleSource,
  SourceArticle,
  UnreadableArticle,
} from '../../../src/knowledge/sources/article-source.ts';
import { readSources } from '../../../src/knowledge/sources/source-settings.ts';

export type Article = SourceArticle | UnreadableArticle;

/** The source of the workspace `default`, as configured, whose token is `secret` unless another is given. */
export function sourceFrom(
  setting: object,
  { send = fetch, now = Date.now, token = 'secret' } = {},
) {
  const ARTICLE_SOURCES = JSON.stringify({ default: { tokenSecret: 'TOKEN', ...setting } });
  const variables = { ENVIRONMENT: 'development', ARTICLE_SOURCES, TOKEN: token };
  const open = readSources(variables, { fetch: send, now }).find('default');
  if (open === undefined) throw new Error('There is no source');
  return open;
}

export interface Reading {
  limit?: number;
  updatedSinceMs?: number | undefined;
  position?: unknown;
  /** The source of a page, where another isolate continues. */
  from?: (page: number) => ArticleSource;
}

/** The pages from a position on; a position is sent as JSON. */
export async function readPages(
  source: ArticleSource,
  { from = () => source, ...reading }: Reading = {},
) {
  const pages: Article[][] = [];
  let position = reading.position;
  do {
    const signal = AbortSignal.timeout(60_000);
    const request = { limit: 100, updatedSinceMs: undefined, ...reading, position, signal };
    const page = await from(pages.length).readPage(request);
    pages.push([...page.articles]);
    position = page.next === undefined ? undefined : JSON.parse(JSON.stringify(page.next));
    if (pages.length > 100) throw new Error('The listing has no end');
  } while (position !== undefined);
  return pages;
}
export async function readAll(source: ArticleSource, reading?: Reading) {
  return (await readPages(source, reading)).flat();
}

const named = (article: Article, name: (one: SourceArticle) => string) =>
  'id' in article ? name(article) : `unreadable ${article.unreadableId}`;
export function idsOf(articles: readonly Article[]) {
  return articles.map((one) => named(one, ({ id }) => id));
}
export function titlesOf(articles: readonly Article[]) {
  return articles.map((one) => named(one, ({ title }) => title));
}
