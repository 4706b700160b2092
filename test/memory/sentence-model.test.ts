import { beforeAll, describe, expect, it } from 'vitest';
import { cl100k, loadTokenizer } from '../../src/ai/tokenizer.ts';
import { ContextResult } from '../../src/contract/context-engine.ts';
import { Facts, MemorySearchResponse } from '../../src/contract/memory.ts';
import { sentenceModel } from '../../src/dev/eval/sentence-model.ts';
import { createApp } from '../../src/memory/app.ts';
import { createEngines } from '../../src/memory/search-memories.ts';
import { readMemoryQuotas } from '../../src/memory/store-memory.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { localDirectory, localSigner } from '../../src/signing/identity.ts';
import { originate } from '../../src/signing/request-context.ts';
import { embeddedStore } from '../storage/memory-stores.ts';
import { ledgerForTest } from './ledger-for-test.ts';

const MEMORIES = '/v1/workspaces/acme/memories';
const LOGIN = 'I cannot remember my login and need to reset it';
const CONTENTS = [
  LOGIN,
  'The invoice for March has not been paid yet',
  'The fan of the machine makes a lot of noise at night',
  'Parcels to Canada take about a week',
  'We eat lunch at noon in the big kitchen',
];
/** Has no word in common with the matching memory. */
const QUESTION = 'How do I get a new password?';

const embeddings = sentenceModel();
let call: (below: string, body: object) => Promise<unknown>;

/** The memory function on SQLite with a real sentence model. */
beforeAll(async () => {
  const { store } = await embeddedStore();
  const directory = await localDirectory();
  const ledger = ledgerForTest();
  const app = createApp({
    guard: { signer: await localSigner('memory'), directory, log: () => undefined },
    ...{ store, embeddings, quotas: readMemoryQuotas({}, 'embedded') },
    engines: createEngines({ store, embeddings, tokenizer: () => loadTokenizer('gpt-4', [cl100k]) }),
    ledgerOf: () => ledger,
  });
  const targets = { memory: { fetch: async (request: Request) => app.request(request) } };
  const gateway = signedClient({ self: 'gateway', signer: await localSigner('gateway'), directory, targets });
  call = async (below, body) => {
    const about = { self: 'gateway', subject: 'user:ada', workspace: 'acme', authentication: 'key' };
    const rights = { capabilities: ['memory:read', 'memory:write'], timeoutMs: 30_000, now: Date.now() };
    const path = `${MEMORIES}${below}`;
    const answer = await gateway.call(originate({ ...about, ...rights }), {
      ...{ to: 'memory', path, body: JSON.stringify(body), signal: new AbortController().signal },
    });
    if (!answer.ok || answer.status >= 400) throw new Error(`${below} failed: ${JSON.stringify(answer)}`);
    return answer.json();
  };
  for (const content of CONTENTS) await call('', { type: 'fact', content, person_id: 'p-1' });
});

const search = async (body: object) => {
  const { results, degraded } = MemorySearchResponse.parse(await call('/search', body));
  expect(degraded).toBeUndefined();
  return results;
};

describe('memories with a sentence model', () => {
  it('are found by meaning, the most similar first', async () => {
    const [first, second] = await search({ query: QUESTION });
    expect(first?.memory.content).toBe(LOGIN);
    expect(first?.score).toBeGreaterThan((second?.score ?? 1) + 0.05);
  });

  it('are found by a vector', async () => {
    const vector = await embeddings.embed('What does delivery abroad cost in time?');
    const results = await search({ vector, options: { limit: 2 } });
    expect(results[0]?.memory.content).toBe('Parcels to Canada take about a week');
    expect(results).toHaveLength(2);
  });

  it('make a context, by text and by vector', async () => {
    const options = { limit: 1, tokenBudget: 60, ranker: 'similarity' };
    const byText = ContextResult.parse(await call('/context', { query: QUESTION, options }));
    const vector = await embeddings.embed(QUESTION);
    const byVector = ContextResult.parse(await call('/context', { vector, options }));
    const context = `Relevant context from past conversations:\n\n- ${LOGIN}\n`;
    expect([byText.context, byVector.context]).toEqual([context, context]);
    expect(byText).toMatchObject({ tokenizer: 'cl100k_base', truncated: false });
  });

  it('are ranked by meaning as facts about the user', async () => {
    const { facts } = Facts.parse(await call('/facts', { query: QUESTION, person_id: 'p-1', token_budget: 12 }));
    expect(facts).toEqual([LOGIN]);
  });
});
