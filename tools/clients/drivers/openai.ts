import assert from 'node:assert/strict';
import {
  ANSWERED,
  DECLINED,
  errorOf,
  isAnswer,
  isDecline,
  key,
  load,
  tryAll,
  url,
} from './driver.ts';

interface Chat {
  choices: { message: { content: string }; finish_reason: string }[];
}
interface Chunk {
  choices: { delta: { content?: string } }[];
  usage?: { total_tokens: number };
}
interface Client {
  models: { list(): AsyncIterable<{ id: string }> };
  chat: {
    completions: {
      create(body: object): Promise<Chat>;
    };
  };
  responses: {
    create(body: object): Promise<{ output_text: string; status: string }>;
    stream(body: object): AsyncIterable<{ type: string }> & {
      finalResponse(): Promise<{ output: { content?: { text?: string }[] }[] }>;
    };
  };
}
type OpenAI = (new (options: object) => Client) & Record<string, new () => Error>;

const { default: OpenAI } = await load<{ default: OpenAI }>('openai');
const options = { baseURL: `${url}/v1`, maxRetries: 0 };
const openai = new OpenAI({ ...options, apiKey: key });
const ask = (content: string, more: object = {}) => ({
  model: 'constellation',
  messages: [{ role: 'user', content }],
  ...more,
});
const textOf = ({ choices }: Chat): string => choices[0]?.message.content ?? '';

/** The class of the client that its documentation names for the status. */
const failsWith = async (
  name: string,
  status: number,
  action: () => Promise<unknown>,
): Promise<void> => {
  const error = await errorOf(action);
  assert.deepEqual([error.constructor.name, error.status], [name, status]);
  assert.match(error.message, /\w+ \w+ \w+/);
};

await tryAll({
  models: async () => {
    const ids: string[] = [];
    for await (const { id } of openai.models.list()) ids.push(id);
    assert(ids.includes('constellation'), ids.join());
  },
  'a question answered': async () =>
    isAnswer(textOf(await openai.chat.completions.create(ask(ANSWERED)))),
  'a question declined': async () =>
    isDecline(textOf(await openai.chat.completions.create(ask(DECLINED)))),
  'several turns': async () => {
    const messages = [
      { role: 'system', content: 'You are helpful.' },
      { role: 'user', content: ANSWERED },
      { role: 'assistant', content: '4 to 7 days.' },
      { role: 'user', content: 'And how much does it cost?' },
    ];
    assert.notEqual(
      textOf(await openai.chat.completions.create({ model: 'constellation', messages })),
      '',
    );
  },
  'a stream': async () => {
    const stream = (await openai.chat.completions.create(
      ask(ANSWERED, { stream: true, stream_options: { include_usage: true } }),
    )) as unknown as AsyncIterable<Chunk>; // what it is with `stream`
    let text = '';
    let tokens: number | undefined;
    for await (const { choices, usage } of stream) {
      text += choices[0]?.delta.content ?? '';
      tokens = usage?.total_tokens ?? tokens;
    }
    isAnswer(text);
    // None without a model.
    assert.equal(typeof tokens, 'number');
  },
  responses: async () => {
    const { output_text, status } = await openai.responses.create({
      model: 'constellation',
      input: ANSWERED,
    });
    isAnswer(output_text);
    assert.equal(status, 'completed');
  },
  'responses declined': async () =>
    isDecline(
      (await openai.responses.create({ model: 'constellation', input: DECLINED })).output_text,
    ),
  'responses streamed': async () => {
    const stream = openai.responses.stream({ model: 'constellation', input: ANSWERED });
    const types = new Set<string>();
    for await (const { type } of stream) types.add(type);
    assert(types.has('response.output_text.delta') && types.has('response.completed'));
    // Only some versions add `output_text` here.
    const { output } = await stream.finalResponse();
    isAnswer(output.flatMap(({ content = [] }) => content.map(({ text = '' }) => text)).join(''));
  },
  'a bad request': () =>
    failsWith('BadRequestError', 400, () => openai.chat.completions.create(ask('Why?', { n: 2 }))),
  'a bad response_format': () =>
    failsWith('BadRequestError', 400, () =>
      openai.chat.completions.create(ask('Why?', { response_format: { type: 'json_object' } })),
    ),
  'a bad request to responses': () =>
    failsWith('BadRequestError', 400, () =>
      openai.responses.create({ model: 'constellation', input: '' }),
    ),
  'an unknown model': () =>
    failsWith('NotFoundError', 404, () =>
      openai.chat.completions.create({ ...ask('Why?'), model: 'gpt-unknown' }),
    ),
  'a wrong key': () =>
    failsWith('AuthenticationError', 401, () =>
      new OpenAI({ ...options, apiKey: 'wrong' }).chat.completions.create(ask('Why?')),
    ),
});
