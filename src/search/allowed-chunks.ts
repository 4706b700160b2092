import type { Edition } from './open-edition.ts';

/** Only chunks of articles that carry this intent, name this device (both whatever their case), have this id. */
export interface ChunkFilter {
  intent?: string | undefined;
  device?: string | undefined;
  articleId?: string | undefined;
}

/** Tells which chunks meet the filter; undefined when all do. */
export const allowedChunks = (
  edition: Edition,
  { intent, device, articleId }: ChunkFilter,
): ((chunk: number) => boolean) | undefined => {
  const conditions: ArrayLike<number>[] = [];
  if (intent !== undefined) conditions.push(edition.articlesTagged('intent', intent));
  if (device !== undefined) conditions.push(edition.articlesTagged('device', device));
  if (articleId !== undefined) conditions.push([edition.findArticle(articleId)]);
  if (conditions.length === 0) return undefined;
  const met = new Uint8Array(edition.articleCount);
  for (const articles of conditions) {
    for (let at = 0; at < articles.length; at++) {
      const article = articles[at] ?? -1;
      met[article] = (met[article] ?? 0) + 1;
    }
  }
  return (chunk) => met[edition.index.articleOf(chunk)] === conditions.length;
};
