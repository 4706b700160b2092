import { fileURLToPath } from 'node:url';
import type { Miniflare } from 'miniflare';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../tools/build/bundle-function.ts';
import {
  NATIVE_CHAT,
  OPENAI_CHAT,
  startWorkersAI,
} from '../../tools/stand-ins/cloudflare/workers-ai.ts';
import { oneWorker } from '../platform/storage/worker-for-test.ts';

const server = await startWorkersAI();
let miniflare: Miniflare;
beforeAll(async () => {
  const contents = await bundle(
    fileURLToPath(new URL('workers-ai-in-workerd.ts', import.meta.url)),
  );
  // The binding that deployed functions have, with the code of workerd; only what it sends goes to this machine.
  miniflare = oneWorker(contents, {
    ai: { binding: 'AI', remoteProxyConnectionString: new URL(server.url) },
  });
});
afterEach(() => {
  server.faults.none();
  server.refuseAll(undefined);
  server.forgetRuns();
});
afterAll(async () => {
  await miniflare.dispose();
  await server.stop();
});

const run = async (asked: object): Promise<unknown> => {
  const response = await miniflare.dispatchFetch('http://localhost/', {
    method: 'POST',
    body: JSON.stringify(asked),
  });
  return response.json();
};
const SCHEMA = {
  name: 'greeting',
  schema: {
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
    additionalProperties: false,
  },
};
const chat = (more: object = {}, variables: object = {}) =>
  run({ variables, chat: { content: 'Say grüße', ...more } });
const OBJECT = { json: { word: 'Grüße 😀' } };
const json = (text: string) => JSON.parse(text) as unknown;

describe.each([
  ['its own interface', NATIVE_CHAT],
  ["OpenAI's interface", OPENAI_CHAT],
])('a chat model of Workers AI with %s', (_, model) => {
  const variables = { CHAT_MODEL: model };
  it('completes, and tells its tokens', async () => {
    server.answerWith('Grüße 😀');
    const usage = { inputTokens: expect.any(Number), outputTokens: expect.any(Number) };
    expect(await chat({}, variables)).toMatchObject({ text: 'Grüße 😀', finish: 'stop', usage });
    expect(server.runs(model)).toEqual([{ messages: [{ role: 'user', content: 'Say grüße' }] }]);
  });
  it('streams', async () => {
    const text = `Grüße 😀 ${'und mehr davon '.repeat(20)}`;
    server.answerWith(text);
    const reply = (await chat({ isStreamed: true }, variables)) as { pieces: string[] };
    expect(reply).toMatchObject({
      text,
      finish: 'stop',
      usage: { outputTokens: expect.any(Number) },
    });
    expect(reply.pieces.join('')).toBe(text);
    expect(server.runs(model)).toMatchObject([{ stream: true }]);
  });
  it('replies with the object of a schema, in one piece', async () => {
    server.answerWith(OBJECT);
    const reply = (await chat(
      { options: { schema: SCHEMA }, isStreamed: true, times: 3 },
      variables,
    )) as {
      text: string;
    };
    expect(json(reply.text)).toEqual(OBJECT.json);
    const formats = server.runs(model).map(({ response_format: format }) => format);
    const bare = { type: 'json_schema', json_schema: { title: 'greeting', ...SCHEMA.schema } };
    const named = { type: 'json_schema', json_schema: { ...SCHEMA, strict: true } };
    // What a model refuses is learned, and not sent again.
    expect(formats).toEqual(
      model === NATIVE_CHAT ? [bare, bare, bare] : [bare, named, named, named],
    );
    for (const inputs of server.runs(model)) expect(inputs).not.toHaveProperty('stream');
  });
  it('says that a text was cut off', async () => {
    server.answerWith('word '.repeat(200));
    expect(await chat({ options: { maxTokens: 16 } }, variables)).toMatchObject({
      finish: 'length',
    });
    expect(await chat({ options: { maxTokens: 16 }, isStreamed: true }, variables)).toMatchObject({
      finish: 'length',
    });
  });
});

describe('a model that does not keep to a schema', () => {
  const UNMET = {
    status: 400,
    internalCode: 5024,
    description: "AiError: JSON Mode couldn't be met",
  };
  it('is asked again with the schema in the prompt', async () => {
    server.answerWith(OBJECT);
    server.refuse(UNMET);
    const reply = (await chat({ options: { schema: SCHEMA } })) as { text: string };
    expect(json(reply.text)).toEqual(OBJECT.json);
    const [first, second] = server.runs(NATIVE_CHAT);
    expect(JSON.stringify(first?.messages)).not.toContain('JSON Schema');
    expect(JSON.stringify(second?.messages)).toContain('JSON Schema');
    // That happens now and then: the schema is no reason to be given up.
    expect(second?.response_format).toMatchObject({ type: 'json_schema' });
  });
  it('is asked in JSON mode, then in the prompt alone, where it refuses both forms of a schema', async () => {
    const refused = (format: string) => ({
      status: 400,
      internalCode: 5025,
      description: `This model doesn't support ${format} (response_format)`,
    });
    server.refuse(refused('JSON Schema'), refused('JSON Schema'), refused('JSON mode'));
    server.answerWith(() => ({
      text: `Here it is:\n\`\`\`json\n${JSON.stringify(OBJECT.json)}\n\`\`\``,
    }));
    const reply = (await chat({ options: { schema: SCHEMA } })) as { text: string };
    expect(json(reply.text)).toEqual(OBJECT.json);
    const formats = server
      .runs(NATIVE_CHAT)
      .map(({ response_format }) => (response_format as { type?: string })?.type);
    expect(formats).toEqual(['json_schema', 'json_schema', 'json_object', undefined]);
  });
});

describe('errors of Workers AI', () => {
  it.each([
    [
      'an unknown model',
      { status: 400, internalCode: 5007, description: 'No such model or task' },
      'refused',
      'model',
    ],
    [
      'terms not agreed to',
      { status: 403, internalCode: 5016, description: 'User has not agreed' },
      'refused',
      'model',
    ],
    [
      'a used up allocation',
      {
        status: 429,
        internalCode: 3036,
        description: 'You have used up your daily free allocation of neurons.',
      },
      'refused',
      'quota',
    ],
    [
      'no capacity',
      { status: 429, internalCode: 3040, description: 'No more data centers' },
      'rate_limited',
      undefined,
    ],
    [
      'a timeout there',
      { status: 408, internalCode: 3007, description: 'Request timeout' },
      'unavailable',
      undefined,
    ],
    [
      'another failure',
      { status: 500, internalCode: 3043, description: 'Internal server error' },
      'unavailable',
      undefined,
    ],
  ])('names %s', async (_, refusal, reason, why) => {
    server.refuseAll(refusal);
    expect(await chat()).toMatchObject({
      name: 'ModelUnavailable',
      reason,
      ...(why === undefined ? {} : { why }),
    });
    expect(await run({ embed: ['a text'] })).toMatchObject({ name: 'EmbeddingFailed', reason });
  });
  it.each([
    ['a page in place of a reply', { kind: 'html-502' }],
    ['a reply that is no JSON', { kind: 'malformed-json' }],
    ['half a reply', { kind: 'truncated-json' }],
    ['a connection that breaks', { kind: 'reset' }],
  ] as const)('names %s', async (_, fault) => {
    server.faults.always(fault);
    expect(await chat()).toMatchObject({ name: 'ModelUnavailable' });
    expect(await run({ embed: ['a text'] })).toMatchObject({ name: 'EmbeddingFailed' });
  });
  it('ends when the caller gives up', async () => {
    server.faults.always({ kind: 'hang-before-headers' });
    const asked = { giveUpAfterMs: 200 };
    expect(await run({ ...asked, chat: { content: 'x' } })).toMatchObject({ reason: 'aborted' });
    expect(await run({ ...asked, embed: ['x'] })).toMatchObject({ reason: 'aborted' });
  });
});

describe('embeddings of Workers AI', () => {
  it('come in as many requests as it takes', async () => {
    const texts = Array.from({ length: 250 }, (_, at) => `text ${at}`);
    expect(await run({ embed: texts })).toEqual({ count: 250, lengths: [1024] });
    const sizes = server.runs('@cf/baai/bge-m3').map(({ text }) => [text].flat().length);
    expect(sizes[0]).toBe(250);
    expect(sizes.slice(1).every((size) => size <= 100)).toBe(true);
  });
});

describe('the reranker of Workers AI', () => {
  const rank = {
    query: 'When do hens lay eggs?',
    documents: ['The hive stands there.', 'Hens lay eggs in spring.'],
  };
  it('scores each document', async () => {
    const { model, scores } = (await run({ rank })) as { model: string; scores: [number, number] };
    expect(model).toBe('@cf/baai/bge-reranker-base');
    expect(scores[1]).toBeGreaterThan(scores[0]);
  });
  it('can be left out', async () => {
    expect(await run({ rank, variables: { RERANK_MODEL: 'none' } })).toEqual({});
    expect(await run({ rank, variables: { MODELS: 'none' } })).toEqual({});
  });
});

it('a function without the binding says what is missing', async () => {
  const without = { variables: { AI: null } };
  for (const what of [
    { chat: { content: 'x' } },
    { embed: ['x'] },
    { rank: { query: 'x', documents: ['y'] } },
  ])
    expect(await run({ ...without, ...what })).toMatchObject({
      message: expect.stringMatching(/WORKERS_AI.*binding AI/),
    });
});
