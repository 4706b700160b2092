import type { KnowledgeHit, KnowledgeSearchRequest, KnowledgeSearchResponse } from '../contract/knowledge-search.ts';
import { answeringModelOf, relevanceOfHits } from './answering-model.ts';
import { readPages } from './chunk-texts.ts';
import type { Edition } from './open-edition.ts';
import type { RetrieveOptions, Retriever } from './retrieve.ts';
import type { SearchHit } from './search-edition.ts';

/** Ranked passages of an edition, in the reply format of `POST /v1/knowledge/search`. */
export const searchKnowledge = async (
  edition: Edition,
  { query, limit, filter }: KnowledgeSearchRequest,
  { retrieve, ...options }: Pick<RetrieveOptions, 'signal' | 'waitUntil' | 'timeLeftMs'> & { retrieve: Retriever },
): Promise<KnowledgeSearchResponse> => {
  const { outcome, semantic, lacksTexts } = await retrieve(edition, query, { ...options, limit, filter });
  const relevances = relevanceOfHits(outcome, answeringModelOf(edition));
  const hits = await readPages(edition, () =>
    outcome.hits.map((hit, index) => hitOf(edition, hit, relevances[index] ?? 0)),
  );
  const degraded = [
    ...(semantic === 'late' || semantic === 'failed' ? (['embeddings'] as const) : []),
    ...(lacksTexts === true ? (['texts'] as const) : []),
  ];
  return {
    edition: edition.id,
    hits: hits.value,
    ...(degraded.length > 0 ? { degraded } : {}),
  };
};

const hitOf = (edition: Edition, hit: SearchHit, relevance: number): KnowledgeHit => {
  const { id, title, url, lastUpdated } = edition.article(hit.article);
  const { headingPath, text } = edition.chunk(hit.chunk);
  return {
    ...{ article_id: id, title, url, text, relevance },
    heading: headingPath.join(' > ').slice(0, 2000),
    score: hit.fused ?? hit.score,
    last_updated: lastUpdated,
  };
};
