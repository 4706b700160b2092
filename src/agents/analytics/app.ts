import { CodedError } from '../../runtime/error-info-of.ts';
import type { ServeOptions } from '../../runtime/serve-librarian.ts';
import type { SqlDatabase } from '../../storage/sql-database.ts';
import type { Agent } from '../agent.ts';
import { serveAgent } from '../serve-agent.ts';
import { type AnalyticsParts, createAnalyticsAgent } from './analytics-agent.ts';
import type { Catalogue } from './catalogue.ts';
import { QUESTION_EXAMPLES } from './question-examples.ts';

export interface AnalyticsAppOptions
  extends Omit<ServeOptions, 'unavailable'>,
    Omit<AnalyticsParts, 'now' | 'log' | 'database'> {
  /** Absent where no database is bound: every question then fails with SERVICE_UNAVAILABLE. */
  database: SqlDatabase | undefined;
}

/** `POST /librarians/analytics/ask`, `GET /librarians/analytics` and `POST /v1/agents/analytics`. */
export const createApp = ({ database, catalogue, workspace, ...options }: AnalyticsAppOptions) =>
  serveAgent(
    database === undefined
      ? withoutDatabase
      : createAnalyticsAgent({ database, catalogue, workspace, now: options.now, log: options.log }),
    PROFILE,
    { ...options, unavailable: async () => lackingIn(database, catalogue) },
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

const withoutDatabase: Agent = async () => {
  throw new CodedError('SERVICE_UNAVAILABLE', 'no database is bound as SHOP_DB', {
    told: {
      message: 'Cannot answer from business data: no database is set up',
      suggestion: 'Bind a database as SHOP_DB of the analytics function',
      recoverable: false,
    },
  });
};

/** What is missing of the data that the catalogue speaks of; `undefined` when nothing is. */
const lackingIn = async (database: SqlDatabase | undefined, catalogue: Catalogue): Promise<string | undefined> => {
  if (database === undefined) return 'No database is set up';
  const { rows } = await database.run({ sql: "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')" });
  const present = new Set(rows.map(([name]) => name));
  return catalogue.tables.every(({ name }) => present.has(name)) ? undefined : 'The database lacks its tables';
};
