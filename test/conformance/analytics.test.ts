import { afterAll, describe, it } from 'vitest';
import { createApp } from '../../src/agents/analytics/analytics-agent.ts';
import { describeLibrarian } from '../../src/contract/conformance/describe-librarian.ts';
import { DataSourceError } from '../../src/http/coded-error.ts';
import type { SqlDatabase } from '../../src/storage/sql-database.ts';
import { startShop } from '../agents/analytics/shop-for-test.ts';
import { identityOf } from '../signing/callers.ts';
import { servedLibrarian } from './served-librarian.ts';

const shop = await startShop();
afterAll(() => shop.stop());
const identity = await identityOf('analytics');

const reading = (database: SqlDatabase) => {
  const parts = { ...identity, log: () => {}, database, workspace: 'default' };
  return servedLibrarian('analytics', (ai) => createApp({ ...parts, ai }), { capabilities: ['sql:read'] });
};

const fails = () => Promise.reject(new DataSourceError('Cannot read the database: status is 503'));
const silent = () => new Promise<never>(() => {});
const QUESTION = 'How many iPhone 17 are in stock?';

describeLibrarian(
  'the analytics agent, over signed HTTP and a real database,',
  reading(shop.database),
  {
    answers: { query: QUESTION },
    fails: { query: QUESTION, librarian: reading({ explain: fails, run: fails }), code: 'DATA_SOURCE_ERROR' },
    declines: { query: 'Who won the football final in Madrid?' },
    delegates: 'never',
    waits: { query: QUESTION, librarian: reading({ explain: silent, run: silent }) },
  },
  { describe, it },
);
