import { describe, expect, it } from 'vitest';
import { createApp, type SemanticAppOptions } from '../../../src/agents/semantic/app.ts';
import { EmbeddingFailed } from '../../../src/ai/embeddings/base.ts';
import { ErrorBody } from '../../../src/contract/error-info.ts';
import { KnowledgeStats } from '../../../src/contract/knowledge-search.ts';
import { MeaningReply, type MeaningRequest } from '../../../src/contract/meaning.ts';
import { floatsOf } from '../../../src/search/float-text.ts';
import { StoreUnavailable } from '../../../src/storage/store-unavailable.ts';
import { openSmallKb } from '../../navigator/small-kb.ts';
import { callFrom, identityOf, notebook, targetOf, userContext } from '../../runtime/neighbours.ts';

const { edition } = openSmallKb();
const identity = await identityOf('semantic');

const asked = async (
  parts: Partial<SemanticAppOptions>,
  { body = { text: 'How often is it descaled?', wants: 'vector' } as MeaningRequest, capabilities = ['kb:read'] } = {},
) => {
  const { log, text } = notebook();
  const app = createApp({ ...identity, log, editionFor: async () => edition, ...parts });
  const request = { to: 'semantic', path: '/meaning', body: JSON.stringify(body) };
  const context = userContext({ capabilities });
  const { answer } = await callFrom('gateway', context, { targets: { semantic: targetOf(app).target }, request });
  if (!answer.ok) throw new Error(`There is no answer: ${answer.error.code}`);
  return { status: answer.status, json: answer.json(), logged: text() };
};

const codeOf = (json: unknown) => ErrorBody.parse(json).error.code;

describe('POST /meaning', () => {
  it('tells the vector of a text, or what is closest to it', async () => {
    const meaningOf: SemanticAppOptions['meaningOf'] = async (_, { wants, workspace }) => ({
      ...{ model: 'm', dimensions: 2 },
      ...(wants === 'vector' ? { vector: [0.5, -1] } : { hits: [{ id: `${workspace}-1`, similarity: 0.75 }] }),
    });
    const { vector = '', ...rest } = MeaningReply.parse((await asked({ meaningOf })).json);
    expect([rest, floatsOf(vector, 2)]).toEqual([{ model: 'm', dimensions: 2 }, [0.5, -1]]);
    const { json } = await asked({ meaningOf }, { body: { text: 'x', wants: 'hits' } });
    expect(json).toEqual({ model: 'm', dimensions: 2, hits: [{ id: 'default-1', similarity: 0.75 }] });
  });

  it.each([
    ['model', new EmbeddingFailed('unavailable', 'Cannot embed: "How often is it descaled?"')],
    ['index', new StoreUnavailable('rate_limited', 'Cannot search vectors: status is 429')],
  ])('says that a source failed when the %s does, and logs no text', async (_, error) => {
    const { status, json, logged } = await asked({ meaningOf: async () => Promise.reject(error) });
    expect([status, codeOf(json)]).toEqual([502, 'DATA_SOURCE_ERROR']);
    expect(logged).toContain('"code":"DATA_SOURCE_ERROR"');
    expect(logged).not.toContain('descaled');
  });

  it('says that there is no model where there is none, and tells nothing without the right to read', async () => {
    expect((await asked({})).status).toBe(404);
    expect((await asked({}, { capabilities: ['sql:read'] })).status).toBe(401);
  });

  it.each([
    { text: '', wants: 'vector' },
    { text: 'x'.repeat(4001), wants: 'hits' },
    { text: 'x', wants: 'both' },
  ])('refuses %o', async (body) => {
    const { status, json } = await asked(
      { meaningOf: async () => ({ model: 'm', dimensions: 1 }) },
      // As somebody might send it.
      { body: body as MeaningRequest },
    );
    expect([status, codeOf(json)]).toEqual([400, 'INVALID_QUERY']);
  });
});

describe('GET /v1/knowledge/stats', () => {
  it('tells how questions of the workspace became vectors, and nothing of others', async () => {
    const figures = { hits: 3, storeHits: 1, misses: 4, coalesced: 0, failures: 0, storeFaults: 0 };
    const none = { hits: 0, storeHits: 0, misses: 0, coalesced: 0, failures: 0, storeFaults: 0 };
    const app = createApp({
      ...identity,
      log: notebook().log,
      editionFor: async () => edition,
      statistics: (workspace) => (workspace === 'acme' ? figures : none),
    });
    const statsOf = async (workspace: string) => {
      const context = { ...userContext({ capabilities: ['kb:read'] }), workspace };
      const request = { to: 'semantic', method: 'GET', path: '/v1/knowledge/stats' };
      const { answer } = await callFrom('gateway', context, { targets: { semantic: targetOf(app).target }, request });
      return KnowledgeStats.parse(answer.ok ? answer.json() : answer).embedding_cache;
    };
    expect(await statsOf('acme')).toMatchObject({ hits: 3, store_hits: 1, misses: 4, hit_rate: 0.5 });
    expect(await statsOf('globex')).toMatchObject({ hits: 0, store_hits: 0, misses: 0, hit_rate: 0 });
  });
});
