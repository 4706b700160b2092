import { describe, expect, it } from 'vitest';
import { answerFromEdition } from '../../../src/answering/write/answer-from-edition.ts';
import type { LibrarianInfo } from '../../../src/contract/core/librarian.ts';
import { NavigatorResponse } from '../../../src/contract/core/navigator-response.ts';
import { EditionUnavailable } from '../../../src/knowledge/edition/edition-reader.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { createLibrarians } from '../../../src/librarians/delegation/librarian-directory.ts';
import { createApp } from '../../../src/librarians/navigator/navigator-librarian.ts';
import { withWhomToAsk } from '../../../src/librarians/navigator/whom-to-ask.ts';
import { serveLibrarian } from '../../../src/librarians/serve/serve-librarian.ts';
import { replyOf, scriptedModel } from '../../answering/write/scripted-model.ts';
import { OFTEN, openSmallKb, QUOTE } from '../../answering/write/small-kb.ts';
import {
  callFrom,
  identityOf,
  notebook,
  targetOf,
  userContext,
} from '../../platform/context/callers.ts';

const { edition } = openSmallKb();
type Options = Partial<Parameters<typeof createApp>[0]> &
  Pick<Parameters<typeof userContext>[0] & object, 'capabilities'>;

/** Calls the navigator function as the gateway. */
const call = async (
  path: string,
  body: unknown,
  {
    capabilities = ['kb:read'],
    budgets = {},
    ...options
  }: Options & { budgets?: Record<string, number> } = {},
) => {
  const workspaces: string[] = [];
  const { log, lines } = notebook();
  const app = createApp({
    ...(await identityOf('navigator')),
    log,
    editionFor: async ({ context }) => {
      workspaces.push(context.workspace);
      return edition;
    },
    ...options,
  });
  const targets = { navigator: targetOf(app).target };
  const context = userContext({ workspace: 'acme', capabilities, budgets });
  const { answer } = await callFrom('gateway', context, {
    targets,
    request: { to: 'navigator', path, body },
  });
  if (!answer.ok) throw new Error(answer.error.message);
  return {
    status: answer.status,
    // biome-ignore lint/suspicious/noExplicitAny: tests check replies of any shape
    reply: answer.json() as any,
    used: answer.receipt.use,
    workspaces,
    lines,
  };
};

const honest = () => scriptedModel(replyOf([{ text: QUOTE, from: 'How often' }]));
const ROUTES = ['/v1/navigate', '/librarians/navigator/ask'];

describe('the navigator function', () => {
  it('answers POST /v1/navigate by the navigator contract, signed, for the workspace of the context', async () => {
    const { status, reply, workspaces } = await call('/v1/navigate', { query: OFTEN });
    expect([status, workspaces]).toEqual([200, ['acme']]);
    expect(NavigatorResponse.safeParse(reply).success).toBe(true);
    expect(reply).toMatchObject({ outOfDomain: false, edition: 'e1' });
    expect(reply.sources).toContainEqual(
      expect.objectContaining({ file: 'care/descale.md', section: 'How often' }),
    );
  });
  it.each([
    ['an empty query', { query: ' ' }],
    ['an unknown member', { query: 'boiler', top: 3 }],
    ['a number', 7],
    ['an object in place of a string', { query: { length: { valueOf: 0, toString: 0 } } }],
    ['a query of 100,000 characters', { query: 'x'.repeat(100_000) }],
  ])('refuses %s with INVALID_QUERY', async (_what, body) => {
    const { status, reply } = await call('/v1/navigate', body);
    expect([status, reply.error.code]).toEqual([400, 'INVALID_QUERY']);
  });
  it('refuses a call without a context', async () => {
    const app = createApp({
      ...(await identityOf('navigator')),
      log: () => {},
      editionFor: async () => edition,
    });
    expect(
      (await app.request('/v1/navigate', { method: 'POST', body: '{"query":"boiler"}' })).status,
    ).toBe(401);
  });
  it('passes the previous turns to the model', async () => {
    const ai = honest();
    const history = [{ speaker: 'user', text: 'Tell me about the boiler.' }];
    await call(
      '/librarians/navigator/ask',
      { query: 'How often must it be descaled?', metadata: { history } },
      { ai },
    );
    expect(ai.calls.map(({ given }) => given.earlier)).toContain(
      'customer: Tell me about the boiler.',
    );
  });
});

describe.each(ROUTES)('the navigator function at %s', (path) => {
  it('refuses a context without kb:read', async () => {
    const { status, reply } = await call(path, { query: 'boiler' }, { capabilities: ['sql:read'] });
    expect([status, reply.error.code]).toEqual([401, 'UNAUTHORIZED']);
  });
  it('answers SERVICE_UNAVAILABLE before the first sync', async () => {
    const editionFor = () =>
      Promise.reject(new EditionUnavailable('no knowledge base has been synced'));
    const { status, reply } = await call(path, { query: 'boiler' }, { editionFor });
    expect([status, reply.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });
  it('answers with a model, and reports its usage in metadata, receipt and log', async () => {
    const budgets = { tokens: 20_000, cost_micros: 9000 };
    const { reply, used, lines } = await call(path, { query: OFTEN }, { ai: honest(), budgets });
    expect(reply.answer).toBe(
      `${QUOTE} ([Descale the boiler](https://docs.example.com/care/descale.md), How often)`,
    );
    // The answer and the judge.
    const usage = { input_tokens: 2000, output_tokens: 200, cost_usd: 0.001 };
    const model = 'scripted-1';
    expect(reply.metadata).toMatchObject({
      answered_by: 'model',
      model,
      usage: { calls: 2, ...usage },
    });
    expect(used).toMatchObject({ tokens: 2200, cost_micros: 1000 });
    expect(lines.at(-1)).toMatchObject({ event: 'request', model, ...usage });
  });
  it('respects the budget of the context', async () => {
    const ai = honest();
    const { reply, used } = await call(path, { query: OFTEN }, { ai, budgets: { tokens: 1000 } });
    expect(reply.answer).toContain('every 60 days, or every 30 days with hard water');
    expect(reply.metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'over_budget' });
    expect([ai.calls.length, used.tokens ?? 0]).toEqual([0, 0]);
  });
  it('reports failed embeddings', async () => {
    const retrieve: Options['retrieve'] = async (...search) => ({
      outcome: searchEdition(...search),
      semantic: 'failed',
    });
    const { reply } = await call(path, { query: OFTEN }, { retrieve });
    expect(reply.metadata).toMatchObject({ degraded: ['embeddings'] });
    expect(reply.answer).toContain('60 days');
  });
  it('returns no model metadata without a model', async () => {
    const { reply } = await call(path, { query: OFTEN });
    // `cached` depends on earlier tests, and no other article is close to this question.
    const names = Object.keys(reply.metadata).filter((name) => name !== 'cached');
    expect(names).toEqual(path === ROUTES[0] ? [] : ['navigator', 'statements']);
  });
});

describe('related topics', () => {
  const SHOP: LibrarianInfo = {
    id: 'analytics',
    name: 'Shop [figures](https://evil.example)',
    capabilities: ['sql:read'],
    description:
      'Counts orders, revenue, customers and products of the shop, by month, region and product.',
    examples: ['How much revenue did we make last month?', 'Which product sold best?'],
  };
  const REVENUE = 'How much revenue did we make in March by region?';

  it.each([
    ['start with the librarian for the subject, as plain text', REVENUE, /^Ask Shop figures.*$/],
    ['name no librarian for a question about the knowledge base', OFTEN, undefined],
  ])('%s', async (_fact, query, named) => {
    const shop = serveLibrarian(async () => ({ answer: 'x' }), SHOP, await identityOf('analytics'));
    const targets = { analytics: targetOf(shop).target };
    const librarians = createLibrarians({ targets, own: ['analytics'] });
    await librarians.list();
    const [full, reply] = await Promise.all(
      ROUTES.map(async (path) => (await call(path, { query }, { librarians })).reply),
    );
    expect(reply.metadata.navigator.relatedTopics).toEqual(full.relatedTopics);
    if (named === undefined) return expect(full.relatedTopics.join()).not.toContain('Ask ');
    expect(full.relatedTopics[0]).toMatch(named);
    expect(full.relatedTopics[0]).not.toContain('](');
    expect(full.answer).toMatch(/I don't have information/);
    expect(full.answer.includes('You might want to ask')).toBe(full.outOfDomain);
    expect(full.confidence).toBe(full.outOfDomain ? 'high' : 'low');
    expect(reply.confidence).toBeLessThan(0.5);
  });
  it.each([
    [['gateway'], true],
    [['gateway', 'analytics'], false],
  ])('name no librarian in the call chain %j', (chain, isNamed) => {
    const self = {
      id: 'navigator',
      name: 'Navigator',
      description: 'Answers from the knowledge base.',
    };
    const { response } = withWhomToAsk(answerFromEdition(edition, REVENUE), REVENUE, {
      self,
      all: [SHOP],
      chain,
    });
    expect(response.relatedTopics?.join().includes('Ask ') ?? false).toBe(isNamed);
  });
});
