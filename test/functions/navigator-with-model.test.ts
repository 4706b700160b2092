import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { LibrarianResponse } from '../../src/contract/response.ts';
import { type Product, startProduct } from '../../src/dev/run/product.ts';
import type { ChatScript, ScriptedAnswer } from '../../src/dev/stand-ins/openai/chat-answer.ts';
import { type OpenAIServer, startOpenAIServer } from '../../src/dev/stand-ins/openai/openai-server.ts';
import type { AskedModel } from '../navigator/scripted-model.ts';

let openai: OpenAIServer;
let product: Product;
const logged: string[] = [];

beforeAll(async () => {
  openai = await startOpenAIServer();
  product = await startProduct({
    kb: 'sample',
    port: 0,
    onLog: (line) => void logged.push(line),
    allVars: {
      OPENAI_BASE_URL: openai.url,
      OPENAI_API_KEY: openai.apiKey,
      EMBEDDING_MODEL: 'none',
      CHAT_MODEL: 'gpt-4.1-mini',
      MODEL_PRICES: JSON.stringify({ 'gpt-4.1-mini': { inputPerMillion: 0.4, outputPerMillion: 1.6 } }),
    },
  });
  await product.sync({ full: true });
}, 120_000);

afterAll(async () => {
  await product?.stop();
  await openai?.stop();
});

afterEach(() => {
  openai.faults.none();
  openai.answerWith(undefined);
  openai.forgetRequests();
});

const QUESTION = 'Can I use a normal PC power supply with my Apollo II?';

const navigate = async (query = QUESTION) => {
  const response = await product.fetch('/v1/navigate', { method: 'POST', body: JSON.stringify({ query }) });
  expect(response.status).toBe(200);
  return NavigatorResponse.parse(await response.json());
};

/** A statement copied from the first passage that has these words, said by the model. */
const saying =
  (words: string, change = (text: string) => text): ChatScript =>
  ({ messages }): ScriptedAnswer => {
    const { passages } = JSON.parse(String(messages[1]?.content)) as AskedModel['given'];
    const passage = passages.find(({ text }) => text.includes(words));
    const line = passage?.text.split(/\n/).find((text) => text.includes(words)) ?? '';
    const sentence = line.split(/(?<=\.)\s/).find((text) => text.includes(words)) ?? '';
    return {
      json: {
        statements: [{ quotes: [{ passage: passage?.passage ?? 'p1', quote: sentence }], text: change(sentence) }],
        verdict: 'answer',
        confidence: 'high',
      },
    };
  };

describe('the navigator with a model, in workerd, over HTTP', () => {
  it('answers with a grounded statement, and tells tokens and cost in metadata and log', async () => {
    openai.answerWith(saying('450 W'));
    const response = await navigate();
    expect(response.answer).toContain('450 W');
    expect(response.sources.length).toBeGreaterThan(0);
    expect(response.metadata).toMatchObject({
      answered_by: 'model',
      model: 'gpt-4.1-mini',
      usage: {
        calls: 1,
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
        cost_usd: expect.any(Number),
      },
    });
    const [sent] = openai.sent('/chat/completions');
    expect(sent).toMatchObject({
      store: false,
      response_format: { type: 'json_schema', json_schema: { strict: true } },
    });
    expect(JSON.stringify(sent)).not.toContain(product.key);
    const line = logged.findLast((each) => each.includes('"input_tokens"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      model: 'gpt-4.1-mini',
      input_tokens: expect.any(Number),
      cost_usd: expect.any(Number),
    });
    expect(line).not.toContain('power supply');
  });

  it('answers as a librarian with the same account beside the full response', async () => {
    openai.answerWith(saying('450 W'));
    const asked = await product.fetch('/v1/ask', {
      method: 'POST',
      body: JSON.stringify({ query: QUESTION, librarian: 'navigator' }),
    });
    const { metadata } = LibrarianResponse.parse(await asked.json());
    expect(metadata).toMatchObject({
      answered_by: 'model',
      navigator: { confidence: expect.any(String) },
      usage: { tokens: expect.any(Number), cost_usd: expect.any(Number), librarian: { calls: 1 } },
    });
  });

  it('sends a schema that strict mode takes, and nothing that it generates blindly gets through', async () => {
    // Without a script the server fills the schema with samples, of which none is supported.
    const response = await navigate();
    expect(openai.sent('/chat/completions').length).toBeGreaterThan(0);
    expect(response.metadata).toMatchObject({ answered_by: 'quotes' });
    expect(response.metadata?.model_refused).not.toBe('unavailable');
    expect(response.answer).toContain('450 W');
  });

  const FAILURES: [string, ChatScript, string][] = [
    ['a refusal', { refusal: 'I cannot help with that.' }, 'refused'],
    ['half a document', { text: '{"statements":[{"quotes":[{"passage":"p1","quo', finish: 'length' }, 'cut'],
    ['a filtered answer', { text: '', finish: 'content_filter' }, 'filtered'],
    ['nothing', { text: '' }, 'empty'],
    ['prose', { text: 'Yes, any power supply will do.' }, 'malformed'],
    [
      'a passage that does not exist',
      {
        json: {
          statements: [{ quotes: [{ passage: 'p99', quote: '450 W' }], text: 'Any supply of 450 W will do.' }],
          verdict: 'answer',
          confidence: 'high',
        },
      },
      'unsupported',
    ],
    ['another number', saying('450 W', (text) => text.replace('450', '900')), 'unsupported'],
    ['429', { error: { status: 429 } }, 'unavailable'],
    ['500', { error: { status: 500 } }, 'unavailable'],
  ];
  it.each(FAILURES)('quotes where the model gives %s', async (_what, script, refused) => {
    openai.answerWith(script);
    const response = await navigate();
    expect(response.metadata).toMatchObject({ answered_by: 'quotes', model_refused: refused });
    expect(response.confidenceReason).toContain('These are quotes, because');
    expect(response.answer).toContain('450 W');
    expect(response.answer).not.toContain('900');
  });

  it.each(['hang-before-headers', 'hang-in-body'] as const)('quotes before the deadline at a %s', async (kind) => {
    openai.faults.always({ kind }, '/v1/chat/completions');
    openai.answerWith(saying('450 W'));
    const begun = Date.now();
    const body = JSON.stringify({ query: QUESTION, librarian: 'navigator', timeout_ms: 2000 });
    const asked = await product.fetch('/v1/ask', { method: 'POST', body });
    const reply = LibrarianResponse.parse(await asked.json());
    expect(Date.now() - begun).toBeLessThan(2000);
    expect(reply.answer).toContain('450 W');
    expect(reply.metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'timeout', degraded: ['model'] });
  });

  it.each(['reset', 'reset-in-body', 'html-502', 'malformed-json', 'truncated-json'] as const)(
    'quotes where the service answers with a %s',
    async (kind) => {
      openai.faults.always({ kind }, '/v1/chat/completions');
      openai.answerWith(saying('450 W'));
      const response = await navigate();
      expect(response.answer).toContain('450 W');
      expect(response.metadata).toMatchObject({ model_refused: 'unavailable', degraded: ['model'] });
    },
  );
});
