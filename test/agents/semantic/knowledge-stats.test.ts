import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/agents/semantic/semantic-agent.ts';
import { KnowledgeStats } from '../../../src/contract/knowledge.ts';
import { openSmallKb } from '../../navigator/small-kb.ts';
import { callFrom, identityOf, notebook, targetOf, userContext } from '../../signing/callers.ts';

const { edition } = openSmallKb();
const identity = await identityOf('semantic');

describe('GET /v1/knowledge/stats', () => {
  it("reports the embedding cache of the caller's workspace only", async () => {
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
