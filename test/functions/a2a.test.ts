import {
  AgentCard as CardCodec,
  SendMessageRequest,
  type StreamResponse,
  TaskState,
  verifyAgentCardSignature,
} from '@a2a-js/sdk';
import { importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AgentCard, EVIDENCE_EXTENSION, GatewayKeys } from '../../src/contract/wire/a2a.ts';
import { KnowledgeGapsResponse } from '../../src/contract/wire/knowledge.ts';
import type { Product } from '../../tools/run/product.ts';
import { connect, message, type Reply, textOf } from '../gateway/protocols/a2a/local-agent.ts';
import { ask, grant, memoriesOf, send, startEmbedded } from './product-for-test.ts';

const READER = 'ck_a2a_reader_0123456789';
const NOTHING = 'ck_a2a_nothing_012345678';
const SHIPPING = 'How long does shipping to Canada take?';

let product: Product;
const logged: string[] = [];
beforeAll(async () => {
  product = await startEmbedded({ onLog: (line) => void logged.push(line) });
  await product.sync({ full: true });
  await grant(product, READER, { capabilities: ['kb:read'] });
  await grant(product, NOTHING, { capabilities: ['none:at-all'] });
}, 180_000);
afterAll(() => product?.stop());

it('records a question that no article answers as a gap, where no ticket was analysed before', async () => {
  await ask(product, 'Can I run the miner in my sauna?');
  const listed = async (): Promise<string> => {
    const { gaps } = KnowledgeGapsResponse.parse(
      await (await send(product, 'GET /v1/knowledge/gaps')).json(),
    );
    return gaps.map(({ gap }) => gap).join();
  };
  await expect.poll(listed, { timeout: 20_000, interval: 300 }).toContain('in my sauna');
  // The list reads the articles too, after which a report that failed would be taken when it is repeated.
  expect(logged.filter((line) => line.includes('record a question'))).toEqual([]);
}, 30_000);

/** `fetch` with a key. */
const sendAs =
  (key: string): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${key}`);
    return fetch(input, { ...init, headers });
  };
const client = (key = product.key) => connect(sendAs(key), product.url.origin);

interface CallOptions {
  key?: string;
  headers?: Record<string, string>;
  body?: string;
  path?: string;
  signal?: AbortSignal;
}
const post = (
  method: string,
  params: unknown,
  { key = product.key, headers, body, path = '/a2a', signal }: CallOptions = {},
) =>
  sendAs(key)(new URL(path, product.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
    body: body ?? JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal === undefined ? {} : { signal }),
  });
const call = async (method: string, params: unknown, options?: CallOptions) =>
  (await (await post(method, params, options)).json()) as Reply;

const Stated = z.object({ status: z.object({ state: z.string() }) });
const stateOf = async (id: unknown, options?: CallOptions) =>
  Stated.safeParse((await call('GetTask', { id }, options)).result).data?.status.state;

describe('the agent card', () => {
  const path = '/.well-known/agent-card.json';

  it('CARD-DISC-001, CARD-STRUCT-001, CARD-PROTO: is public and names the endpoint, the credentials and the skills', async () => {
    const response = await fetch(new URL(path, product.url));
    const card = AgentCard.parse(await response.json());
    expect(card.supportedInterfaces).toEqual(
      ['1.0', '0.3'].map((protocolVersion) => ({
        url: `${product.url.origin}/a2a`,
        protocolBinding: 'JSONRPC',
        protocolVersion,
      })),
    );
    expect(card.skills.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['concierge', 'navigator', 'analytics', 'hybrid']),
    );
    expect(card).toMatchObject({
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
      securitySchemes: { apiKey: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
    });
  });

  it('CARD-SIGN-001 to 004: has a signature over its canonical form, by a key that is published and valid', async () => {
    const card: unknown = await (await fetch(new URL(path, product.url))).json();
    const asked: (string | undefined)[] = [];
    const verify = verifyAgentCardSignature(async (kid, jku) => {
      asked.push(jku);
      const { keys } = GatewayKeys.parse(await (await fetch(jku ?? '')).json());
      const key = keys.find((each) => each.kid === kid);
      if (key === undefined) throw new Error(`no key ${kid}`);
      return importJWK(key);
    });
    await verify(CardCodec.fromJSON(card));
    expect(asked).toEqual([`${product.url.origin}/.well-known/jwks.json`]);
    await expect(verify({ ...CardCodec.fromJSON(card), name: 'Another' })).rejects.toThrow(
      'No valid signatures',
    );
  });

  it('CARD-CACHE-001 to 003: can be cached', async () => {
    const { headers } = await fetch(new URL(path, product.url));
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(Date.parse(headers.get('last-modified') ?? '')).toBeLessThanOrEqual(Date.now());
    const again = await fetch(new URL(path, product.url), {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  it('CARD-EXT-001: lists the skills that a key may use', async () => {
    const skillsOf = async (key: string) =>
      AgentCard.shape.skills
        .parse((await call('GetExtendedAgentCard', {}, { key })).result?.skills)
        .map(({ id }) => id);
    // A librarian that takes over a second to describe itself is missing until it has.
    await expect.poll(() => skillsOf(product.key), { timeout: 60_000 }).toContain('analytics');
    const reader = await skillsOf(READER);
    expect(reader).toContain('navigator');
    expect(reader).not.toContain('analytics');
    expect(await skillsOf(NOTHING)).not.toContain('navigator');
    expect(
      (await post('GetExtendedAgentCard', {}, { key: 'ck_forged_0123456789abcdef' })).status,
    ).toBe(401);
  });
});

describe('the official client', () => {
  it('asks, follows up in the same context, and lists its tasks', async () => {
    const agent = await client(READER);
    const task = await agent.sendMessage(
      SendMessageRequest.fromJSON({ message: message(SHIPPING) }),
    );
    if (!('status' in task)) throw new Error('is no task');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(textOf(task)).toMatch(/Canada[\s\S]*\[1\]/);
    const { contextId } = task;
    const { tasks } = await agent.listTasks({
      tenant: '',
      contextId,
      pageToken: '',
      status: TaskState.TASK_STATE_UNSPECIFIED,
      statusTimestampAfter: undefined,
    });
    expect(tasks.map(({ id }) => id)).toEqual([task.id]);
    const next = await agent.sendMessage(
      SendMessageRequest.fromJSON({
        message: message('And to the United Kingdom?', { contextId }),
      }),
    );
    expect('contextId' in next && next.contextId).toBe(contextId);
    expect('artifacts' in next && textOf(next)).toContain('United Kingdom | 3 to 6');
  });

  it('streams the answer, with the evidence of each statement', async () => {
    const agent = await client();
    const events: StreamResponse[] = [];
    const options = { serviceParameters: { 'A2A-Extensions': EVIDENCE_EXTENSION } };
    const stream = agent.sendMessageStream(
      SendMessageRequest.fromJSON({ message: message(SHIPPING) }),
      options,
    );
    for await (const event of stream) events.push(event);
    expect(events.map(({ payload }) => payload?.$case)).toEqual([
      'task',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
    const last = events[2]?.payload;
    const evidence =
      last?.$case === 'artifactUpdate'
        ? last.value.artifact?.metadata?.[EVIDENCE_EXTENSION]
        : undefined;
    expect(evidence).toMatchObject({
      edition: expect.stringMatching(/^e/),
      statements: [{ check: 'quoted', sources: [{ file: 'orders/shipping.md' }] }],
    });
    const [{ file, quote, start, end }] = evidence.statements[0].sources;
    const { text } = (await (await send(product, `GET /api/kb/text/${file}`)).json()) as {
      text: string;
    };
    expect(text.slice(start, end)).toBe(quote);
  });

  it('answers a clarifying question', async () => {
    const agent = await client();
    const task = await agent.sendMessage(
      SendMessageRequest.fromJSON({ message: message('It does not work') }),
    );
    if (!('status' in task)) throw new Error('is no task');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const said = message('My Apollo II shows 0 H/s', { taskId: task.id });
    const ended = await agent.sendMessage(SendMessageRequest.fromJSON({ message: said }));
    expect('status' in ended && [ended.id, ended.status?.state]).toEqual([
      task.id,
      TaskState.TASK_STATE_COMPLETED,
    ]);
  });
});

describe('POST /a2a', () => {
  it('AUTH-SERVER-002: refuses a request without valid credentials, in the form of the protocol', async () => {
    const response = await post('ListTasks', {}, { key: 'ck_forged_0123456789abcdef' });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="constellation"',
    ]);
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: 401,
        data: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            metadata: { code: 'UNAUTHORIZED' },
          },
        ],
      },
    });
  });

  it('accepts a trailing slash, and only POST', async () => {
    expect((await call('ListTasks', {}, { path: '/a2a/' })).result).toBeDefined();
    const response = await sendAs(product.key)(new URL('/a2a', product.url));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await response.json()).toMatchObject({
      error: { code: 405, data: [{ metadata: { code: 'INVALID_QUERY' } }] },
    });
  });

  it('VER-SERVER-001, JSONRPC-SVC-002: reads the version from a header or the address, and the extensions from a header', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks' });
    const listed = async (path: string) => {
      const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      return (await sendAs(product.key)(new URL(path, product.url), sent)).json();
    };
    expect(await listed('/a2a?A2A-Version=1.0')).toHaveProperty('result');
    expect(await listed('/a2a')).toMatchObject({ error: { code: -32_009 } });
    const headers = { 'a2a-extensions': EVIDENCE_EXTENSION };
    const answered = await post('SendMessage', { message: message(SHIPPING) }, { headers });
    expect(answered.headers.get('a2a-extensions')).toBe(EVIDENCE_EXTENSION);
  });

  it('refuses a body that is not JSON, is too long or of another type, and another workspace', async () => {
    expect((await call('', {}, { body: '{"jsonrpc":' })).error?.code).toBe(-32_700);
    expect((await call('', {}, { body: `{"a":"${'x'.repeat(70_000)}"}` })).error).toMatchObject({
      code: 400,
    });
    expect(
      (await call('ListTasks', {}, { headers: { 'content-type': 'text/plain' } })).error,
    ).toMatchObject({
      code: 415,
    });
    expect((await call('ListTasks', {}, { path: '/a2a?workspace_id=other' })).error).toMatchObject({
      code: 401,
    });
  });

  it('asks the named librarian, and fails with our code when it is unknown or not allowed', async () => {
    const ask = (librarian: string, options?: CallOptions) =>
      call('SendMessage', { message: message(SHIPPING, { metadata: { librarian } }) }, options);
    expect(JSON.stringify((await ask('semantic')).result)).toContain('"semantic":');
    const failed = (code: string) => ({
      state: 'TASK_STATE_FAILED',
      message: { metadata: { code } },
    });
    expect((await ask('no-one')).result?.task?.status).toMatchObject(failed('NOT_FOUND'));
    const refused = await ask('analytics', { key: READER });
    expect(refused.result?.task?.status).toMatchObject(failed('UNAUTHORIZED'));
  });

  it('stores a named conversation when the key may do so', async () => {
    await call('SendMessage', { message: message(SHIPPING, { contextId: 'a2a-named' }) });
    await call(
      'SendMessage',
      { message: message(SHIPPING, { contextId: 'a2a-reader' }) },
      { key: READER },
    );
    await expect.poll(async () => (await memoriesOf(product, 'a2a-named')).length).toBe(2);
    expect(await memoriesOf(product, 'a2a-reader')).toEqual([]);
  });

  it('continues when the caller wants an immediate reply, and when it disconnects', async () => {
    const configuration = { returnImmediately: true };
    const { result } = await call('SendMessage', { message: message(SHIPPING), configuration });
    await expect
      .poll(() => stateOf(result?.task?.id), { timeout: 60_000 })
      .toBe('TASK_STATE_COMPLETED');

    const leave = new AbortController();
    const sent = message(SHIPPING, { contextId: 'a2a-left' });
    const response = await post(
      'SendStreamingMessage',
      { message: sent },
      { signal: leave.signal },
    );
    await response.body?.getReader().read();
    leave.abort();
    const states = async () => {
      const { result: page } = await call('ListTasks', { contextId: 'a2a-left' });
      return z
        .array(Stated)
        .parse(page?.tasks)
        .map(({ status }) => status.state);
    };
    await expect.poll(states, { timeout: 60_000 }).toEqual(['TASK_STATE_COMPLETED']);
  });
});

describe('DELETE /v1/a2a/tasks', () => {
  it('erases the tasks of a person or a conversation, created by any key, and counts its own', async () => {
    const ask = (more: object, key = product.key) =>
      call('SendMessage', { message: message(SHIPPING, more) }, { key });
    const own = await ask({ metadata: { person_id: 'p-a2a' } });
    const other = await ask({ metadata: { person_id: 'p-a2a' } }, READER);
    const third = await ask({ contextId: 'c-a2a' });
    const erase = async (query: string, key = product.key) => {
      const response = await send(product, `DELETE /v1/a2a/tasks?${query}`, undefined, key);
      return { status: response.status, body: await response.json() };
    };
    expect(await erase('person_id=p-a2a')).toEqual({ status: 200, body: { erased: 1 } });
    expect(await erase('context_id=c-a2a')).toEqual({ status: 200, body: { erased: 1 } });
    for (const { result } of [own, other, third]) {
      expect(await stateOf(result?.task?.id)).toBeUndefined();
      expect(await stateOf(result?.task?.id, { key: READER })).toBeUndefined();
    }
    expect((await erase('person_id=p-a2a', READER)).status).toBe(401);
    expect((await erase('')).body).toMatchObject({ error: { code: 'INVALID_QUERY' } });
    expect((await erase('person_id=a&context_id=b')).status).toBe(400);
  });
});
