import { describe, expect, it } from 'vitest';
import type { AIClient } from '../../src/contract/librarian.ts';
import { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { createApp } from '../../src/navigator/navigator-librarian.ts';
import type { LogLine } from '../../src/runtime/log.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { EditionUnavailable } from '../../src/search/edition-reader.ts';
import type { Retriever } from '../../src/search/retrieve.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { identityFrom } from '../../src/signing/identity.ts';
import { originate } from '../../src/signing/request-context.ts';
import { replyOf, scriptedModel } from './scripted-model.ts';
import { openSmallKb } from './small-kb.ts';

const { edition } = openSmallKb();
const identityOf = (id: string) => identityFrom({ ENVIRONMENT: 'development' }, id);
const seen: string[] = [];
const lines: LogLine[] = [];
interface CallOptions {
  capabilities?: string[];
  fails?: boolean;
  ai?: AIClient;
  retrieve?: Retriever;
  budgets?: Record<string, number>;
}
const call = async (
  path: string,
  body: unknown,
  { capabilities = ['kb:read'], fails = false, ai, retrieve, budgets = {} }: CallOptions = {},
) => {
  const app = createApp({
    ...(await identityOf('navigator')),
    log: (line) => void lines.push(line),
    ai,
    retrieve,
    editionFor: async ({ context }) => {
      seen.push(context.workspace);
      if (fails) throw new EditionUnavailable('Cannot answer yet: no knowledge base has been synced');
      return edition;
    },
  });
  const target = { fetch: async (request: Request) => app.fetch(request) };
  const client = signedClient({ ...(await identityOf('gateway')), targets: { navigator: target }, log: () => {} });
  const origin = { self: 'gateway', subject: 'user:u1', workspace: 'acme', authentication: 'key', now: Date.now() };
  const context = originate({ ...origin, capabilities, budgets });
  const answer = await client.call(context, { to: 'navigator', path, body });
  if (!answer.ok) throw new Error(answer.error.message);
  // biome-ignore lint/suspicious/noExplicitAny: tests check replies of any shape
  return { status: answer.status, reply: answer.json() as any, used: answer.receipt.use };
};

const QUESTION = 'How often must the boiler be descaled?';
const QUOTE = 'Descale the boiler every 60 days, or every 30 days with hard water.';
const honest = () => scriptedModel(replyOf([{ text: QUOTE, from: 'How often' }]));
const ROUTES = ['/v1/navigate', '/librarians/navigator/ask'];

describe('the navigator function', () => {
  it('answers POST /v1/navigate by the navigator contract, signed, for the workspace of the context', async () => {
    const { status, reply } = await call('/v1/navigate', { query: QUESTION });
    expect(status).toBe(200);
    expect(NavigatorResponse.safeParse(reply).success).toBe(true);
    expect(reply).toMatchObject({ outOfDomain: false, edition: 'e1' });
    expect(reply.sources).toContainEqual(expect.objectContaining({ file: 'care/descale.md', section: 'How often' }));
    expect(seen.at(-1)).toBe('acme');
  });

  it('answers as a librarian', async () => {
    const { status, reply } = await call('/librarians/navigator/ask', { query: QUESTION });
    expect(status).toBe(200);
    expect(reply).toMatchObject({
      answer: expect.stringContaining('60 days'),
      metadata: { navigator: { edition: 'e1', outOfDomain: false } },
    });
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

  it.each(ROUTES)('refuses a context without kb:read at %s', async (path) => {
    const { status, reply } = await call(path, { query: 'boiler' }, { capabilities: ['sql:read'] });
    expect([status, reply.error.code]).toEqual([401, 'UNAUTHORIZED']);
  });
  it.each(ROUTES)('answers SERVICE_UNAVAILABLE at %s before the first sync', async (path) => {
    const { status, reply } = await call(path, { query: 'boiler' }, { fails: true });
    expect([status, reply.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });

  it.each(ROUTES)('answers at %s with a model, and reports its usage in metadata, receipt and log', async (path) => {
    const budgets = { tokens: 20_000, cost_micros: 9000 };
    const { reply, used } = await call(path, { query: QUESTION }, { ai: honest(), budgets });
    expect(reply.answer).toBe(`${QUOTE} (care/descale.md, How often)`);
    const usage = { calls: 1, input_tokens: 1000, output_tokens: 100, cost_usd: 0.0005 };
    expect(reply.metadata).toMatchObject({ answered_by: 'model', model: 'scripted-1', usage });
    expect(used).toMatchObject({ tokens: 1100, cost_micros: 500 });
    const { calls: _calls, ...logged } = usage;
    expect(lines.at(-1)).toMatchObject({ event: 'request', model: 'scripted-1', ...logged });
  });

  it.each(ROUTES)('respects the budget of the context at %s', async (path) => {
    const ai = honest();
    const { reply, used } = await call(path, { query: QUESTION }, { ai, budgets: { tokens: 1000 } });
    expect(reply.answer).toContain('every 60 days, or every 30 days with hard water');
    expect(reply.metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'over_budget' });
    expect(ai.calls).toHaveLength(0);
    expect(used.tokens ?? 0).toBe(0);
  });

  it.each(ROUTES)('reports failed embeddings at %s', async (path) => {
    const retrieve: Retriever = async (of, question, options) => ({
      outcome: searchEdition(of, question, options),
      semantic: 'failed',
    });
    const { reply } = await call(path, { query: QUESTION }, { retrieve });
    expect(reply.metadata).toMatchObject({ degraded: ['embeddings'] });
    expect(reply.answer).toContain('60 days');
  });

  it('returns no model metadata without a model', async () => {
    const navigated = await call('/v1/navigate', { query: QUESTION });
    // `cached` depends on earlier tests.
    const namesIn = (metadata: object) => Object.keys(metadata).filter((name) => name !== 'cached');
    expect(namesIn(navigated.reply.metadata)).toEqual(['closest']);
    const answered = await call('/librarians/navigator/ask', { query: QUESTION });
    expect(namesIn(answered.reply.metadata)).toEqual(['navigator', 'statements', 'closest']);
  });

  it('passes the previous turns to the model', async () => {
    const ai = honest();
    const history = [{ speaker: 'user', text: 'Tell me about the boiler.' }];
    await call('/librarians/navigator/ask', { query: 'How often must it be descaled?', metadata: { history } }, { ai });
    expect(ai.calls[0]?.given.history).toEqual(history);
  });

  it('refuses a call without a context', async () => {
    const app = createApp({ ...(await identityOf('navigator')), log: () => {}, editionFor: async () => edition });
    const response = await app.request('/v1/navigate', { method: 'POST', body: '{"query":"boiler"}' });
    expect(response.status).toBe(401);
  });
});
