import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LibrarianResponse } from '../../src/contract/core/response.ts';
import type { Product } from '../../tools/run/product.ts';
import {
  type OpenAIServer,
  startOpenAIServer,
} from '../../tools/stand-ins/openai/openai-server.ts';
import { PROVIDERS } from '../../tools/stand-ins/openai/providers.ts';
import { quotingModel } from '../../tools/stand-ins/quoting-model.ts';
import { send, startEmbedded } from './product-for-test.ts';

/** The two that differ most from OpenAI, each with both kinds of models; the others run in test/ai/providers.test.ts. */
const HARDEST = PROVIDERS.filter(({ name }) =>
  ['Ollama', 'a gateway that says nothing'].includes(name),
);

const ask = async (product: Product, query: string) => {
  const response = await send(product, 'POST /v1/ask', { query });
  return LibrarianResponse.parse(await response.json());
};

describe.each(HARDEST)('the product on $name', (provider) => {
  let server: OpenAIServer;
  let product: Product;
  beforeAll(async () => {
    server = await startOpenAIServer({ provider, apiKey: 'local' });
    server.answerWith(quotingModel);
    product = await startEmbedded({
      functions: ['library', 'navigator', 'memory'],
      adapters: {
        OPENAI_BASE_URL: server.url,
        CHAT_MODEL: provider.chat?.model,
        EMBEDDING_MODEL: provider.embeddings?.model,
        EMBEDDING_DIMENSIONS: `${provider.embeddings?.dimensions}`,
      },
    });
  }, 400_000);
  afterAll(async () => {
    await product?.stop();
    await server?.stop();
  });

  it('embeds all articles, and answers with the model', async () => {
    const { last_report: report } = await product.sync({ full: true });
    expect(report).toMatchObject({ outcome: 'published' });
    expect(report?.warnings).toEqual([]);
    const reply = await ask(product, 'Can I use a normal PC power supply with my Apollo II?');
    expect(reply).toMatchObject({ metadata: { answered_by: 'model' } });
    expect(reply.metadata).not.toHaveProperty('model_refused');
  });
  it('is asked in the known form from then on', async () => {
    server.forgetRequests();
    expect(await ask(product, 'How loud is the Apollo III in Turbo mode?')).toMatchObject({
      metadata: { answered_by: 'model' },
    });
    // One for the answer, and at most one each for queries, the judge and routing.
    expect(server.sent('/chat/completions').length).toBeLessThanOrEqual(4);
  });
});
