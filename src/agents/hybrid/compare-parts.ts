import type { Contradiction } from '../../contract/joined-answer.ts';
import type { LibrarianResponse } from '../../contract/response.ts';
import { aggregate } from '../../delegation/aggregate.ts';
import { errorInfo } from '../../runtime/error-info-of.ts';
import { availabilityConflicts } from './availability-conflicts.ts';
import type { Part } from './part.ts';
import { priceConflicts } from './price-conflicts.ts';
import { SOURCES } from './source-type.ts';

/** What the parts say together. */
export interface Comparison {
  /** 0 to 1. */
  confidence: number;
  /** At most 8. */
  contradictions: Contradiction[];
}

const MAX_CONTRADICTIONS = 8;
/** A contradicted answer is half as sure. */
const SHARE_WHEN_DISPUTED = 0.5;

/**
 * How sure all parts together are, by the rule of joined answers (the weakest answered part, scaled by the share of
 * parts that were answered), and where their data on prices and stock contradict one another.
 */
export const compareParts = (parts: readonly Part[]): Comparison => {
  const { confidence = 0 } = aggregate(parts.map(branchOf));
  const contradictions = [...priceConflicts(parts), ...availabilityConflicts(parts)].slice(0, MAX_CONTRADICTIONS);
  const isHalved = contradictions.length > 0;
  return { confidence: isHalved ? rounded(confidence * SHARE_WHEN_DISPUTED) : confidence, contradictions };
};

const branchOf = (part: Part) => {
  const { librarian: to } = SOURCES[part.type];
  return { request: { to, query: part.query }, query: part.query, to, response: responseOf(part) };
};

/** A source that had nothing leaves its part open; how sure it is of that says nothing about the rest. */
const responseOf = (part: Part): LibrarianResponse => {
  if (!part.ok) return { error: part.error };
  if (!part.isInformed) return { error: errorInfo('NOT_FOUND', { librarian: SOURCES[part.type].librarian }) };
  return { answer: part.finding.slice(0, 32_000), confidence: part.attribution.confidence };
};

const rounded = (confidence: number): number => Math.round(confidence * 1000) / 1000;
