import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LibrarianResponse } from '../../../../src/contract/core/response.ts';
import { ChatError } from '../../../../src/contract/wire/chat-completions.ts';
import { ResponsesEvent, ResponsesReply } from '../../../../src/contract/wire/openai-responses.ts';
import { READER, startGateway } from '../../gateway-for-test.ts';

const SOURCE = { name: 'Noise', url: 'https://docs.example.com/noise' };
const STATEMENT = {
  text: 'It is 30 dBA loud.',
  sources: [SOURCE],
  support: 0.9,
  check: 'quoted' as const,
};
const QUESTION = 'How loud is it?';

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  const answers = async (query: string): Promise<LibrarianResponse> =>
    query.startsWith('Fail')
      ? {
          error: {
            code: 'SERVICE_UNAVAILABLE',
            message: 'Cannot answer: the source is away',
            recoverable: false,
          },
        }
      : {
          answer: STATEMENT.text,
          sources: [SOURCE],
          confidence: 0.9,
          metadata: { statements: [STATEMENT] },
        };
  gateway = await startGateway({ librarianOf: { navigator: answers } });
});

/** What the official clients send, answered by the gateway without a socket. */
const sent: unknown[] = [];
const toGateway = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
  if (typeof init?.body === 'string') sent.push(JSON.parse(init.body));
  return gateway.app.request(new Request(url, init));
};
const baseURL = 'http://gateway.example/v1';
const client = new OpenAI({ apiKey: READER, baseURL, maxRetries: 0, fetch: toGateway });
const provider = createOpenAI({ apiKey: READER, baseURL, fetch: toGateway });

const lastAsked = () => gateway.asked.at(-1);

describe('POST /v1/responses', () => {
  it('answers the official client with text and citations', async () => {
    const response = await client.responses.create({ model: 'constellation', input: QUESTION });
    expect(ResponsesReply.parse(response)).toMatchObject({
      status: 'completed',
      store: false,
      error: null,
    });
    expect(response.output_text).toMatch(/^It is 30 dBA loud. \[1\]\n\nSources\n\n1\. \[Noise\]/);
    const [message] = response.output;
    const [part] = message?.type === 'message' ? message.content : [];
    expect(part).toMatchObject({ type: 'output_text' });
    const [citation] = part?.type === 'output_text' ? part.annotations : [];
    expect(citation).toEqual({
      type: 'url_citation',
      url: SOURCE.url,
      title: 'Noise',
      start_index: 0,
      end_index: 18,
    });
    expect(response.usage).toMatchObject({ input_tokens: 0, output_tokens: 0, total_tokens: 0 });
    expect(lastAsked()).toMatchObject({ id: 'navigator', query: QUESTION });
  });

  it('reads items of a conversation, and skips what is no text', async () => {
    const image = {
      type: 'input_image' as const,
      detail: 'auto' as const,
      image_url: 'data:image/png;base64,AAAA',
    };
    await client.responses.create({
      model: 'navigator',
      instructions: 'Answer in rhymes.',
      store: false,
      temperature: 0.3,
      tools: [{ type: 'function', name: 'look', parameters: {}, strict: false }],
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'input_text', text: 'What is this?' }, image] },
        {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'A fan.', annotations: [] }],
        },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'nothing' },
        { role: 'user', content: [{ type: 'input_text', text: QUESTION }] },
      ],
    });
    const { query, context } = lastAsked() ?? {};
    expect([query, JSON.stringify(context)]).toEqual([QUESTION, expect.stringContaining('A fan.')]);
    expect(JSON.stringify(context)).not.toMatch(/rhymes|Be brief|base64/);
  });

  it('streams the events of a response in their order', async () => {
    const stream = client.responses.stream({ model: 'constellation:annotated', input: QUESTION });
    const events: ResponsesEvent[] = [];
    for await (const event of stream) events.push(ResponsesEvent.parse(event));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      ...['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta'],
      ...[
        'output_text.annotation.added',
        'output_text.done',
        'content_part.done',
        'output_item.done',
        'completed',
      ],
    ]);
    const final = await stream.finalResponse();
    expect(final.output_text).toBe('It is 30 dBA loud. [1]');
    expect(final).toMatchObject({ status: 'completed', constellation: { answer: STATEMENT.text } });
  });

  it('ends a stream that fails with its error', async () => {
    const stream = await client.responses.create({
      model: 'constellation',
      input: 'Fail!',
      stream: true,
    });
    const events: object[] = [];
    for await (const event of stream) events.push(event);
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: { code: 'service_unavailable', message: expect.stringMatching(/^Cannot/) },
      },
    });
    await expect(
      client.responses.create({ model: 'constellation', input: 'Fail!' }),
    ).rejects.toMatchObject({
      status: 503,
    });
  });

  it('is what the default model of the AI SDK calls, whole and streamed', async () => {
    const { text, sources } = await generateText({
      model: provider('constellation:annotated'),
      prompt: QUESTION,
    });
    expect([text, sources]).toEqual([
      'It is 30 dBA loud. [1]',
      [expect.objectContaining({ url: SOURCE.url })],
    ]);
    const streamed = streamText({
      model: provider('constellation'),
      messages: [
        { role: 'user', content: 'What is this?' },
        { role: 'assistant', content: 'A fan.' },
        { role: 'user', content: QUESTION },
      ],
    });
    expect(await streamed.text).toContain('Sources');
    expect(await streamed.sources).toMatchObject([{ url: SOURCE.url, title: 'Noise' }]);
    expect(lastAsked()?.query).toBe(QUESTION);
    expect(JSON.stringify(lastAsked()?.context)).toContain('A fan.');
  });

  const FORMAT = { type: 'json_schema', name: 'x', schema: { type: 'object' } };
  it.each<[string, Record<string, unknown>, string | null]>([
    ['a schema', { text: { format: FORMAT } }, 'text.format.type'],
    ['JSON', { text: { format: { type: 'json_object' } } }, 'text.format.type'],
    ['a required tool', { tool_choice: 'required' }, 'tool_choice'],
    ['a tool by name', { tool_choice: { type: 'function', name: 'look' } }, 'tool_choice'],
    [
      'one of several tools',
      { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [] } },
      'tool_choice',
    ],
    ['probabilities of tokens', { top_logprobs: 3 }, 'top_logprobs'],
    ['a stored response', { previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['a stored conversation', { conversation: 'conv_1' }, 'conversation'],
    ['work in the background', { background: true }, 'background'],
    [
      'an image in the question',
      {
        input: [
          {
            role: 'user',
            content: [{ type: 'input_text', text: 'This?' }, { type: 'input_image' }],
          },
        ],
      },
      'input',
    ],
    ['no question', { input: [{ role: 'system', content: 'x' }] }, 'input'],
    ['no input', { input: null }, 'input'],
    ['an unknown model', { model: 'gpt-4' }, 'model'],
  ])('refuses %s in the form of OpenAI', async (_, change, param) => {
    const body = { model: 'constellation', input: QUESTION, ...change } as never;
    const error = await client.responses.create(body).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      status: change.model === undefined ? 400 : 404,
      type: 'invalid_request_error',
      param,
    });
    expect(error).toMatchObject({
      headers: expect.toSatisfy((headers: Headers) => headers.get('x-should-retry') === 'false'),
    });
  });

  it('ignores the members that say nothing else than their default', async () => {
    const rest = {
      text: { format: { type: 'text' } },
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] },
      top_logprobs: 0,
      previous_response_id: null,
      background: false,
    };
    const body = {
      model: 'constellation',
      input: QUESTION,
      ...rest,
      conversation: null,
      instructions: null,
    } as never;
    expect((await client.responses.create(body)).status).toBe('completed');
  });
});

describe('POST /v1/chat/completions', () => {
  const create = (change: Record<string, unknown>) =>
    client.chat.completions.create({
      model: 'constellation',
      messages: [{ role: 'user', content: QUESTION }],
      ...change,
    } as never);

  it.each<[string, Record<string, unknown>, string]>([
    [
      'a schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } },
      'response_format.type',
    ],
    ['JSON', { response_format: { type: 'json_object' } }, 'response_format.type'],
    ['a schema in the words of vLLM', { guided_json: { type: 'object' } }, 'guided_json'],
    ['a choice in the words of vLLM', { guided_choice: ['yes', 'no'] }, 'guided_choice'],
    ['a grammar', { grammar: 'root ::= "yes"' }, 'grammar'],
    ['a required tool', { tool_choice: 'required', tools: [] }, 'tool_choice'],
    [
      'a tool by name',
      { tool_choice: { type: 'function', function: { name: 'look' } } },
      'tool_choice',
    ],
    [
      'one of several tools',
      { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [] } } },
      'tool_choice',
    ],
    ['probabilities of tokens', { logprobs: true }, 'logprobs'],
    ['the likeliest tokens', { top_logprobs: 3 }, 'top_logprobs'],
    ['a function by name', { function_call: { name: 'look' } }, 'function_call'],
    ['speech', { modalities: ['text', 'audio'] }, 'modalities.1'],
    ['several answers', { n: 2 }, 'n'],
    [
      'an image in the question',
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'This?' }, { type: 'image_url' }] },
        ],
      },
      'messages',
    ],
  ])('refuses %s', async (_, change, param) => {
    await expect(create(change)).rejects.toMatchObject({
      status: 400,
      code: 'invalid_value',
      param,
    });
  });

  it('ignores members without effect, and images of earlier messages', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const change = {
      response_format: { type: 'text' },
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } },
      logprobs: false,
      top_logprobs: 0,
      n: 1,
      modalities: ['text'],
      logit_bias: {},
      seed: 7,
      tools: [{ type: 'function', function: { name: 'look' } }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
        { role: 'assistant', content: 'A fan.' },
        { role: 'user', content: [image] },
        { role: 'assistant', content: null, tool_calls: [] },
        { role: 'user', content: [{ type: 'text', text: QUESTION }] },
      ],
    };
    expect((await create(change)).choices[0]?.message.content).toContain('30 dBA');
    expect(lastAsked()?.query).toBe(QUESTION);
    expect(JSON.stringify(lastAsked()?.context)).not.toContain('base64');
  });

  it('answers the question within the template of a front end', async () => {
    const content = `### Task:\nRespond to the query.\n<context>\nLamps.\n</context>\n<user_query>${QUESTION}</user_query>`;
    await create({ messages: [{ role: 'user', content }] });
    expect(lastAsked()?.query).toBe(QUESTION);
    const before = gateway.asked.length;
    const title =
      'Generate a concise title for the chat.\n<chat_history>\nUSER: hi\n</chat_history>';
    const { choices } = await create({ messages: [{ role: 'user', content: title }] });
    expect([choices[0]?.message.content, gateway.asked.length]).toEqual([
      expect.stringMatching(/^This model/),
      before,
    ]);
  });
});

describe('an address of OpenAI that does not exist here', () => {
  it.each<[string, () => PromiseLike<unknown>, RegExp]>([
    [
      'embeddings',
      () => client.embeddings.create({ model: 'x', input: 'y' }),
      /v1\/knowledge\/search/,
    ],
    [
      'completions',
      () => client.completions.create({ model: 'x', prompt: 'y' }),
      /v1\/chat\/completions/,
    ],
    ['a stored response', () => client.responses.retrieve('resp_1'), /not stored/],
    ['images', () => client.images.generate({ prompt: 'x' }), /v1\/responses/],
    ['files', () => client.files.list(), /v1\/models/],
  ])('%s: 404 that says what to use', async (_, call, hint) => {
    const error = await Promise.resolve(call()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      status: 404,
      type: 'invalid_request_error',
      code: 'unknown_url',
      message: expect.stringMatching(hint),
    });
  });

  it('is a base URL without its version', async () => {
    const wrong = new OpenAI({
      apiKey: READER,
      baseURL: 'http://gateway.example',
      maxRetries: 0,
      fetch: toGateway,
    });
    await expect(wrong.models.list()).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('/v1'),
    });
  });

  it('has the right form for wrong methods, compressed bodies and keys, too', async () => {
    const headers = { authorization: `Bearer ${READER}`, 'content-type': 'application/json' };
    const calls: [RequestInit, path: string, status: number, code: string][] = [
      [{ method: 'GET', headers }, '/v1/chat/completions', 405, 'method_not_allowed'],
      [{ method: 'DELETE', headers }, '/v1/responses', 405, 'method_not_allowed'],
      [
        { method: 'POST', headers: { ...headers, 'content-encoding': 'gzip' }, body: 'x' },
        '/v1/responses',
        415,
        'unsupported_media_type',
      ],
      [{ method: 'POST' }, '/v1/responses', 401, 'invalid_api_key'],
    ];
    for (const [init, path, status, code] of calls) {
      const response = await gateway.app.request(path, init);
      const { error } = ChatError.parse(await response.json());
      expect([path, response.status, error.code]).toEqual([path, status, code]);
    }
  });
});
