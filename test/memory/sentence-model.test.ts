import { beforeAll, describe, expect, it } from 'vitest';
import { sentenceModel } from '../../research/eval/sentence-model.ts';
import { cl100k, loadTokenizer } from '../../src/ai/tokenizer.ts';
import { ContextResult } from '../../src/contract/wire/context-engine.ts';
import { Facts, MemorySearchResponse } from '../../src/contract/wire/memory.ts';
import { createEngines } from '../../src/memory/search-memories.ts';
import { gatewayTo, memoryApp } from './memory-for-test.ts';
import { embeddedStore } from './store/memory-stores.ts';

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

/** The memory function on SQLite with a real sentence model. */
describe('memories with a sentence model', () => {
  const embeddings = sentenceModel();
  let call: (below: string, body: object) => Promise<unknown>;
  beforeAll(async () => {
    const { store } = await embeddedStore();
    const engines = createEngines({
      store,
      embeddings,
      tokenizer: () => loadTokenizer('gpt-4', [cl100k]),
    });
    const gateway = await gatewayTo(await memoryApp({ store, embeddings, engines }));
    call = async (below, body) => (await gateway(`POST /memories${below}`, body)).json;
    for (const content of CONTENTS) await call('', { type: 'fact', content, person_id: 'p-1' });
  });
  const search = async (body: object) => {
    const { results, degraded } = MemorySearchResponse.parse(await call('/search', body));
    expect(degraded).toBeUndefined();
    return results;
  };
  it('are found by meaning, the most similar first', async () => {
    const [first, second] = await search({ query: QUESTION });
    expect(first?.memory.content).toBe(LOGIN);
    expect(first?.score).toBeGreaterThan((second?.score ?? 1) + 0.05);
  });
  it('are found by a vector', async () => {
    const vector = await embeddings.embed('What does delivery abroad cost in time?');
    const results = await search({ vector, options: { limit: 2 } });
    expect(results).toMatchObject([
      { memory: { content: 'Parcels to Canada take about a week' } },
      {},
    ]);
  });
  it('make a context, by text and by vector', async () => {
    const options = { limit: 1, tokenBudget: 60, ranker: 'similarity' };
    const context = `Relevant context from past conversations:\n\n- ${LOGIN}\n`;
    for (const target of [{ query: QUESTION }, { vector: await embeddings.embed(QUESTION) }]) {
      const built = ContextResult.parse(await call('/context', { ...target, options }));
      expect(built).toMatchObject({ context, tokenizer: 'cl100k_base', truncated: false });
    }
  });
  it('are ranked by meaning as facts about the user', async () => {
    const { facts } = Facts.parse(
      await call('/facts', { query: QUESTION, person_id: 'p-1', token_budget: 12 }),
    );
    expect(facts).toEqual([LOGIN]);
  });
});
