import { CodedError } from '../../http/coded-error.ts';
import type { SqlDatabase } from '../../storage/sql-database.ts';
import type { Agent } from '../agent.ts';
import { type AgentServeOptions, serveAgent } from '../serve-agent.ts';
import { createAnalyticsAgent } from './analytics-agent.ts';
import { type Catalogue, storedCatalogue } from './catalogue.ts';
import EXAMPLES from './question-examples.json' with { type: 'json' };

export interface AnalyticsAppOptions extends Omit<AgentServeOptions, 'unavailable'> {
  /** When it is absent or holds no catalogue, every question fails with SERVICE_UNAVAILABLE. */
  database: SqlDatabase | undefined;
  /** The workspace that the database belongs to. */
  workspace: string;
}

/** `POST /librarians/analytics/ask`, `GET /librarians/analytics` and `POST /v1/agents/analytics`. */
export const createApp = ({ database, workspace, ...options }: AnalyticsAppOptions) => {
  if (database === undefined) {
    return serveAgent(withoutDatabase, PROFILE, { ...options, unavailable: async () => 'No database is set up' });
  }
  const { now = Date.now, log } = options;
  const catalogueOf = storedCatalogue(database, { now });
  const agent = createAnalyticsAgent({ database, catalogueOf, workspace, now, log });
  return serveAgent(agent, PROFILE, {
    ...options,
    unavailable: async () => missingData(database, await catalogueOf()),
  });
};

const PROFILE = {
  type: 'analytics' as const,
  info: {
    id: 'analytics',
    name: 'Analytics',
    description:
      "Counts, sums and ranks the shop's own business data in its database: stock and inventory by warehouse, products and their own prices, orders, revenue, sales and customers, over any period.",
    capabilities: ['sql:read'],
    examples: EXAMPLES,
  },
};

const withoutDatabase: Agent = async () => {
  throw new CodedError('SERVICE_UNAVAILABLE', 'no database is bound as SHOP_DB', {
    reported: {
      message: 'Cannot answer from business data: no database is set up',
      suggestion: 'Bind a database as SHOP_DB of the analytics function',
      recoverable: false,
    },
  });
};

/** What the database lacks for answering questions; `undefined` when it is complete. */
const missingData = async (database: SqlDatabase, catalogue: Catalogue | undefined): Promise<string | undefined> => {
  if (catalogue === undefined) return 'The database has no catalogue';
  const { rows } = await database.run({ sql: "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')" });
  const present = new Set(rows.map(([name]) => name));
  return catalogue.tables.every(({ name }) => present.has(name)) ? undefined : 'The database lacks its tables';
};
