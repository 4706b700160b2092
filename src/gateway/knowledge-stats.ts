import type { Context } from 'hono';
import { readAs } from '../contract/core/error-info.ts';
import { type EmbeddingCacheCounts, KnowledgeStats } from '../contract/wire/knowledge.ts';
import type { SignedClient } from '../platform/context/signed-client.ts';
import { demand, workspaceOf } from './access/authenticate.ts';
import { forward } from './access/forward.ts';
import type { GatewayEnv } from './access/request-log.ts';

/** The functions that embed queries: searches and answers about documents, and retrieval for tickets. */
const FUNCTIONS = ['semantic', 'support'] as const;

/** `GET /v1/knowledge/stats`: the caches of all functions together and each alone; one that cannot be asked is omitted. */
export function createKnowledgeStats({ client }: { client: SignedClient }) {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const key = c.get('apiKey');
    demand(key, 'kb:read');
    const namedWorkspace = c.req.query('workspace_id');
    const workspace = workspaceOf(key, namedWorkspace);
    const call = {
      path: '/v1/knowledge/stats',
      workspace,
      namedWorkspace,
      capabilities: ['kb:read'],
    };
    const replies = await Promise.all(
      FUNCTIONS.map(async (to) => {
        const reply = await forward(c, client, { ...call, to, signal: c.req.raw.signal });
        return { to, reply };
      }),
    );
    const [first] = replies;
    if (first !== undefined && replies.every(({ reply }) => !reply.ok)) return first.reply;
    const caches = await Promise.all(
      replies.map(async ({ to, reply }) => {
        const read = reply.ok ? readAs(KnowledgeStats, await reply.json()) : undefined;
        return read?.ok ? [{ to, counts: read.value.embedding_cache }] : [];
      }),
    );
    c.set('outcome', undefined);
    return c.json(joined(caches.flat()));
  };
}

const joined = (
  caches: readonly { to: string; counts: EmbeddingCacheCounts | null }[],
): KnowledgeStats => {
  const known = caches.flatMap(({ counts }) => counts ?? []);
  const sum = (name: Exclude<keyof EmbeddingCacheCounts, 'hit_rate'>) =>
    known.reduce((total, counts) => total + counts[name], 0);
  const counts = {
    hits: sum('hits'),
    store_hits: sum('store_hits'),
    coalesced: sum('coalesced'),
    misses: sum('misses'),
    failures: sum('failures'),
    store_faults: sum('store_faults'),
  };
  const saved = counts.hits + counts.store_hits + counts.coalesced;
  const hitRate = saved + counts.misses === 0 ? 0 : saved / (saved + counts.misses);
  return {
    embedding_cache: known.length === 0 ? null : { ...counts, hit_rate: hitRate },
    by_function: Object.fromEntries(caches.map(({ to, counts: own }) => [to, own])),
  };
};
