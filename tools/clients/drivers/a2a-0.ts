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

/** A task of version 0.3 of the protocol. */
interface Task {
  kind: string;
  id: string;
  status?: { state: string };
  artifacts?: { parts: { kind: string; text?: string }[] }[];
  artifact?: { parts: { kind: string; text?: string }[] };
}
type Reply = Task & { result?: Task; error?: { code: number; message: string } };
interface Client {
  getAgentCard(): Promise<{ name: string; skills: object[] }>;
  sendMessage(params: object): Promise<Reply>;
  sendMessageStream(params: object): AsyncIterable<Task>;
  getTask(params: object): Promise<Reply>;
  cancelTask(params: object): Promise<Reply>;
}
interface Sdk {
  A2AClient: (new (
    card: string | object,
    options?: object,
  ) => Client) & {
    fromCardUrl?(url: string, options: object): Promise<Client>;
  };
}

// The oldest version takes no `fetch` of its own.
const plainFetch = globalThis.fetch;
const withKey: typeof fetch = (input, init) =>
  plainFetch(input, {
    ...init,
    headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers },
  });
globalThis.fetch = withKey;

const { A2AClient } = await load<Sdk>('@a2a-js/sdk/client');
const connected =
  A2AClient.fromCardUrl === undefined
    ? new A2AClient(url)
    : await A2AClient.fromCardUrl(`${url}/.well-known/agent-card.json`, { fetchImpl: withKey });

const message = (text: string) => ({
  message: {
    kind: 'message',
    messageId: crypto.randomUUID(),
    role: 'user',
    parts: [{ kind: 'text', text }],
  },
});
const taskOf = ({ error, result, ...task }: Reply): Task => {
  assert.equal(error, undefined, error?.message);
  return result ?? task;
};
const textOf = ({ artifacts = [], artifact }: Task): string =>
  [...artifacts, ...(artifact ? [artifact] : [])]
    .flatMap(({ parts }) => parts.map(({ text = '' }) => text))
    .join('');
const ask = async (text: string): Promise<Task> =>
  taskOf(await connected.sendMessage(message(text)));
/** The error of a reply, which some versions return and others throw. */
const codeOf = async (call: () => Promise<Reply>): Promise<number> => {
  try {
    return (await call()).error?.code ?? 0;
  } catch (error) {
    return Number(/-32\d{3}/.exec(error instanceof Error ? error.message : '')?.[0] ?? 0);
  }
};

await tryAll({
  card: async () => assert((await connected.getAgentCard()).skills.length > 0),
  'a question answered': async () => {
    const task = await ask(ANSWERED);
    assert.deepEqual([task.kind, task.status?.state], ['task', 'completed']);
    isAnswer(textOf(task));
  },
  'a question declined': async () => isDecline(textOf(await ask(DECLINED))),
  'a stream': async () => {
    const events: Task[] = [];
    for await (const event of connected.sendMessageStream(message(ANSWERED))) events.push(event);
    isAnswer(events.map(textOf).join(''));
    assert.equal(events.at(-1)?.status?.state, 'completed');
  },
  'a task read': async () => {
    const { id } = await ask(ANSWERED);
    isAnswer(textOf(taskOf(await connected.getTask({ id }))));
  },
  'a task that has ended cancelled': async () => {
    const { id } = await ask(ANSWERED);
    assert.equal(await codeOf(() => connected.cancelTask({ id })), -32002);
  },
  'an unknown task': async () =>
    assert.equal(await codeOf(() => connected.getTask({ id: crypto.randomUUID() })), -32001),
  'a bad request': async () => {
    const faulty = { message: { ...message('Why?').message, parts: [] } };
    assert.equal(await codeOf(() => connected.sendMessage(faulty)), -32602);
  },
  'a wrong key': async () => {
    headers.Authorization = 'Bearer wrong';
    const error = await errorOf(async () => {
      const { error: failure } = await connected.sendMessage(message('Why?'));
      if (failure) throw new Error(String(failure.code));
    });
    assert.match(error.message, /401/);
  },
});
