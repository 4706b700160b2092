import { describe, it } from 'vitest';
import { searchCache, type WebResult, type WebSearch } from '../../src/agents/web-search/web-search.ts';
import { createApp } from '../../src/agents/web-search/web-search-agent.ts';
import { describeLibrarian } from '../../src/contract/conformance/describe-librarian.ts';
import { DataSourceError } from '../../src/http/coded-error.ts';
import { catalogueOf, IPHONE } from '../agents/web-search/shop.ts';
import { identityOf } from '../signing/callers.ts';
import { servedLibrarian } from './served-librarian.ts';

const identity = await identityOf('web-search');
const QUESTION = 'What does the iPhone 17 cost elsewhere?';
const OFFER: WebResult = {
  title: 'Apple iPhone 17, 256 GB',
  snippet: 'The iPhone 17, delivered tomorrow.',
  url: 'https://shop.example.com/iphone-17',
  shop: 'Example Shop',
  price: { cents: 94_999, currency: 'USD' },
  condition: undefined,
};

/** The web search with this provider. */
const searching = (search: WebSearch['search']) => {
  const provider = { provider: 'fake', search };
  const shop = { workspace: 'default', catalogue: catalogueOf(IPHONE) };
  const part = { provider: 'fake', cache: searchCache(provider, { now: Date.now }) };
  const parts = { ...identity, log: () => {}, search: part, shop };
  return servedLibrarian('web-search', (ai) => createApp({ ...parts, ai }), { capabilities: ['web:search'] });
};

const down = searching(() => Promise.reject(new DataSourceError('Cannot search: status is 503')));

describeLibrarian(
  'the web search, over signed HTTP,',
  searching(async () => [OFFER]),
  {
    answers: { query: QUESTION },
    fails: { query: QUESTION, librarian: down, code: 'DATA_SOURCE_ERROR' },
    declines: { query: 'Who won the match?', librarian: searching(async () => []) },
    delegates: 'never',
    waits: { query: QUESTION, librarian: searching(() => new Promise(() => {})) },
  },
  { describe, it },
);
