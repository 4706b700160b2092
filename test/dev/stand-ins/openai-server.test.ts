import OpenAI from 'openai';
import { ContentFilterFinishReasonError, LengthFinishReasonError } from 'openai/error';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type OpenAIServer, startOpenAIServer } from '../../../src/dev/stand-ins/openai/openai-server.ts';

let server: OpenAIServer;
/** The client as it is published, but that it does not repeat by itself. */
let client: OpenAI;
beforeAll(async () => {
  server = await startOpenAIServer({ dimensions: 96 });
  client = new OpenAI({ apiKey: server.apiKey, baseURL: server.url, organization: null, project: null, maxRetries: 0 });
});
afterEach(() => {
  server.faults.none();
  server.forgetRequests();
  server.answerWith(undefined);
});
afterAll(() => server.stop());

const failureOf = async (call: PromiseLike<unknown>): Promise<unknown> => {
  const error = await Promise.resolve(call).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OpenAI.APIError);
  return error;
};
/** Also what the client's types forbid. */
const embed = (more: object = {}): Promise<OpenAI.CreateEmbeddingResponse> =>
  client.embeddings.create({ model: 'text-embedding-3-small', input: 'text', ...more } as OpenAI.EmbeddingCreateParams);
const product = (a: number[] = [], b: number[] = []): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

it('lists its models for a valid key', async () => {
  const ids = (await Array.fromAsync(client.models.list())).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(['text-embedding-3-small', 'gpt-4.1-mini-2025-04-14']));
  expect(await failureOf(client.models.retrieve('gpt-2'))).toMatchObject({ status: 404, code: 'model_not_found' });
  const wrong = new OpenAI({ apiKey: 'sk-wrong', baseURL: server.url, maxRetries: 0 });
  const refused = { status: 401, code: 'invalid_api_key', type: 'invalid_request_error' };
  expect(await failureOf(wrong.models.list())).toMatchObject(refused);
  expect(await failureOf(client.get('/engines'))).toMatchObject({ status: 404 });
});

describe('/v1/embeddings, asked by the official client', () => {
  it.each([
    [{}, 1536],
    [{ dimensions: 256 }, 256],
    [{ model: 'text-embedding-3-large' }, 3072],
    [{ model: 'text-embedding-ada-002' }, 1536],
    [{ model: 'local-embedding' }, 96],
  ])('are unit vectors: %j has %i numbers', async (more, dimensions) => {
    const { data, usage } = await embed({ input: ['one text', 'two texts'], ...more });
    expect(data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
      [0, dimensions],
      [1, dimensions],
    ]);
    for (const { embedding } of data) expect(product(embedding, embedding)).toBeCloseTo(1, 5);
    expect(usage.prompt_tokens).toBeGreaterThan(0);
  });
  it('are the same in base64 and as numbers, on every server', async () => {
    const [base64, floats] = [await embed(), await embed({ encoding_format: 'float' })];
    expect(floats.data).toEqual(base64.data);
    expect(server.sent('/embeddings')).toMatchObject([{ encoding_format: 'base64' }, { encoding_format: 'float' }]);
    const other = await startOpenAIServer();
    const there = new OpenAI({ apiKey: other.apiKey, baseURL: other.url }).embeddings;
    expect((await there.create({ model: 'text-embedding-3-small', input: 'text' })).data).toEqual(base64.data);
    await other.stop();
  });

  const many = (count: number, text: string) => Array.from({ length: count }, () => text);
  it.each<[string, object]>([
    ['an empty text among others', { input: ['a', ''] }],
    ['no text', { input: [] }],
    ['more than 2048 texts', { input: many(2049, 'a') }],
    ['a text of more than 8192 tokens', { input: 'kettle '.repeat(8193) }],
    ['a text of many megabytes', { input: 'a'.repeat(5_000_000) }],
    ['more than 300,000 tokens', { input: many(60, 'kettle '.repeat(5100)) }],
    ['a number', { input: 5 }],
    ['an unknown member', { truncate: true }],
    ['too many dimensions', { dimensions: 1537 }],
    ['dimensions of a model with a fixed number', { model: 'text-embedding-ada-002', dimensions: 1536 }],
    ['an unknown encoding', { encoding_format: 'int8' }],
  ])('refuse %s', async (_, more) => {
    expect(await failureOf(embed(more))).toBeInstanceOf(OpenAI.BadRequestError);
  });
  it.each(['gpt-4.1-mini', 'no-such-model'])('reject the model %s', async (model) => {
    expect(await failureOf(embed({ model }))).toMatchObject({ status: 404, code: 'model_not_found' });
  });
});

describe('faults, as the official client sees them', () => {
  it('apply to the path that they name, and x-should-retry: false stops the retries of the client', async () => {
    const retrying = client.withOptions({ maxRetries: 2 }).embeddings;
    server.faults.next(1, { kind: 'status', status: 500, headers: { 'retry-after-ms': '1' } }, '/v1/embeddings');
    await client.models.list();
    await retrying.create({ model: 'local-embedding', input: 'a' });
    expect(server.sent('/embeddings')).toHaveLength(2);
    server.faults.always({ kind: 'status', status: 503, headers: { 'x-should-retry': 'false' } });
    await failureOf(retrying.create({ model: 'local-embedding', input: 'a' }));
    expect(server.sent('/embeddings')).toHaveLength(3);
  });
});

describe('/v1/chat/completions, asked by the official client', () => {
  const MESSAGES = [{ role: 'user' as const, content: 'How warm?\n\nThe kettle heats water to 95 °C. It then rests.' }];
  const Answer = z.object({
    answer: z.string(),
    confidence: z.enum(['high', 'medium', 'low']),
    sources: z.array(z.object({ file: z.string(), line: z.int().nullable() })),
    isOutOfDomain: z.boolean(),
  });
  const create = (more: object = {}) =>
    client.chat.completions.create({
      model: 'gpt-4.1-mini',
      messages: MESSAGES,
      ...more,
    } as OpenAI.ChatCompletionCreateParamsNonStreaming);
  const textOf = async (more: object = {}) => (await create(more)).choices[0]?.message.content;
  const parse = () =>
    client.chat.completions.parse({
      model: 'gpt-4.1-mini',
      messages: MESSAGES,
      response_format: zodResponseFormat(Answer, 'answer'),
    });
  it('quotes its input when nothing is scripted, also in a zod schema', async () => {
    const { usage, ...completion } = await create();
    expect(completion).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      model: 'gpt-4.1-mini-2025-04-14',
      choices: [{ message: { content: 'The kettle heats water to 95 °C.', refusal: null }, finish_reason: 'stop' }],
    });
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens || Number.NaN) + (usage?.completion_tokens || Number.NaN));
    expect((await parse()).choices[0]?.message.parsed).toEqual({
      answer: 'The kettle heats water to 95 °C.',
      confidence: 'high',
      sources: [{ file: 'The kettle heats water to 95 °C.', line: expect.any(Number) }],
      isOutOfDomain: false,
    });
  });
  it('gives one scripted answer per valid request, then the configured one', async () => {
    server.script('one', { text: 'two' }, async ({ messages }) => `you wrote ${messages.length}`);
    server.answerWith(({ model }) => ({ json: { model } }));
    await failureOf(create({ temperature: 3 }));
    const texts = [await textOf(), await textOf(), await textOf(), await textOf({ model: 'gpt-4o' })];
    expect(texts).toEqual(['one', 'two', 'you wrote 1', '{"model":"gpt-4o"}']);
  });
  it('returns refusals, cut and filtered answers and errors in the form that the client parses', async () => {
    server.script({ refusal: 'No.' });
    expect((await parse()).choices[0]?.message).toMatchObject({ refusal: 'No.', parsed: null, content: null });
    server.script({ text: '{"answer":"ha', finish: 'length' }, { text: '', finish: 'content_filter' }, '{"answer": ');
    await expect(parse()).rejects.toThrow(LengthFinishReasonError);
    await expect(parse()).rejects.toThrow(ContentFilterFinishReasonError);
    await expect(parse()).rejects.toThrow(SyntaxError);
    server.script({ error: { status: 429, headers: { 'retry-after': '7' } } });
    expect(await failureOf(create())).toMatchObject({ status: 429 });
  });

  const image = { type: 'image_url', image_url: { url: 'https://example.com/i.png' } };
  it.each<[string, object, string | null]>([
    ['no message', { messages: [] }, 'messages'],
    ['an unknown role', { messages: [{ role: 'robot', content: '' }] }, 'messages.0.role'],
    ['an image', { messages: [{ role: 'user', content: [image] }] }, 'messages.0.content'],
    ['an unknown member', { max_output_tokens: 5 }, null],
    ['a temperature above 2', { temperature: 2.1 }, 'temperature'],
    ['a text for a number', { temperature: '0' }, 'temperature'],
    ['max_tokens of an o-series model', { model: 'o4-mini', max_tokens: 5 }, 'max_tokens'],
    ['a temperature of an o-series model', { model: 'o3', temperature: 0 }, 'temperature'],
    ['a reasoning effort for a model without reasoning', { reasoning_effort: 'low' }, null],
    ['more than the model can read', { messages: [{ role: 'user', content: 'x'.repeat(4_300_000) }] }, 'messages'],
  ])('refuses %s', async (_, more, param) => {
    const error = await failureOf(create(more));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect((error as { param?: string }).param ?? null).toBe(param); // as the line above found
  });
  it.each(['gpt-2', 'text-embedding-3-small'])('rejects the model %s', async (model) => {
    expect(await failureOf(create({ model }))).toMatchObject({ status: 404, code: 'model_not_found' });
  });
});
