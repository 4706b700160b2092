import { SendMessageRequest, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { describe, expect, it } from 'vitest';
import { connect, message, ORIGIN, type Reply, startAgent, textOf } from './local-agent.ts';

/*
 * The requirements of A2A 1.0 for a server with the JSON-RPC binding, by the ids of the protocol's test kit.
 * The tests of card signatures and credentials are in test/functions/a2a.test.ts; docs/a2a.md lists the requirements that do not apply.
 */

const request = (text: string, more: object = {}, configuration: object = {}) =>
  SendMessageRequest.fromJSON({ message: message(text, more), configuration });

const send = async (
  client: Client,
  text: string,
  more: object = {},
  configuration: object = {},
): Promise<Task> => {
  const result = await client.sendMessage(request(text, more, configuration));
  if (!('status' in result)) throw new Error('is no task');
  return result;
};

const stateOf = ({ status }: Pick<Task, 'status'>) => status?.state;

/** Summary of a stream event: the state of a task, or the text of a part of its answer. */
const shortly = ({ payload }: StreamResponse): unknown => {
  if (payload?.$case === 'artifactUpdate')
    return textOf({ artifacts: [payload.value.artifact ?? []].flat() });
  return payload?.$case === 'message'
    ? payload
    : payload && TaskState[payload.value.status?.state ?? 0];
};
const all = async (stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> => {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
};
const FIRST = 'Shipping to Canada takes 4 to 7 days. [1]';
const SECOND = '\n\nPostage is 29 euros. [1]';

const errorOf = ({ error }: Reply) =>
  error && { code: error.code, reason: error.data[0]?.reason, ours: error.data[0]?.metadata.code };

const untilWorking = async (agent: ReturnType<typeof startAgent>, text = 'wait') => {
  const client = await agent.client();
  return { client, task: await send(client, text, {}, { returnImmediately: true }) };
};

describe('sending', () => {
  it('CORE-SEND-001: answers with a task', async () => {
    const task = await send(await startAgent().client(), 'shipping');
    expect(stateOf(task)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(textOf(task)).toBe(FIRST + SECOND);
  });
  it('CORE-SEND-002: refuses a message to a task that has ended', async () => {
    const client = await startAgent().client();
    const { id } = await send(client, 'shipping');
    await expect(send(client, 'more', { taskId: id })).rejects.toBeInstanceOf(
      UnsupportedOperationError,
    );
  });
  it.each([
    ['another type', { parts: [{ text: 'x', mediaType: 'application/x-unknown' }] }],
    ['a file', { parts: [{ raw: 'AAAA', mediaType: 'image/png' }] }],
    ['an address', { parts: [{ url: 'https://x.example/a.pdf' }] }],
    ['data', { parts: [{ data: { a: 1 } }] }],
    [
      'another type in an incomplete message',
      { parts: [{ text: 'x', mediaType: 'video/x' }], messageId: '' },
    ],
  ])('CORE-SEND-003: refuses a part of %s', async (_, more) => {
    const { json } = await startAgent().call('SendMessage', { message: message('', more) });
    expect(errorOf(json)).toEqual({
      code: -32_005,
      reason: 'CONTENT_TYPE_NOT_SUPPORTED',
      ours: 'INVALID_QUERY',
    });
  });
  it('CORE-EXECUTION-MODE-001: waits for the end of a task', async () => {
    const agent = startAgent();
    const sending = send(await agent.client(), 'wait');
    agent.open();
    expect(stateOf(await sending)).toBe(TaskState.TASK_STATE_COMPLETED);
  });
  it('CORE-EXECUTION-MODE-002: answers at once on request', async () => {
    const agent = startAgent();
    const { client, task } = await untilWorking(agent);
    expect(stateOf(task)).toBe(TaskState.TASK_STATE_WORKING);
    agent.open();
    await expect
      .poll(async () => stateOf(await client.getTask({ tenant: '', id: task.id })))
      .toBe(TaskState.TASK_STATE_COMPLETED);
  });
});

describe('streams', () => {
  it('CORE-STREAM-001, CORE-STREAM-003, STREAM-ORDER-001: begin with the task, have its answer in order and end with it', async () => {
    const client = await startAgent().client();
    const events = await all(client.sendMessageStream(request('shipping')));
    expect(events.map(shortly)).toEqual([
      'TASK_STATE_WORKING',
      FIRST,
      SECOND,
      '',
      'TASK_STATE_COMPLETED',
    ]);
    const updates = events.flatMap(({ payload }) =>
      payload?.$case === 'artifactUpdate' ? [payload.value] : [],
    );
    expect(updates.map(({ append, lastChunk }) => [append, lastChunk])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    expect(new Set(updates.map(({ artifact }) => artifact?.artifactId)).size).toBe(1);
    expect(updates.at(-1)?.artifact?.parts.map(({ content }) => content?.$case)).toEqual([
      'data',
      'url',
    ]);
  });
  it('STREAM-ORDER-002, STREAM-ORDER-003, STREAM-SUB-001, STREAM-SUB-002: all have the same events, after the task', async () => {
    const agent = startAgent();
    const { client, task } = await untilWorking(agent);
    const streams = [1, 2, 3].map(() => client.resubscribeTask({ tenant: '', id: task.id }));
    const begun = await Promise.all(
      streams.map(async (stream) => (await stream.next()).value as StreamResponse),
    );
    expect(begun.map(({ payload }) => payload?.$case)).toEqual(['task', 'task', 'task']);
    const rest = Promise.all(streams.map(all));
    agent.open();
    const [one, ...others] = await rest;
    expect(one?.map(shortly)).toEqual([SECOND, '', 'TASK_STATE_COMPLETED']);
    for (const other of others) expect(other).toEqual(one);
  });
  it('STREAM-ORDER-004: a closed one affects neither the others nor the task', async () => {
    const agent = startAgent();
    const { client, task } = await untilWorking(agent);
    const [closed, open] = [1, 2].map(() => client.resubscribeTask({ tenant: '', id: task.id }));
    await Promise.all([closed?.next(), open?.next()]);
    await closed?.return(undefined);
    const rest = open && all(open);
    agent.open();
    expect((await rest)?.map(shortly).at(-1)).toBe('TASK_STATE_COMPLETED');
  });
  it('STREAM-SUB-003: no stream follows a task that has ended', async () => {
    const client = await startAgent().client();
    const { id } = await send(client, 'shipping');
    await expect(all(client.resubscribeTask({ tenant: '', id }))).rejects.toBeInstanceOf(
      UnsupportedOperationError,
    );
  });
  it('STREAM-SUB-004: no stream follows a task that does not exist', async () => {
    const client = await startAgent().client();
    await expect(all(client.resubscribeTask({ tenant: '', id: 'none' }))).rejects.toBeInstanceOf(
      TaskNotFoundError,
    );
  });
  it('JSONRPC-SSE-001: each event is a response of JSON-RPC', async () => {
    const params = { message: message('x') };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 'a',
      method: 'SendStreamingMessage',
      params,
    });
    const headers = { 'a2a-version': '1.0', 'content-type': 'application/json' };
    const response = await startAgent().fetchAs('alice')(`${ORIGIN}/a2a`, {
      method: 'POST',
      headers,
      body,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    expect(
      lines.every((line) => line.startsWith('data: {"jsonrpc":"2.0","id":"a","result":{')),
    ).toBe(true);
    expect(lines).toHaveLength(5);
  });
});

describe('tasks', () => {
  it('CORE-GET-001: returns the current task', async () => {
    const agent = startAgent();
    const { client, task } = await untilWorking(agent);
    expect(stateOf(await client.getTask({ tenant: '', id: task.id }))).toBe(
      TaskState.TASK_STATE_WORKING,
    );
    agent.open();
    await expect
      .poll(async () => textOf(await client.getTask({ tenant: '', id: task.id })))
      .toBe(FIRST + SECOND);
  });
  it.each(['GetTask', 'CancelTask', 'SubscribeToTask'])(
    'CORE-GET-002, CORE-CANCEL-003: %s knows no other tasks',
    async (method) => {
      const { json } = await startAgent().call(method, { id: 'none' });
      expect(errorOf(json)).toEqual({ code: -32_001, reason: 'TASK_NOT_FOUND', ours: 'NOT_FOUND' });
    },
  );
  it('CORE-LIST-001, AUTH-SCOPE-001 to 003: shows a task only to its owner; for others it does not exist', async () => {
    const agent = startAgent();
    const { task } = await untilWorking(agent);
    const { json: own } = await agent.call('ListTasks', {});
    const { json: others } = await agent.call('ListTasks', {}, { owner: 'mallory' });
    expect([own.result?.totalSize, others.result?.totalSize, others.result?.tasks]).toEqual([
      1,
      0,
      [],
    ]);
    for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask']) {
      const { json: theirs } = await agent.call(method, { id: task.id }, { owner: 'mallory' });
      const { json: none } = await agent.call(method, { id: 'none' }, { owner: 'mallory' });
      expect(theirs).toEqual(none);
    }
    const more = { message: message('more', { taskId: task.id }) };
    const { json } = await agent.call('SendMessage', more, { owner: 'mallory' });
    expect(errorOf(json)?.code).toBe(-32_001);
  });
  it('CORE-LIST-002 to 005: lists pages, newest state first, without artifacts unless requested', async () => {
    let time = 1_790_000_000_000;
    const agent = startAgent({ now: () => (time += 10) });
    const client = await agent.client();
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) ids.unshift((await send(client, `shipping ${at}`)).id);
    const pages: string[][] = [];
    let pageToken = '';
    do {
      const { json } = await agent.call('ListTasks', { pageSize: 2, pageToken });
      const { tasks, ...page } = json.result as {
        tasks: { id: string; artifacts?: unknown }[];
        nextPageToken: string;
      };
      expect(page).toMatchObject({ pageSize: 2, totalSize: 5 });
      expect(tasks.every(({ artifacts }) => artifacts === undefined)).toBe(true);
      pages.push(tasks.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    const { json } = await agent.call('ListTasks', { includeArtifacts: true });
    expect(json.result?.tasks).toMatchObject([
      { artifacts: [{ artifactId: 'answer' }] },
      {},
      {},
      {},
      {},
    ]);
    expect(json.result?.nextPageToken).toBe('');
  });
  it('lists by context, state and time', async () => {
    const agent = startAgent();
    const client = await agent.client();
    const { contextId } = await send(client, 'shipping');
    await send(client, 'vague');
    const found = async (filter: object) =>
      (await agent.call('ListTasks', filter)).json.result?.totalSize;
    expect(await found({ contextId })).toBe(1);
    expect(await found({ status: 'TASK_STATE_INPUT_REQUIRED' })).toBe(1);
    expect(await found({ statusTimestampAfter: '2100-01-01T00:00:00Z' })).toBe(0);
    expect(await found({ statusTimestampAfter: '2000-01-01T00:00:00Z' })).toBe(2);
  });
  it('CORE-CANCEL-001: cancels a task and its question', async () => {
    const agent = startAgent();
    const { client, task } = await untilWorking(agent);
    const stream = client.resubscribeTask({ tenant: '', id: task.id });
    await stream.next();
    const rest = all(stream);
    const canceled = TaskState.TASK_STATE_CANCELED;
    const cancel = async (id: string) =>
      stateOf(await client.cancelTask({ tenant: '', id, metadata: undefined }));
    expect(await cancel(task.id)).toBe(canceled);
    expect(agent.aborted).toHaveLength(1);
    expect((await rest).map(shortly)).toEqual(['TASK_STATE_CANCELED']);
    agent.open();
    expect(stateOf(await client.getTask({ tenant: '', id: task.id }))).toBe(
      TaskState.TASK_STATE_CANCELED,
    );
    const waiting = await send(client, 'vague');
    expect(await cancel(waiting.id)).toBe(canceled);
  });
  it('a cancelled task ignores a later answer', async () => {
    const agent = startAgent();
    const { client, task } = await untilWorking(agent, 'late');
    const stream = client.resubscribeTask({ tenant: '', id: task.id });
    await stream.next();
    const rest = all(stream);
    await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    agent.open();
    expect((await rest).map(shortly)).toEqual(['TASK_STATE_CANCELED']);
    // Another task ends after the late answer.
    await send(client, 'shipping');
    const after = await client.getTask({ tenant: '', id: task.id });
    expect([stateOf(after), after.artifacts]).toEqual([TaskState.TASK_STATE_CANCELED, []]);
  });
  it('a statement after the cancellation is not delivered', async () => {
    const agent = startAgent();
    const body = { message: message('late and long') };
    const { json } = await agent.call('SendMessage', {
      ...body,
      configuration: { returnImmediately: true },
    });
    const id = json.result?.task?.id ?? '';
    const client = await agent.client();
    await client.cancelTask({ tenant: '', id, metadata: undefined });
    agent.open();
    // The statement has arrived when another question is answered.
    await send(client, 'shipping');
    const after = await client.getTask({ tenant: '', id });
    expect([stateOf(after), after.artifacts]).toEqual([TaskState.TASK_STATE_CANCELED, []]);
    await expect(client.resubscribeTask({ tenant: '', id }).next()).rejects.toBeInstanceOf(
      UnsupportedOperationError,
    );
    const repeated = await (await agent.post('SendStreamingMessage', body)).text();
    expect(repeated).toContain('TASK_STATE_CANCELED');
    expect(repeated).not.toContain('Postage');
    agent.end();
  });
  it('CORE-CANCEL-002: cancels no task that has ended', async () => {
    const agent = startAgent();
    const { id } = await send(await agent.client(), 'shipping');
    const { json } = await agent.call('CancelTask', { id });
    expect(errorOf(json)).toEqual({
      code: -32_002,
      reason: 'TASK_NOT_CANCELABLE',
      ours: 'INVALID_QUERY',
    });
  });
});

describe('conversations', () => {
  it('CORE-MULTI-001a, CORE-MULTI-003: each new task has its own id, and a context', async () => {
    const client = await startAgent().client();
    const [one, other] = [await send(client, 'shipping'), await send(client, 'shipping')];
    expect(new Set([one.id, other.id, one.contextId, other.contextId, '']).size).toBe(5);
  });
  it('CORE-MULTI-002a: uses the context of the caller, and refuses an invalid id', async () => {
    const agent = startAgent();
    expect((await send(await agent.client(), 'shipping', { contextId: 'mine' })).contextId).toBe(
      'mine',
    );
    const { json } = await agent.call('SendMessage', {
      message: message('x', { contextId: 'a b' }),
    });
    expect(errorOf(json)?.code).toBe(-32_602);
  });
  it('CORE-MULTI-004 to 006: a task is continued in its own context only', async () => {
    const agent = startAgent();
    const client = await agent.client();
    const { json } = await agent.call('SendMessage', { message: message('x', { taskId: 'none' }) });
    expect(errorOf(json)?.code).toBe(-32_001);
    const { id: taskId, contextId } = await send(client, 'vague');
    const elsewhere = { message: message('x', { taskId, contextId: 'another' }) };
    const { json: mismatch } = await agent.call('SendMessage', elsewhere);
    expect(errorOf(mismatch)?.code).toBe(-32_602);
    const ended = await send(client, 'shipping', { taskId });
    expect([ended.id, ended.contextId, stateOf(ended)]).toEqual([
      taskId,
      contextId,
      TaskState.TASK_STATE_COMPLETED,
    ]);
  });
  it('CORE-HIST-001 to 006: the history has the messages, oldest first, up to the requested length', async () => {
    const agent = startAgent();
    const client = await agent.client();
    const { id } = await send(client, 'vague');
    await send(client, 'shipping', { taskId: id });
    const history = async (historyLength?: number) => {
      const { history } = await client.getTask({ tenant: '', id, historyLength });
      return history.map(({ parts: [part] }) =>
        part?.content?.$case === 'text' ? part.content.value : '',
      );
    };
    expect(await history()).toEqual(['vague', 'Which device is it about?', 'shipping']);
    expect(await history(2)).toEqual(['Which device is it about?', 'shipping']);
    expect(await history(0)).toEqual([]);
    expect((await send(client, 'shipping', {}, { historyLength: 0 })).history).toEqual([]);
  });
});

describe('errors and versions', () => {
  it('CORE-CAP-001: declares that it has no push notifications', async () => {
    const agent = startAgent();
    const hook = { url: 'https://hook.example', tenant: '', token: '', authentication: undefined };
    const taskPushNotificationConfig = { taskId: 'x', id: 'y', ...hook };
    for (const method of ['Create', 'Get', 'Delete']) {
      const { json } = await agent.call(`${method}TaskPushNotificationConfig`, {
        taskId: 'x',
        id: 'y',
      });
      expect(errorOf(json)?.code).toBe(-32_003);
    }
    const sent = { message: message('shipping'), configuration: { taskPushNotificationConfig } };
    const { json } = await agent.call('SendMessage', sent);
    expect(errorOf(json)?.code).toBe(-32_003);
  });
  it.each([
    ['no message', 'SendMessage', {}],
    ['no id', 'SendMessage', { message: message('x', { messageId: '' }) }],
    ['no parts', 'SendMessage', { message: message('x', { parts: [] }) }],
    ['no text', 'SendMessage', { message: message(' ') }],
    ['parts that are no objects', 'SendMessage', { message: message('x', { parts: [null, 7] }) }],
    ['another role', 'SendMessage', { message: message('x', { role: 'ROLE_AGENT' }) }],
    [
      'a librarian that is no id',
      'SendMessage',
      { message: message('x', { metadata: { librarian: 'A B' } }) },
    ],
    ['a text that is too long', 'SendMessage', { message: message('x'.repeat(4001)) }],
    [
      'too much metadata',
      'SendMessage',
      { message: message('x', { metadata: { a: 'y'.repeat(20_000) } }) },
    ],
    [
      'a history of half a message',
      'SendMessage',
      { message: message('x'), configuration: { historyLength: 0.5 } },
    ],
    ['a tenant', 'SendMessage', { message: message('x'), tenant: 'other' }],
    ['no task', 'GetTask', {}],
    ['a page of nothing', 'ListTasks', { pageSize: 0 }],
    ['a page of too much', 'ListTasks', { pageSize: 101 }],
    ['a forged token of a page', 'ListTasks', { pageToken: 'eyJhIjoxfQ' }],
    ['an unknown state', 'ListTasks', { status: 'TASK_STATE_TIRED' }],
    ['no time', 'ListTasks', { statusTimestampAfter: 'yesterday' }],
  ])('CORE-ERR-001, CORE-ERR-002: refuses %s with what is wrong', async (_, method, params) => {
    const agent = startAgent();
    const { json, response } = await agent.call(method, params);
    expect(errorOf(json)).toMatchObject({ code: -32_602, ours: 'INVALID_QUERY' });
    expect(json.error?.message).toMatch(/^Cannot read the request: \S/);
    expect(response.status).toBe(200);
    expect(agent.questions).toEqual([]);
  });
  it('JSONRPC-FMT-001, JSONRPC-FMT-002, JSONRPC-SVC-001: answers in the form of JSON-RPC', async () => {
    const { call } = startAgent();
    const { response, json } = await call('SendMessage', { message: message('shipping') });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(Object.keys(json)).toEqual(['jsonrpc', 'id', 'result']);
    expect([json.jsonrpc, json.id]).toEqual(['2.0', 7]);
    expect(errorOf((await call('message/sent', {})).json)?.code).toBe(-32_601);
  });
  it('JSONRPC-ERR-001 to 003, JSONRPC-SSE-002: errors have their codes, and details with a reason', async () => {
    const { json } = await startAgent().call('GetTask', { id: 'none' });
    const detail = {
      reason: 'TASK_NOT_FOUND',
      domain: 'a2a-protocol.org',
      metadata: { code: 'NOT_FOUND' },
    };
    const data = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', ...detail }];
    expect(json.error).toEqual({ code: -32_001, message: expect.any(String), data });
  });
  it.each([
    ['what is not JSON', '{"jsonrpc":', -32_700],
    ['nothing', ' ', -32_700],
    ['a list', '[]', -32_600],
    ['a list of calls', '[{"jsonrpc":"2.0","id":1,"method":"ListTasks"}]', -32_600],
    ['no version of JSON-RPC', '{"id":1,"method":"ListTasks"}', -32_600],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32_600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ListTasks"}', -32_600],
    [
      'parameters that are a list',
      '{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":[]}',
      -32_600,
    ],
    [
      'too deep',
      `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
      -32_600,
    ],
    [
      'too long',
      `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"a":"${'x'.repeat(70_000)}"}}`,
      -32_600,
    ],
  ])('answers %s with an error of the protocol', async (_, body, code) => {
    const { json } = await startAgent().call('', {}, { body });
    const error = { code, data: [{ metadata: { code: 'INVALID_QUERY' } }] };
    expect(json).toMatchObject({ jsonrpc: '2.0', id: null, error });
  });
  it.each([['0.3'], ['2.0'], ['1'], ['']])(
    'VER-SERVER-002, VER-SERVER-003: refuses version “%s”',
    async (version) => {
      const { json } = await startAgent().call(
        'ListTasks',
        {},
        { headers: { 'a2a-version': version } },
      );
      expect(errorOf(json)).toEqual({
        code: -32_009,
        reason: 'VERSION_NOT_SUPPORTED',
        ours: 'INVALID_QUERY',
      });
    },
  );
});

describe('the data model', () => {
  it('DM-TASK, DM-MSG, DM-PART, DM-ART, DM-STATUS, DM-SERIAL: is that of ProtoJSON', async () => {
    const agent = startAgent();
    const { json } = await agent.call('SendMessage', {
      message: message('shipping'),
      unknownMember: { a: 1 },
    });
    const task = json.result?.task;
    const id = expect.stringMatching(/^[\w-]{36}$/);
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const data = expect.objectContaining({ answer: expect.any(String), confidence: 0.9 });
    const parts = [
      { text: FIRST + SECOND, mediaType: 'text/markdown' },
      { data, mediaType: 'application/json' },
      {
        url: 'https://docs.example/shipping',
        mediaType: 'text/html',
        metadata: { name: 'Shipping' },
      },
    ];
    const ids = { messageId: expect.any(String), taskId: task?.id, contextId: task?.contextId };
    expect(task).toEqual({
      id,
      contextId: id,
      status: { state: 'TASK_STATE_COMPLETED', timestamp },
      artifacts: [{ artifactId: 'answer', name: 'answer', parts }],
      history: [
        { ...ids, role: 'ROLE_USER', parts: [{ text: 'shipping', mediaType: 'text/plain' }] },
      ],
    });
  });
  it('BIND-FIELD-001: the card names the only binding, in both versions', async () => {
    const client = await connect(startAgent().fetchAs('alice'));
    expect((await client.getAgentCard()).supportedInterfaces).toMatchObject([
      { url: `${ORIGIN}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${ORIGIN}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ]);
  });
});

describe('clients of version 0.3', () => {
  /** As they send it: other names of methods, parts with a kind, and no version. */
  const WITHOUT_VERSION = { headers: { 'a2a-version': '' } };
  const said = (text: string) => ({
    message: {
      kind: 'message',
      messageId: crypto.randomUUID(),
      role: 'user',
      parts: [{ kind: 'text', text }],
    },
  });

  it('find the address in the card', async () => {
    const card = await (
      await startAgent().fetchAs('alice')(`${ORIGIN}/.well-known/agent-card.json`)
    ).json();
    expect(card).toMatchObject({
      url: `${ORIGIN}/a2a`,
      preferredTransport: 'JSONRPC',
      protocolVersion: '0.3',
    });
  });
  it.each(['', '0.3', '0.3.0', '1.0'])(
    'get answers in their form, with the version “%s”',
    async (version) => {
      const agent = startAgent();
      const headers = { 'a2a-version': version };
      const { json } = await agent.call('message/send', said('shipping'), { headers });
      const task = json.result as unknown as {
        id: string;
        kind: string;
        status: { state: string };
        artifacts: object[];
      };
      expect(task).toMatchObject({ kind: 'task', status: { state: 'completed' } });
      expect(task.artifacts).toMatchObject([
        { parts: expect.arrayContaining([{ kind: 'text', text: expect.any(String) }]) },
      ]);
      expect(agent.questions).toMatchObject([{ query: 'shipping' }]);
      const got = await agent.call('tasks/get', { id: task.id }, { headers });
      expect(got.json.result).toMatchObject({
        kind: 'task',
        id: task.id,
        artifacts: task.artifacts,
      });
    },
  );
  it('get the events of a stream in their form', async () => {
    const response = await startAgent().post('message/stream', said('shipping'), WITHOUT_VERSION);
    const kinds = [
      ...(await response.text()).matchAll(/"kind":"(task|status-update|artifact-update)"/g),
    ].map(([, kind]) => kind);
    expect([kinds[0], kinds.at(-1), kinds.includes('artifact-update')]).toEqual([
      'task',
      'status-update',
      true,
    ]);
  });
  it('cancel a task, and get errors with the code of the protocol', async () => {
    const agent = startAgent();
    const configuration = { blocking: false };
    const { json } = await agent.call(
      'message/send',
      { ...said('wait'), configuration },
      WITHOUT_VERSION,
    );
    const { id } = json.result as unknown as { id: string };
    const cancelled = await agent.call('tasks/cancel', { id }, WITHOUT_VERSION);
    expect(cancelled.json.result).toMatchObject({
      id,
      kind: 'task',
      status: { state: 'canceled' },
    });
    for (const [method, params, code] of [
      ['tasks/get', { id: 'none' }, -32_001],
      ['tasks/cancel', { id: 'none' }, -32_001],
      ['message/send', {}, -32_602],
      ['message/send', { message: { ...said('x').message, parts: [null] } }, -32_602],
      ['message/send', said(' '), -32_602],
    ] as const) {
      const { json: failed } = await agent.call(method, params, WITHOUT_VERSION);
      expect([method, errorOf(failed)?.code]).toEqual([method, code]);
    }
  });
  it('see no tasks of others', async () => {
    const agent = startAgent();
    const { json } = await agent.call('message/send', said('shipping'), WITHOUT_VERSION);
    const { id } = json.result as unknown as { id: string };
    const other = await agent.call('tasks/get', { id }, { ...WITHOUT_VERSION, owner: 'bob' });
    expect(errorOf(other.json)?.code).toBe(-32_001);
  });
});
