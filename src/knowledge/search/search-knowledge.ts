import type { KnowledgeHit, KnowledgeSearchRequest, KnowledgeSearchResponse } from '../../contract/knowledge-search.ts';
import { answeringModelOf, relevanceOfHits } from '../answers/answering-model.ts';
import type { Edition } from '../edition/open-edition.ts';
import { type SearchHit, searchEdition } from './search-edition.ts';

/** Ranked passages of an edition, as `POST /v1/knowledge/search` gives them out (design, section 4). */
export const searchKnowledge = (edition: Edition, request: KnowledgeSearchRequest): KnowledgeSearchResponse => {
  const outcome = searchEdition(edition, request.query, { limit: request.limit, filter: request.filter });
  const relevances = relevanceOfHits(outcome, answeringModelOf(edition));
  return {
    edition: edition.id,
    hits: outcome.hits.map((hit, index) => hitOf(edition, hit, relevances[index] ?? 0)),
  };
};

const hitOf = (edition: Edition, hit: SearchHit, relevance: number): KnowledgeHit => {
  const { id, title, url, lastUpdated } = edition.article(hit.article);
  const { headingPath, text } = edition.chunk(hit.chunk);
  return {
    ...{ article_id: id, title, url, text, relevance },
    heading: headingPath.join(' > ').slice(0, 2000),
    score: hit.score,
    last_updated: lastUpdated,
  };
};
