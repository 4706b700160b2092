import assert from 'node:assert/strict';
import {
  ANSWERED,
  DECLINED,
  errorOf,
  headers,
  isAnswer,
  isDecline,
  load,
  tryAll,
  url,
} from './driver.ts';

interface Part {
  content?: { $case: string; value: unknown };
}
interface Task {
  id: string;
  status?: { state: number };
  artifacts?: { parts: Part[] }[];
}
interface Event {
  payload?: { $case: string; value: Task & { artifact?: { parts: Part[] } } };
}
interface Client {
  getAgentCard(): Promise<{ skills: object[] }>;
  sendMessage(request: object): Promise<Task>;
  sendMessageStream(request: object): AsyncIterable<Event>;
  getTask(request: object): Promise<Task>;
  cancelTask(request: object): Promise<Task>;
}
interface Factory {
  ClientFactory: new (options: object) => { createFromUrl(url: string): Promise<Client> };
  ClientFactoryOptions: { default: object; createFrom(options: object, more: object): object };
  JsonRpcTransportFactory: new (options: object) => object;
}
interface Codec {
  SendMessageRequest: { fromJSON(request: object): object };
}

const { SendMessageRequest } = await load<Codec>('@a2a-js/sdk');
const { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } =
  await load<Factory>('@a2a-js/sdk/client');
const connect = (sent = headers) => {
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), ...sent },
    });
  const transports = [new JsonRpcTransportFactory({ fetchImpl })];
  return new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports }),
  ).createFromUrl(url);
};
const connected = await connect();

const message = (text: string) =>
  SendMessageRequest.fromJSON({
    message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] },
  });
const textOf = (parts: readonly Part[]): string =>
  parts
    .flatMap(({ content }) => (content?.$case === 'text' ? [String(content.value)] : []))
    .join('');
const answerOf = ({ artifacts = [] }: Task): string =>
  artifacts.map(({ parts }) => textOf(parts)).join('');

await tryAll({
  card: async () => assert((await connected.getAgentCard()).skills.length > 0),
  'a question answered': async () =>
    isAnswer(answerOf(await connected.sendMessage(message(ANSWERED)))),
  'a question declined': async () =>
    isDecline(answerOf(await connected.sendMessage(message(DECLINED)))),
  'a stream': async () => {
    let text = '';
    for await (const { payload } of connected.sendMessageStream(message(ANSWERED)))
      text += textOf(payload?.value.artifact?.parts ?? []);
    isAnswer(text);
  },
  'a task read': async () => {
    const { id } = await connected.sendMessage(message(ANSWERED));
    isAnswer(answerOf(await connected.getTask({ id, tenant: '' })));
  },
  'a task that has ended cancelled': async () => {
    const { id } = await connected.sendMessage(message(ANSWERED));
    const error = await errorOf(() => connected.cancelTask({ id, tenant: '' }));
    assert.equal(error.name, 'TaskNotCancelableError');
  },
  'an unknown task': async () => {
    const error = await errorOf(() => connected.getTask({ id: crypto.randomUUID(), tenant: '' }));
    assert.equal(error.name, 'TaskNotFoundError');
  },
  'a bad request': async () => void (await errorOf(() => connected.sendMessage(message(' ')))),
  'a wrong key': async () => {
    const wrong = await connect({ Authorization: 'Bearer wrong' });
    assert.match((await errorOf(() => wrong.sendMessage(message('Why?')))).message, /401|key/i);
  },
});
