import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { EVIDENCE_EXTENSION } from '../../../../src/contract/wire/a2a.ts';
import { nodeSql } from '../../../../tools/stand-ins/node-sql.ts';
import { LIFETIME_MS, message, startAgent } from './local-agent.ts';

const Artifacts = z.array(z.object({ parts: z.array(z.record(z.string(), z.unknown())) }));
const Page = z.object({
  tasks: z.array(z.object({ id: z.string() })),
  nextPageToken: z.string().default(''),
});
type Agent = ReturnType<typeof startAgent>;
let agent: Agent;
beforeEach(() => {
  agent = startAgent();
});

const send = async (
  text: string,
  more: object = {},
  options: Parameters<Agent['call']>[2] = {},
  on = agent,
) => {
  const { json } = await on.call('SendMessage', { message: message(text, more) }, options);
  // A task that ends at once is written after the reply.
  await delay(2);
  return json;
};
/** A message whose task is returned while it works. */
const inBackground = (text = 'wait', more: object = {}) => ({
  message: message(text, more),
  configuration: { returnImmediately: true },
});
const stateOf = (reply: { result?: { task?: { status: { state: string } } } }) =>
  reply.result?.task?.status.state;

describe('the task of an answer', () => {
  it('is completed with the Response when it abstains', async () => {
    const { result } = await send('off topic');
    expect(result?.task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [
        {
          parts: [
            { text: 'I found nothing about "off topic".' },
            { data: { partial: true, sources: [] } },
          ],
        },
      ],
    });
  });
  it('requires input for a clarifying question, and continues with the next message', async () => {
    const { result } = await send('vague');
    const message = { role: 'ROLE_AGENT', parts: [{ text: 'Which device is it about?' }] };
    expect(result?.task).toMatchObject({ status: { state: 'TASK_STATE_INPUT_REQUIRED', message } });
    await send('the second', { taskId: result?.task?.id });
    expect(agent.questions.at(-1)?.turns).toEqual([
      { speaker: 'user', text: 'vague' },
      { speaker: 'assistant', text: 'Which device is it about?' },
    ]);
  });
  it('has failed with the error of a failure', async () => {
    const failed = await send('fail');
    expect(JSON.stringify(failed.result?.task?.status)).not.toContain('"fail"');
    const text = 'Cannot ask this librarian. Use a key that may.';
    const message = {
      parts: [{ text }, { data: { error: { code: 'UNAUTHORIZED' } } }],
      metadata: { code: 'UNAUTHORIZED' },
    };
    expect(failed.result?.task).toMatchObject({ status: { state: 'TASK_STATE_FAILED', message } });
  });
  it('has failed without internal details after an exception', async () => {
    const reply = await send('crash');
    expect(stateOf(reply)).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(reply)).toContain('INTERNAL_ERROR');
    expect(JSON.stringify(reply)).not.toContain('secret');
  });
  it('has evidence when the extension is requested', async () => {
    const headers = { 'a2a-extensions': `https://other.example/x, ${EVIDENCE_EXTENSION}` };
    const { response, json } = await agent.call(
      'SendMessage',
      { message: message('shipping') },
      { headers },
    );
    expect(response.headers.get('a2a-extensions')).toBe(EVIDENCE_EXTENSION);
    const statements = [{ sources: [{ quote: '4 to 7', start: 3 }], support: 0.9 }, {}];
    const evidence = { [EVIDENCE_EXTENSION]: { edition: 'e-1', confidence: 0.9, statements } };
    expect(json.result?.task?.artifacts).toMatchObject([
      { extensions: [EVIDENCE_EXTENSION], metadata: evidence },
    ]);
    const plain = await agent.call('SendMessage', { message: message('shipping') });
    expect(plain.response.headers.get('a2a-extensions')).toBeNull();
    expect(JSON.stringify(plain.json)).not.toContain(EVIDENCE_EXTENSION);
  });
  it.each([
    [['text/plain'], ['text', 'url']],
    [['application/json'], ['data']],
    [['*/*'], ['text', 'data', 'url']],
    [['Text/Markdown; charset=utf-8'], ['text', 'url']],
  ])('has the parts of the accepted modes %j', async (acceptedOutputModes, kinds) => {
    const sent = { message: message('shipping'), configuration: { acceptedOutputModes } };
    const { json } = await agent.call('SendMessage', sent);
    const [{ parts } = { parts: [] }] = Artifacts.parse(json.result?.task?.artifacts);
    expect(parts.map((part) => Object.keys(part)[0])).toEqual(kinds);
  });
  it('is refused for modes that no answer has', async () => {
    const configuration = { acceptedOutputModes: ['image/png'] };
    const { json } = await agent.call('SendMessage', {
      message: message('shipping'),
      configuration,
    });
    expect(json.error?.code).toBe(-32_005);
    expect(agent.questions).toEqual([]);
  });
});

describe('a conversation', () => {
  it('consists of the turns of one context and owner', async () => {
    await send('shipping', { contextId: 'c' });
    await send('shipping', { contextId: 'c' }, { owner: 'mallory' });
    await send('and now', { contextId: 'c' });
    expect(agent.questions.map(({ turns }) => turns.length)).toEqual([0, 0, 2]);
    expect(agent.questions[2]?.turns.map(({ speaker }) => speaker)).toEqual(['user', 'assistant']);
  });
  it('is named by the caller only when the message has its id', async () => {
    const { result } = await send('shipping');
    await send('and now', { contextId: result?.task?.contextId });
    expect(agent.questions.map(({ namesContext }) => namesContext)).toEqual([false, true]);
  });
  it('passes on the librarian and the metadata of its message', async () => {
    await send('shipping', {
      metadata: { librarian: 'navigator', person_id: 'p-1', devices: ['X'] },
    });
    const metadata = { person_id: 'p-1', devices: ['X'] };
    expect(agent.questions[0]).toMatchObject({ librarian: 'navigator', metadata });
  });
});

describe('a repeated message', () => {
  it('returns its task without a second question', async () => {
    const sent = { message: message('shipping') };
    const one = await agent.call('SendMessage', sent);
    const other = await agent.call('SendMessage', sent);
    expect(other.json).toEqual(one.json);
    expect(agent.questions).toHaveLength(1);
  });
  it('waits for the first when sent at the same time', async () => {
    const sent = { message: message('wait') };
    const both = Promise.all([agent.call('SendMessage', sent), agent.call('SendMessage', sent)]);
    await expect.poll(() => agent.questions.length).toBe(1);
    agent.open();
    const [one, other] = await both;
    expect(other.json).toEqual(one.json);
    expect(agent.questions).toHaveLength(1);
  });
  it.each([
    ['text', { parts: [{ text: 'other' }] }],
    ['librarian', { metadata: { librarian: 'navigator' } }],
    ['context', { contextId: 'another' }],
  ])('with another %s is refused', async (_, changed) => {
    const sent = message('shipping');
    await agent.call('SendMessage', { message: sent });
    const { json } = await agent.call('SendMessage', { message: { ...sent, ...changed } });
    expect(json.error).toMatchObject({
      code: -32_602,
      message: expect.stringContaining('messageId'),
    });
  });
  it('of another owner is another message', async () => {
    const sent = { message: message('shipping') };
    const one = await agent.call('SendMessage', sent);
    const other = await agent.call('SendMessage', sent, { owner: 'bob' });
    expect(stateOf(other.json)).toBe('TASK_STATE_COMPLETED');
    expect(other.json.result?.task?.id).not.toBe(one.json.result?.task?.id);
  });
});

describe('bounds', () => {
  it('an owner has at most 16 working tasks, independent of other owners', async () => {
    const begin = (owner: string) => agent.call('SendMessage', inBackground(), { owner });
    for (let at = 0; at < 16; at += 1)
      expect(stateOf((await begin('alice')).json)).toBe('TASK_STATE_WORKING');
    const { json } = await begin('alice');
    expect(json.error?.data[0]?.metadata.code).toBe('RATE_LIMITED');
    expect(stateOf((await begin('bob')).json)).toBe('TASK_STATE_WORKING');
    agent.open();
    await expect.poll(async () => stateOf((await begin('alice')).json)).toBeDefined();
  });
  it('a task has at most 16 streams', async () => {
    const { json } = await agent.call('SendMessage', inBackground());
    const client = await agent.client();
    const follow = () => client.resubscribeTask({ tenant: '', id: json.result?.task?.id ?? '' });
    for (let at = 0; at < 16; at += 1) {
      const stream = follow();
      await stream.next();
      void stream.next();
    }
    await expect(follow().next()).rejects.toThrow('followed by too many streams');
    agent.open();
  });
  it('a closed stream makes room for another at once', async () => {
    const { json } = await agent.call('SendMessage', inBackground());
    const follow = () => agent.post('SubscribeToTask', { id: json.result?.task?.id });
    const isFollowed = async (response: Response) =>
      response.headers.get('content-type')?.includes('event-stream');
    const readers = await Promise.all(Array.from({ length: 16 }, follow));
    expect(await Promise.all(readers.map(isFollowed))).toEqual(readers.map(() => true));
    expect(await isFollowed(await follow())).toBe(false);
    await Promise.all(readers.slice(0, 4).map((reader) => reader.body?.cancel()));
    const next = await Promise.all(Array.from({ length: 4 }, follow));
    expect(await Promise.all(next.map(isFollowed))).toEqual([true, true, true, true]);
    expect(await isFollowed(await follow())).toBe(false);
    agent.open();
    expect(await readers.at(-1)?.text()).toContain('TASK_STATE_COMPLETED');
  });
  it('the oldest tasks of an owner are removed first', async () => {
    agent = startAgent({ perOwner: 3 });
    const first = await send('shipping 0');
    for (let at = 1; at < 4; at += 1) await send(`shipping ${at}`);
    const { json } = await agent.call('ListTasks', {});
    expect(json.result?.totalSize).toBe(3);
    expect((await agent.call('GetTask', { id: first.result?.task?.id })).json.error?.code).toBe(
      -32_001,
    );
  });
  it('a working task is not removed', async () => {
    agent = startAgent({ perOwner: 2 });
    const { json } = await agent.call('SendMessage', inBackground());
    for (let at = 0; at < 3; at += 1) await send(`shipping ${at}`);
    const listed = (await agent.call('ListTasks', { status: 'TASK_STATE_WORKING' })).json.result;
    expect(listed?.tasks).toMatchObject([{ id: json.result?.task?.id }]);
  });
  it('tasks of the same time are each on one page', async () => {
    agent = startAgent({ now: () => 1_790_000_000_000 });
    for (let at = 0; at < 4; at += 1) await send(`shipping ${at}`);
    const ids: string[] = [];
    for (let pageToken = '', at = 0; at < 4; at += 1) {
      const page = Page.parse(
        (await agent.call('ListTasks', { pageSize: 1, pageToken })).json.result,
      );
      ids.push(...page.tasks.map(({ id }) => id));
      pageToken = page.nextPageToken;
    }
    expect(new Set(ids).size).toBe(4);
  });
  it('a page with artifacts is shorter, and states its size', async () => {
    expect((await agent.call('ListTasks', { pageSize: 50 })).json.result).toMatchObject({
      pageSize: 50,
    });
    const full = await agent.call('ListTasks', { pageSize: 50, includeArtifacts: true });
    expect(full.json.result).toMatchObject({ pageSize: 20 });
  });
  it('a task expires, and its message can be sent again', async () => {
    let time = 1_790_000_000_000;
    agent = startAgent({ now: () => time });
    const sent = { message: message('shipping') };
    await agent.call('SendMessage', sent);
    await delay(2);
    agent.store.expire(time);
    expect(agent.store.nextExpiry()).toBe(time + LIFETIME_MS);
    time += LIFETIME_MS;
    agent.store.expire(time);
    expect(agent.store.nextExpiry()).toBeUndefined();
    expect((await agent.call('ListTasks', {})).json.result?.totalSize).toBe(0);
    await agent.call('SendMessage', sent);
    expect(agent.questions).toHaveLength(2);
  });
  it('a task that was working when the process ended has failed', async () => {
    const { sql } = agent;
    const { json } = await agent.call('SendMessage', inBackground());
    const { json: after } = await startAgent({ sql }).call('GetTask', {
      id: json.result?.task?.id,
    });
    const message = { metadata: { code: 'SERVICE_UNAVAILABLE' } };
    expect(after.result).toMatchObject({ status: { state: 'TASK_STATE_FAILED', message } });
  });
});

describe('a stored task', () => {
  it('is written once when it is answered at once', async () => {
    const sql = nodeSql();
    const writes: string[] = [];
    const run: typeof sql.run = (statement, ...values) => {
      writes.push(statement.split(' ')[0] ?? '');
      sql.run(statement, ...values);
    };
    agent = startAgent({ sql: { ...sql, run } });
    writes.length = 0;
    await send('shipping');
    // The task and its message.
    expect(writes).toEqual(['INSERT', 'INSERT']);
  });
  it('is refused when it cannot be written, and what could not be written fails no other', async () => {
    const sql = nodeSql();
    let failures = 0;
    const run: typeof sql.run = (statement, ...values) => {
      if (failures-- > 0 && statement.startsWith('INSERT')) throw new Error('the disk is full');
      sql.run(statement, ...values);
    };
    agent = startAgent({ sql: { ...sql, run } });
    const waiting = send('wait');
    await expect.poll(() => agent.questions, { interval: 1 }).toHaveLength(1);
    failures = 1;
    const begin = async () => (await agent.call('SendMessage', inBackground('wait too'))).json;
    expect(stateOf(await begin())).toBe('TASK_STATE_WORKING');
    failures = 1;
    expect((await begin()).error).toMatchObject({
      data: [{ metadata: { code: 'INTERNAL_ERROR' } }],
    });
    expect(agent.aborted).toHaveLength(1);
    agent.open();
    expect(stateOf(await waiting)).toBe('TASK_STATE_COMPLETED');
    expect(sql.all('SELECT * FROM tasks')).toHaveLength(1);
  });
  it('is written while its caller waits, and before anything is read', async () => {
    const { sql } = agent;
    const waiting = send('wait');
    await expect.poll(() => agent.questions, { interval: 1 }).toHaveLength(1);
    const listed = await agent.call('ListTasks', { status: 'TASK_STATE_WORKING' });
    expect(listed.json.result?.totalSize).toBe(1);
    const second = send('wait');
    await expect.poll(() => sql.all('SELECT * FROM tasks')).toHaveLength(2);
    agent.open();
    expect([stateOf(await waiting), stateOf(await second)]).toEqual([
      'TASK_STATE_COMPLETED',
      'TASK_STATE_COMPLETED',
    ]);
  });
  const storedIn = (sql: ReturnType<typeof nodeSql>): string =>
    JSON.stringify([...sql.all('SELECT * FROM tasks'), ...sql.all('SELECT * FROM messages')]);
  it('is masked, also when the answer repeats the question', async () => {
    const { sql } = agent;
    const reply = await send('off topic, write to jane.doe@example.com');
    expect(JSON.stringify(reply.result?.task?.artifacts)).toContain('jane.doe@example.com');
    expect(storedIn(sql)).not.toContain('jane.doe');
    expect(storedIn(sql)).toContain('[email]');
  });
  it('is masked while it works, in a clarifying question that repeats it, and in the evidence of an answer', async () => {
    const { sql } = agent;
    const written = 'write to jane.doe@example.com';
    await agent.call('SendMessage', inBackground(`late, ${written}`), {
      headers: { 'a2a-extensions': EVIDENCE_EXTENSION },
    });
    expect(storedIn(sql)).toContain('[email]');
    expect(storedIn(sql)).not.toContain('jane.doe');
    agent.open();
    await expect.poll(() => storedIn(sql)).toContain('understood_as');
    await send(`vague, ${written}`);
    expect(storedIn(sql)).toContain('Which device is \\\\\\"vague, write to [email]');
    expect(storedIn(sql)).not.toContain('jane.doe');
  });
  it('has unmasked texts of articles', async () => {
    const { sql } = agent;
    await send('contact');
    expect(storedIn(sql)).toContain('Write to help@shop.example.');
  });
  it('is not stored again when the answer arrives after its erasure', async () => {
    const { sql } = agent;
    const sent = inBackground('late', { metadata: { person_id: 'p-1' } });
    const { json } = await agent.call('SendMessage', sent);
    expect(agent.tasks.erase('person', 'p-1', 'alice')).toBe(1);
    const canceled = await agent.call('CancelTask', { id: json.result?.task?.id });
    expect(canceled.json).toMatchObject({ error: { code: -32001 } });
    agent.open();
    await send('shipping');
    expect(sql.all('SELECT * FROM tasks')).toHaveLength(1);
  });
  it('belongs to the person of its first message', async () => {
    const begun = await send('vague', { metadata: { person_id: 'p-1' } });
    await send('shipping', { taskId: begun.result?.task?.id });
    expect(agent.tasks.erase('person', 'p-1', 'alice')).toBe(1);
  });
  it('is erased by conversation or person, also while it works', async () => {
    const { sql } = agent;
    const sent = { metadata: { person_id: 'p-1' } };
    await send('shipping', { contextId: 'c' });
    await send('shipping', sent);
    await agent.call('SendMessage', inBackground('wait', sent));
    await send('shipping', {}, { owner: 'bob' });
    await send('shipping', sent, { owner: 'bob' });
    // Those of others are erased too, and not counted.
    expect(agent.tasks.erase('person', 'p-1', 'alice')).toBe(2);
    expect(agent.aborted).toHaveLength(1);
    expect(agent.tasks.erase('context', 'c', 'alice')).toBe(1);
    agent.open();
    expect(sql.all('SELECT * FROM tasks')).toHaveLength(1);
    expect(sql.all('SELECT * FROM messages')).toHaveLength(1);
    expect(storedIn(sql)).not.toContain('p-1');
  });
});
