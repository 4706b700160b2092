import { afterAll, describe, it } from 'vitest';
import {
  describeLibrarian,
  type LibrarianCases,
} from '../../src/contract/conformance/describe-librarian.ts';
import type { AIClient, Librarian, LibrarianInfo } from '../../src/contract/core/librarian.ts';
import { createApp as createAnalytics } from '../../src/librarians/analytics/analytics-agent.ts';
import { createConcierge } from '../../src/librarians/concierge/concierge.ts';
import { delegateTo } from '../../src/librarians/delegation/delegates.ts';
import {
  createNavigator,
  createApp as createNavigatorApp,
} from '../../src/librarians/navigator/navigator-librarian.ts';
import { createApp as createSemantic } from '../../src/librarians/semantic/semantic-agent.ts';
import { serveLibrarian } from '../../src/librarians/serve/serve-librarian.ts';
import {
  searchCache,
  type WebResult,
  type WebSearch,
} from '../../src/librarians/web-search/web-search.ts';
import { createApp as createWebSearch } from '../../src/librarians/web-search/web-search-agent.ts';
import { DataSourceError } from '../../src/platform/http/coded-error.ts';
import type { SqlDatabase } from '../../src/platform/storage/sql-database.ts';
import { openSmallKb } from '../answering/write/small-kb.ts';
import { startShop } from '../librarians/analytics/shop-for-test.ts';
import { type Behaviour, hybridWith, silent } from '../librarians/hybrid/hybrid-for-test.ts';
import { catalogueOf, IPHONE } from '../librarians/web-search/shop.ts';
import { identityOf } from '../platform/context/callers.ts';
import { identityBeside, servedLibrarian } from './served-librarian.ts';

const log = () => {};
/** Data sources that are down, or never answer. */
const down = () => Promise.reject(new DataSourceError('Cannot read the data: status is 503'));
const hangs = () => new Promise<never>(() => {});
const IN_STOCK = 'How many iPhone 17 are in stock?';
const FOOTBALL = { query: 'Who won the football final in Madrid?' };
const shop = await startShop();
afterAll(() => shop.stop());

/** A librarian whose data source answers, is down or hangs; it never delegates. */
const reading = <Source>(
  query: string,
  librarianWith: (source: Source) => Librarian,
  sources: Record<'up' | 'down' | 'hangs', Source>,
): [Librarian, LibrarianCases] => [
  librarianWith(sources.up),
  {
    answers: { query },
    fails: { query, librarian: librarianWith(sources.down), code: 'DATA_SOURCE_ERROR' },
    declines: FOOTBALL,
    delegates: 'never',
    waits: { query, librarian: librarianWith(sources.hangs) },
  },
];

const analytics = await identityOf('analytics');
const analyticsWith = (database: SqlDatabase) => {
  const parts = { ...analytics, log, database, workspace: 'default' };
  return servedLibrarian('analytics', (ai) => createAnalytics({ ...parts, ai }), {
    capabilities: ['sql:read'],
  });
};
const databases = {
  up: shop.database,
  down: { explain: down, run: down },
  hangs: { explain: hangs, run: hangs },
};
const { edition } = openSmallKb();
const BOILER = 'How often must the boiler be descaled?';
const editions = { up: async () => edition, down, hangs };
type EditionFor = (typeof editions)['up'];
const semantic = await identityOf('semantic');
const semanticWith = (editionFor: EditionFor) =>
  servedLibrarian('semantic', (ai) => createSemantic({ ...semantic, log, editionFor, ai }));
const navigator = await identityOf('navigator');
const navigatorWith = (editionFor: EditionFor) =>
  servedLibrarian('navigator', createNavigatorApp({ ...navigator, log, editionFor }));
const bareNavigatorWith = (readEdition: EditionFor) => createNavigator({ readEdition, log });
const webSearch = await identityOf('web-search');
const OFFER: WebResult = {
  title: 'Apple iPhone 17, 256 GB',
  snippet: 'The iPhone 17, delivered tomorrow.',
  url: 'https://shop.example.com/iphone-17',
  shop: 'Example Shop',
  price: { cents: 94_999, currency: 'USD' },
  condition: undefined,
};
const webSearchWith = (search: WebSearch['search']) => {
  const part = {
    provider: 'fake',
    cache: searchCache({ provider: 'fake', search }, { now: Date.now }),
  };
  const parts = {
    ...webSearch,
    log,
    search: part,
    shop: { workspace: 'default', catalogue: catalogueOf(IPHONE) },
  };
  return servedLibrarian('web-search', (ai) => createWebSearch({ ...parts, ai }), {
    capabilities: ['web:search'],
  });
};
const [search, searched] = reading('What does the iPhone 17 cost elsewhere?', webSearchWith, {
  up: async () => [OFFER],
  down,
  hangs,
});

/** The hybrid agent with other librarians that answer, are down, or are silent. */
const hybridBeside = (all?: Behaviour) => {
  const behaviours = all === undefined ? {} : { analytics: all, semantic: all, web_search: all };
  const served = async (ai: AIClient | undefined) => (await hybridWith(behaviours, { ai })).app;
  return servedLibrarian('hybrid', served, { capabilities: ['kb:read', 'sql:read', 'web:search'] });
};
const TWO_PARTS = `${IN_STOCK.slice(0, -1)} and what does the return policy say about opened boxes?`;
const CONCIERGE: LibrarianInfo = { id: 'concierge', name: 'Concierge' };
const DELEGATES: LibrarianInfo[] = [
  {
    id: 'analytics',
    name: 'Analytics',
    description: 'Counts orders, customers and stock in the database of the shop.',
    capabilities: ['sql:read'],
    examples: [IN_STOCK, 'What was the revenue in May?'],
  },
  {
    id: 'semantic',
    name: 'Semantic search',
    description: 'Lists the documents of the knowledge base on a subject.',
    capabilities: ['kb:read'],
    examples: ['Find documents about the water filter', 'Which articles mention the boiler?'],
  },
];
/** The concierge as a function, so that its delegations are followed; all other librarians behave alike. */
const conciergeBeside = (other: Librarian) => {
  const targetOf = async (info: LibrarianInfo) => {
    const app = serveLibrarian(other, info, {
      ...(await identityBeside(info.id, CONCIERGE.id)),
      log,
    });
    return [info.id, { fetch: async (request: Request) => app.fetch(request) }] as const;
  };
  const served = async (ai: AIClient | undefined) => {
    const targets = delegateTo(Object.fromEntries(await Promise.all(DELEGATES.map(targetOf))));
    const librarian = createConcierge({ librarians: DELEGATES, defaultLibrarian: 'navigator' });
    const identity = await identityBeside(CONCIERGE.id, CONCIERGE.id);
    return serveLibrarian(librarian, CONCIERGE, { ...identity, targets, ai, log });
  };
  return servedLibrarian(CONCIERGE.id, served, { capabilities: ['kb:read', 'sql:read'] });
};
const knows: Librarian = async () => ({
  answer: 'There are 50.',
  sources: [{ name: 'stock' }],
  confidence: 0.9,
});
const suggestion = 'Try again in a few seconds';
const error = {
  code: 'DATA_SOURCE_ERROR',
  message: 'Cannot read the table',
  recoverable: true,
  suggestion,
} as const;

const LIBRARIANS: [name: string, Librarian, LibrarianCases][] = [
  [
    'the analytics agent, over signed HTTP and a real database,',
    ...reading(IN_STOCK, analyticsWith, databases),
  ],
  ['the semantic agent, over signed HTTP,', ...reading(BOILER, semanticWith, editions)],
  ['the navigator', ...reading(BOILER, bareNavigatorWith, editions)],
  ['the navigator, over signed HTTP,', ...reading(BOILER, navigatorWith, editions)],
  [
    'the web search, over signed HTTP,',
    search,
    {
      ...searched,
      declines: { query: 'Who won the match?', librarian: webSearchWith(async () => []) },
    },
  ],
  [
    'the hybrid agent, over signed HTTP,',
    hybridBeside(),
    {
      answers: { query: TWO_PARTS },
      // A new agent per question: otherwise the circuit opens, which is another error.
      fails: {
        query: TWO_PARTS,
        librarian: (...asked) => hybridBeside('down')(...asked),
        code: 'DELEGATION_FAILED',
      },
      declines: 'never',
      delegates: { query: TWO_PARTS, to: ['analytics', 'semantic'] },
      waits: { query: TWO_PARTS, librarian: hybridBeside(silent) },
    },
  ],
  [
    'the concierge, with its delegates,',
    conciergeBeside(knows),
    {
      info: CONCIERGE,
      answers: { query: IN_STOCK },
      fails: {
        query: IN_STOCK,
        librarian: conciergeBeside(async () => ({ error })),
        code: 'DATA_SOURCE_ERROR',
      },
      declines: { query: 'How do I cook rice?' },
      delegates: { query: IN_STOCK, to: 'analytics' },
      waits: { query: IN_STOCK, librarian: conciergeBeside(hangs) },
    },
  ],
];
for (const [name, librarian, cases] of LIBRARIANS)
  describeLibrarian(name, librarian, cases, { describe, it });
