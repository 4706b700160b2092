import { PARTIAL_BELOW } from '../../contract/core/confidence-level.ts';
import {
  type ExplainedPassage,
  type Explanation,
  MAX_EXPLAINED,
} from '../../contract/core/navigator-response.ts';
import { cachedArticle, type Edition } from '../../knowledge/edition/open-edition.ts';
import { relevanceOfHits } from '../../knowledge/search/relevance.ts';
import type { SemanticUse } from '../../knowledge/search/retrieve.ts';
import type { SearchHit, SearchOutcome } from '../../knowledge/search/search-edition.ts';
import { DECLINED_BELOW } from '../passages/find-answer.ts';
import { chooseHits, type NavigatorAnswer } from './navigator-answer.ts';

/** Why an answer quotes what it quotes: the best passages of a search for the question, what ranked each, and what became of it. */
export function explainAnswer(
  edition: Edition,
  question: string,
  {
    answer,
    outcome,
    semantic,
  }: { answer: NavigatorAnswer; outcome: SearchOutcome; semantic: SemanticUse },
): Explanation {
  const relevances = relevanceOfHits(outcome);
  const chosen = new Set(
    chooseHits(edition, question, outcome.hits).hits.map(({ chunk }) => chunk),
  );
  return {
    edition: edition.id,
    semantic,
    probability: rounded(answer.probability),
    found: outcome.hits.length,
    thresholds: { declined_below: DECLINED_BELOW, sure_from: PARTIAL_BELOW },
    passages: outcome.hits.slice(0, MAX_EXPLAINED).map((hit, at): ExplainedPassage => {
      const { id: file, title } = cachedArticle(edition, hit.article);
      return {
        title: title.slice(0, 500),
        file,
        section: (edition.headingPath(hit.chunk).at(-1) ?? title).slice(0, 500),
        lexical: rounded(hit.lexical),
        score: rounded(hit.score),
        coverage: rounded(hit.coverage),
        ...(hit.similarity === undefined ? {} : { similarity: rounded(hit.similarity) }),
        ...(hit.fused === undefined ? {} : { fused: rounded(hit.fused) }),
        relevance: rounded(Math.min(1, Math.max(0, relevances[at] ?? 0))),
        outcome: outcomeOf(edition, hit, { file, answer, isChosen: chosen.has(hit.chunk) }),
      };
    }),
  };
}

const outcomeOf = (
  edition: Edition,
  { chunk }: SearchHit,
  { file, answer, isChosen }: { file: string; answer: NavigatorAnswer; isChosen: boolean },
): ExplainedPassage['outcome'] => {
  const { start, end } = edition.chunk(chunk);
  const sources = answer.response.sources.filter((source) => source.file === file);
  const excerpts = sources.flatMap((source) => source.excerpts ?? []);
  if (excerpts.some((excerpt) => excerpt.start < end && excerpt.end > start)) return 'cited';
  if (sources.length > 0) return 'same_article';
  if (!isChosen) return 'other_device';
  return answer.closest.some((article) => article.file === file) ? 'closest' : 'not_chosen';
};

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
