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

interface Message {
  text?: string;
  content: string | { text?: string }[];
}
interface Model {
  invoke(question: string | object[]): Promise<Message>;
  stream(question: string): Promise<AsyncIterable<Message>>;
}
const { ChatOpenAI } = await load<{ ChatOpenAI: new (options: object) => Model }>(
  '@langchain/openai',
);
const modelWith = (more: object = {}) =>
  new ChatOpenAI({
    model: 'constellation',
    apiKey: key,
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1` },
    ...more,
  });

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
const streamed = async (model: Model): Promise<string> => {
  let text = '';
  for await (const chunk of await model.stream(ANSWERED)) text += textOf(chunk);
  return text;
};
const failsWith = async (status: number, model: Model, question = 'Why?'): Promise<void> => {
  const error = await errorOf(() => model.invoke(question));
  assert.equal(error.status, status, `${error.name}: ${error.message}`);
};

await tryAll({
  'a question answered': async () => isAnswer(textOf(await modelWith().invoke(ANSWERED))),
  'a question declined': async () => isDecline(textOf(await modelWith().invoke(DECLINED))),
  'a stream': async () => isAnswer(await streamed(modelWith())),
  responses: async () =>
    isAnswer(textOf(await modelWith({ useResponsesApi: true }).invoke(ANSWERED))),
  'responses streamed': async () => isAnswer(await streamed(modelWith({ useResponsesApi: true }))),
  'a bad request': () => failsWith(400, modelWith({ n: 2 })),
  'an unknown model': () => failsWith(404, modelWith({ model: 'gpt-unknown' })),
  'a wrong key': () => failsWith(401, modelWith({ apiKey: 'wrong' })),
});
