import type { AgentCall } from '../agent.ts';
import { proposeSplit } from './propose-split.ts';
import { type PartialQuery, splitQuery } from './split-query.ts';
import { MAX_PARTS } from './synthesise.ts';

/** How a question will be asked. */
export interface Plan {
  /** At most 6. */
  queries: PartialQuery[];
  /** What was more than that. */
  unasked: string[];
  splitBy: 'rules' | 'model';
}

/** Splits a question: by a model where there is one and its proposal holds, else by rules. */
export const planQuery = async (query: string, call: AgentCall): Promise<Plan> => {
  const proposed = call.ai === undefined ? undefined : await proposeSplit(query, { ...call, ai: call.ai });
  const all = eachOnce(proposed ?? splitQuery(query));
  return {
    queries: all.slice(0, MAX_PARTS),
    unasked: all.slice(MAX_PARTS).map((part) => part.query),
    splitBy: proposed === undefined ? 'rules' : 'model',
  };
};

const eachOnce = (parts: readonly PartialQuery[]): PartialQuery[] => [
  ...new Map(parts.map((part) => [`${part.type} ${part.query.toLowerCase()}`, part])).values(),
];
