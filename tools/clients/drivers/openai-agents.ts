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

interface Agents {
  Agent: new (options: object) => object;
  Runner: new (
    options: object,
  ) => { run(agent: object, question: string, options?: object): Promise<Run> };
  OpenAIProvider: new (options: object) => object;
}
interface Run {
  finalOutput: string;
  completed: Promise<void>;
}
const { Agent, Runner, OpenAIProvider } = await load<Agents>('@openai/agents');

const runWith = (options: object, apiKey = key) => {
  const modelProvider = new OpenAIProvider({ baseURL: `${url}/v1`, apiKey, ...options });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  return (question: string, { model = 'constellation', stream = false } = {}) =>
    runner.run(new Agent({ name: 'Support', model }), question, { stream });
};
const responses = runWith({ useResponses: true });
const chat = runWith({ useResponses: false });
const streamed = async (run: typeof chat): Promise<string> => {
  const running = await run(ANSWERED, { stream: true });
  await running.completed;
  return running.finalOutput;
};

await tryAll({
  'a question answered': async () => isAnswer((await chat(ANSWERED)).finalOutput),
  'a question declined': async () => isDecline((await chat(DECLINED)).finalOutput),
  'a stream': async () => isAnswer(await streamed(chat)),
  responses: async () => isAnswer((await responses(ANSWERED)).finalOutput),
  'responses streamed': async () => isAnswer(await streamed(responses)),
  'an unknown model': async () => {
    const { status, message } = await errorOf(() => chat('Why?', { model: 'gpt-unknown' }));
    assert.equal(status, 404, message);
  },
  'a wrong key': async () => {
    const { status, message } = await errorOf(() =>
      runWith({ useResponses: false }, 'wrong')('Why?'),
    );
    assert.equal(status, 401, message);
  },
});
