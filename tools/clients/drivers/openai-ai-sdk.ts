import assert from 'node:assert/strict';
import {
  ANSWERED,
  client,
  DECLINED,
  errorOf,
  isAnswer,
  isDecline,
  key,
  load,
  tryAll,
  url,
} from './driver.ts';

interface Ai {
  generateText(options: object): Promise<{ text: string; finishReason: string; sources: object[] }>;
  streamText(options: object): {
    textStream: AsyncIterable<string>;
    finishReason: PromiseLike<string>;
  };
  APICallError: { isInstance(error: unknown): boolean };
}
type Provider = (options: object) => ((model: string) => object) & { chat?(model: string): object };

const { generateText, streamText, APICallError } = await load<Ai>('ai');
const isCompatible = client.startsWith('@ai-sdk/openai-compatible');
const { createOpenAI, createOpenAICompatible } = await load<Record<string, Provider>>(
  isCompatible ? '@ai-sdk/openai-compatible' : '@ai-sdk/openai',
);
const create = createOpenAICompatible ?? createOpenAI;
assert(create);
const providerFor = (apiKey: string) =>
  create({ name: 'constellation', baseURL: `${url}/v1`, apiKey, includeUsage: true });
const provider = providerFor(key);
const model = provider('constellation');
const common = { model, maxRetries: 0 };

const failsWith = async (status: number, action: () => PromiseLike<unknown>): Promise<void> => {
  const error = await errorOf(action);
  assert(APICallError.isInstance(error), `${error.name}: ${error.message}`);
  assert.equal(error.statusCode, status);
  assert.match(error.message, /\w+ \w+ \w+/);
};

const streamed = async (asked: object): Promise<string> => {
  const { textStream, finishReason } = streamText({ ...common, prompt: ANSWERED, ...asked });
  let text = '';
  for await (const part of textStream) text += part;
  assert.equal(await finishReason, 'stop');
  return text;
};

await tryAll({
  'a question answered': async () => {
    const { text, finishReason } = await generateText({ ...common, prompt: ANSWERED });
    isAnswer(text);
    assert.equal(finishReason, 'stop');
  },
  'a question declined': async () =>
    isDecline((await generateText({ ...common, prompt: DECLINED })).text),
  'several turns': async () => {
    const messages = [
      { role: 'user', content: ANSWERED },
      { role: 'assistant', content: '4 to 7 days.' },
      { role: 'user', content: 'And how much does it cost?' },
    ];
    assert.notEqual((await generateText({ ...common, messages })).text, '');
  },
  'a stream': async () => isAnswer(await streamed({})),
  ...(provider.chat === undefined || isCompatible
    ? {}
    : {
        'chat completions streamed': async () =>
          isAnswer(await streamed({ model: provider.chat?.('constellation') })),
      }),
  'a bad request': () => failsWith(400, () => generateText({ ...common, prompt: ' ' })),
  'an unknown model': () =>
    failsWith(404, () =>
      generateText({ ...common, model: provider('gpt-unknown'), prompt: 'Why?' }),
    ),
  'a wrong key': () =>
    failsWith(401, () =>
      generateText({ ...common, model: providerFor('wrong')('constellation'), prompt: 'Why?' }),
    ),
});
