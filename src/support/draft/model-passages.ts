import type { ModelCalls } from '../../grounding/model-calls.ts';
import { excerptsOf } from '../../grounding/render-passage.ts';
import { mergeHits, proposeQueries } from '../../grounding/search-queries.ts';
import { type PassageHit, type ShownPassage, showPassages } from '../../grounding/shown-passages.ts';
import type { Knowledge } from '../../knowledge/retrieval/knowledge.ts';
import type { Turn } from '../../search/analyse-query.ts';
import { articleAtHand } from '../../search/chunks-at-hand.ts';
import { searchEdition } from '../../search/search-edition.ts';
import { deviceFilter } from './device-filter.ts';
import type { TicketUnits } from './ticket-units.ts';

/** Articles less likely than this are about something else. */
const SHOWN_FROM = 0.02;
/** Where no article is as likely as this, other words may find more. */
const WEAK_BELOW = 0.4;
/** Hits of each query that a model proposes. */
const QUERY_HITS = 10;

export interface ModelPassagesOptions {
  /** The customer's; undefined where none is named. */
  product: string | undefined;
  /** Which product it is is known. */
  isProductExact: boolean;
  question: string;
  history: readonly Turn[];
  calls: ModelCalls;
}

/** What was found for a ticket, and the units of it. */
export interface FoundUnits extends Pick<Knowledge, 'evidence' | 'isForeign'> {
  units: TicketUnits;
}

/** Whether a model has anything to read: what was found, or what it may find in the articles' language. */
export const canAnswerFrom = ({ evidence, isForeign, units }: FoundUnits): boolean =>
  evidence !== undefined && (isForeign === true || hitsOf(evidence, units).length > 0);

/**
 * What a model is shown to answer a ticket from: whole sections around the likeliest units, also of articles that are not sure to answer: it
 * reads them, and says when they do not. Where the search is weak, or the articles are in another language, the model proposes queries
 * first. Nothing of articles on other products, and nothing that is about other devices than the customer's.
 */
export const modelPassages = async (
  { evidence, isForeign, units }: FoundUnits,
  { product, isProductExact, question, history, calls }: ModelPassagesOptions,
): Promise<ShownPassage[]> => {
  if (evidence === undefined) return [];
  const { edition } = evidence;
  const first = hitsOf(evidence, units);
  const likeliest = [...units.relevance].toSorted(([, one], [, other]) => other - one);
  const isWeak = isForeign === true || (likeliest[0]?.[1] ?? 0) < WEAK_BELOW;
  const found = likeliest.map(([article]) => articleAtHand(edition, article).title);
  const queries = isWeak ? await proposeQueries({ question, history, found }, calls) : [];
  const further = queries.map((query) =>
    searchEdition(edition, query, { limit: QUERY_HITS }).hits.map(
      ({ chunk, article }): PassageHit => ({ chunk, source: articleAtHand(edition, article) }),
    ),
  );
  const isFitting = deviceFilter({ product, isProductExact, devices: edition.devices() });
  return showPassages(edition, further.length > 0 ? mergeHits([first, ...further]) : first, {
    isAllowed: ({ headingPath, source }) => isFitting({ path: headingPath, source }),
  });
};

const hitsOf = ({ edition }: NonNullable<Knowledge['evidence']>, { units, relevance }: TicketUnits): PassageHit[] =>
  units
    .filter(({ source }) => (relevance.get(source.index) ?? 0) >= SHOWN_FROM)
    .flatMap(({ unit, source }) => excerptsOf(edition, unit).map(({ chunk }) => ({ chunk: chunk.index, source })));
