import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { strictSchemaProblem } from '../../../tools/stand-ins/openai/check-strict-schema.ts';
import {
  type OpenAIServer,
  startOpenAIServer,
} from '../../../tools/stand-ins/openai/openai-server.ts';
import { sampleOfSchema } from '../../../tools/stand-ins/openai/sample-of-schema.ts';

let server: OpenAIServer;
/** The client as it is published, but that it does not repeat by itself. */
let client: OpenAI;
beforeAll(async () => {
  server = await startOpenAIServer({ dimensions: 96 });
  client = new OpenAI({
    apiKey: server.apiKey,
    baseURL: server.url,
    organization: null,
    project: null,
    maxRetries: 0,
  });
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
const UNKNOWN_MODEL = { status: 404, code: 'model_not_found' };

describe('/v1/embeddings, asked by the official client', () => {
  /** Also what the client's types forbid. */
  const embed = (more: object = {}): Promise<OpenAI.CreateEmbeddingResponse> =>
    client.embeddings.create({
      model: 'text-embedding-3-small',
      input: 'text',
      ...more,
    } as OpenAI.EmbeddingCreateParams);
  const product = (a: number[] = [], b: number[] = []): number =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

  it.each([
    [{}, 1536],
    [{ dimensions: 256 }, 256],
    [{ model: 'text-embedding-3-large' }, 3072],
    [{ model: 'local-embedding' }, 96],
  ])('are unit vectors: %j has %i numbers', async (more, dimensions) => {
    const { data, usage } = await embed({ input: ['one text', 'two texts'], ...more });
    expect(data.map(({ index }) => index)).toEqual([0, 1]);
    for (const { embedding } of data) {
      expect(embedding).toHaveLength(dimensions);
      expect(product(embedding, embedding)).toBeCloseTo(1, 5);
    }
    expect(usage.prompt_tokens).toBeGreaterThan(0);
  });
  it('are the same in base64 and as numbers', async () => {
    const [base64, floats] = [await embed(), await embed({ encoding_format: 'float' })];
    expect(floats.data).toEqual(base64.data);
    expect(server.sent('/embeddings')).toMatchObject([
      { encoding_format: 'base64' },
      { encoding_format: 'float' },
    ]);
  });

  const many = (count: number, text: string) => Array.from({ length: count }, () => text);
  it.each<[string, object]>([
    ['an empty text among others', { input: ['a', ''] }],
    ['no text', { input: [] }],
    ['more than 2048 texts', { input: many(2049, 'a') }],
    ['a text of more than 8192 tokens', { input: 'kettle '.repeat(8193) }],
    ['a text of many megabytes', { input: 'a'.repeat(5_000_000) }],
    ['more than 300,000 tokens', { input: many(60, 'kettle '.repeat(5100)) }],
    ['an unknown member', { truncate: true }],
    ['too many dimensions', { dimensions: 1537 }],
    [
      'dimensions of a model with a fixed number',
      { model: 'text-embedding-ada-002', dimensions: 1536 },
    ],
  ])('refuse %s', async (_, more) => {
    expect(await failureOf(embed(more))).toBeInstanceOf(OpenAI.BadRequestError);
  });
  it('reject a model of another kind', async () => {
    expect(await failureOf(embed({ model: 'gpt-4.1-mini' }))).toMatchObject(UNKNOWN_MODEL);
  });
});

describe('/v1/chat/completions, asked by the official client', () => {
  const MESSAGES = [
    {
      role: 'user' as const,
      content: 'How warm?\n\nThe kettle heats water to 95 °C. It then rests.',
    },
  ];
  const Answer = z.object({
    answer: z.string(),
    confidence: z.enum(['high', 'medium', 'low']),
    sources: z.array(z.object({ file: z.string(), line: z.int().nullable() })),
    isOutOfDomain: z.boolean(),
  });
  const REQUEST = { model: 'gpt-4.1-mini', messages: MESSAGES };
  const create = (more: object = {}) =>
    client.chat.completions.create({
      ...REQUEST,
      ...more,
    } as OpenAI.ChatCompletionCreateParamsNonStreaming);

  it('quotes its input in the form of a zod schema when nothing is scripted', async () => {
    const { choices, usage } = await client.chat.completions.parse({
      ...REQUEST,
      response_format: zodResponseFormat(Answer, 'answer'),
    });
    const answer = 'The kettle heats water to 95 °C.';
    expect(choices[0]?.message.parsed).toEqual({
      answer,
      confidence: 'high',
      isOutOfDomain: false,
      sources: [{ file: answer, line: expect.any(Number) }],
    });
    expect(usage?.total_tokens).toBe(
      (usage?.prompt_tokens || Number.NaN) + (usage?.completion_tokens || Number.NaN),
    );
  });
  it('keeps its script when it refuses a request', async () => {
    server.script('one');
    await failureOf(create({ temperature: 3 }));
    expect((await create()).choices[0]?.message.content).toBe('one');
  });

  const image = { type: 'image_url', image_url: { url: 'https://example.com/i.png' } };
  it.each<[string, object, string | null]>([
    ['no message', { messages: [] }, 'messages'],
    ['an unknown role', { messages: [{ role: 'robot', content: '' }] }, 'messages.0.role'],
    ['an image', { messages: [{ role: 'user', content: [image] }] }, 'messages.0.content'],
    ['an unknown member', { max_output_tokens: 5 }, null],
    ['a temperature above 2', { temperature: 2.1 }, 'temperature'],
    ['max_tokens of an o-series model', { model: 'o4-mini', max_tokens: 5 }, 'max_tokens'],
    ['a temperature of an o-series model', { model: 'o3', temperature: 0 }, 'temperature'],
    ['a reasoning effort for a model without reasoning', { reasoning_effort: 'low' }, null],
    [
      'more than the model can read',
      { messages: [{ role: 'user', content: 'x'.repeat(4_300_000) }] },
      'messages',
    ],
  ])('refuses %s', async (_, more, param) => {
    const error = await failureOf(create(more));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect((error as { param?: string }).param ?? null).toBe(param); // as the line above found
  });
  it('rejects a model of another kind', async () => {
    expect(await failureOf(create({ model: 'text-embedding-3-small' }))).toMatchObject(
      UNKNOWN_MODEL,
    );
  });
});

describe('the schema of an answer', () => {
  const text = { type: 'string' };
  const object = (properties: Record<string, unknown>, more: object = {}) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  });
  it.each<[string, unknown, RegExp]>([
    ['is missing', undefined, /type: "object"/],
    ['is a list', { type: 'array', items: text }, /got 'type: "array"'/],
    ['is a choice', { anyOf: [object({})] }, /'anyOf' is not permitted/],
    ['is open', { type: 'object', properties: {}, required: [] }, /additionalProperties/],
    ['has an optional member', object({ a: text }, { required: [] }), /Missing 'a'/],
    [
      'requires an undeclared member',
      object({ a: text }, { required: ['a', 'b'] }),
      /Extra required key 'b'/,
    ],
    [
      'is open inside',
      object({ a: { type: 'array', items: { type: 'object' } } }),
      /'properties', 'a', 'items', \)/,
    ],
    [
      'has a maximum length',
      object({ a: { ...text, maxLength: 5 } }),
      /'maxLength' is not permitted/,
    ],
    ['has oneOf', object({ a: { oneOf: [text] } }), /'oneOf' is not permitted/],
    [
      'has uniqueItems',
      object({ a: { type: 'array', items: text, uniqueItems: true } }),
      /'uniqueItems'/,
    ],
    [
      'has a format that is not supported',
      object({ a: { ...text, format: 'uri' } }),
      /'uri' is not a valid format/,
    ],
    ['has a list without items', object({ a: { type: 'array' } }), /missing items/],
    ['has a member without a type', object({ a: {} }), /must have a 'type' key/],
    ['has an unknown type', object({ a: { type: 'text' } }), /'text' is not a valid type/],
    ['refers to nowhere', object({ a: { $ref: '#/$defs/gone' } }), /not found/],
    ['has an empty enum', object({ a: { type: 'string', enum: [] } }), /enum/],
  ])('is refused when it %s', (_, schema, problem) => {
    expect(strictSchemaProblem(schema)).toMatch(problem);
  });
  it('is accepted as the zod helper generates it, and has a valid sample', () => {
    const Part = z.object({
      file: z.string(),
      line: z.int().min(1).max(9),
      kind: z.enum(['a', 'b']),
    });
    const Whole = z.object({
      text: z.string(),
      maybe: z.string().nullable(),
      flag: z.boolean(),
      parts: z.array(Part).min(2).max(3),
      none: z.array(z.string()).max(0),
      when: z.iso.date(),
      at: z.iso.datetime(),
      choice: z.union([z.literal('yes'), Part]),
      score: z.number().min(0).max(1),
      below: z.number().max(-1),
    });
    const { schema = {} } = zodResponseFormat(Whole, 'whole').json_schema;
    expect(strictSchemaProblem(schema)).toBeUndefined();
    expect(Whole.safeParse(sampleOfSchema(schema, 'words'))).toMatchObject({
      success: true,
      data: { text: 'words' },
    });
  });
});
