import type { HealthPlace } from '../../contract/knowledge-health.ts';
import type { EditionArticle } from '../../search/open-edition.ts';

/** A place in an article as it is reported. */
export const placeOf = (
  { id, title, url }: Pick<EditionArticle, 'id' | 'title' | 'url'>,
  { path, text }: { path?: readonly string[]; text?: string } = {},
): HealthPlace => ({
  ...{ article_id: id, title, url },
  ...(path === undefined ? {} : { heading: path.join(' > ').slice(0, 2000) }),
  ...(text === undefined ? {} : { text: text.trim().slice(0, 1000) }),
});
