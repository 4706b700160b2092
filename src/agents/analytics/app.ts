import type { ServeOptions } from '../../runtime/serve-librarian.ts';
import { serveAgent } from '../serve-agent.ts';
import { type AnalyticsParts, createAnalyticsAgent } from './analytics-agent.ts';
import { QUESTION_EXAMPLES } from './question-examples.ts';

export interface AnalyticsAppOptions extends ServeOptions, Omit<AnalyticsParts, 'now' | 'log'> {}

/** `POST /librarians/analytics/ask`, `GET /librarians/analytics` and `POST /v1/agents/analytics`. */
export const createApp = ({ database, catalogue, workspace, ...options }: AnalyticsAppOptions) =>
  serveAgent(
    createAnalyticsAgent({ database, catalogue, workspace, now: options.now, log: options.log }),
    PROFILE,
    options,
  );

const PROFILE = {
  type: 'analytics' as const,
  info: {
    id: 'analytics',
    name: 'Analytics',
    description:
      "Counts, sums and ranks the shop's own business data in its database: stock and inventory by warehouse, products and their own prices, orders, revenue, sales and customers, over any period.",
    capabilities: ['sql:read'],
    examples: QUESTION_EXAMPLES,
  },
};
