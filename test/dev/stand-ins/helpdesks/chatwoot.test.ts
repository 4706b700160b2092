import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalHelpdesks, startHelpdesks } from '../../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import { lacks, payload } from './shape-of.ts';

let helpdesks: LocalHelpdesks;
beforeAll(async () => {
  helpdesks = await startHelpdesks();
});
afterAll(() => helpdesks.stop());
beforeEach(() => {
  helpdesks.faults.none();
  helpdesks.desks.chatwoot.limitRate(undefined);
});

const FREE = ['.custom_attributes', '.additional_attributes', '.content_attributes', '.meta.meta'];

const call = (path: string, { body, token }: { body?: unknown; token?: string } = {}) => {
  const { apiUrl, connection } = helpdesks.desks.chatwoot;
  return fetch(`${apiUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { api_access_token: token ?? connection.apiToken, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
};
const conversation = (id: string) => `/api/v1/accounts/1/conversations/${id}`;
const create = () => helpdesks.desks.chatwoot.createTicket({ message: 'It <b>stops</b> & beeps', subject: 'Beeps' });
const note = (id: string, content: string) =>
  call(`${conversation(id)}/messages`, { body: { content, private: true } });

describe('the stand-in of Chatwoot', () => {
  it('refuses a wrong token, an account of somebody else and an unknown conversation', async () => {
    const { ticketId } = create();
    expect((await call(conversation(ticketId), { token: 'wrong' })).status).toBe(401);
    expect((await call(`/api/v1/accounts/2/conversations/${ticketId}`)).status).toBe(401);
    const unknown = await call(conversation('77'));
    expect([unknown.status, await unknown.json()]).toEqual([404, { error: 'Resource could not be found' }]);
  });

  it('gives a conversation back with its labels, its fields and its newest message', async () => {
    const { ticketId } = helpdesks.desks.chatwoot.createTicket({
      message: 'It stops',
      tags: ['hardware'],
      fields: { serial: 'A-17' },
      customer: { name: 'Ada Byron', email: 'ada@example.net' },
    });
    const shown = await (await call(conversation(ticketId))).json();
    expect(shown).toMatchObject({
      id: Number(ticketId),
      labels: ['hardware'],
      custom_attributes: { serial: 'A-17' },
      meta: { sender: { name: 'Ada Byron', type: 'contact' } },
      messages: [{ content: 'It stops', message_type: 0, private: false }],
    });
  });

  it('pages messages by twenty, the newest first asked for', async () => {
    const { ticketId, messageId } = create();
    for (let at = 0; at < 44; at += 1) helpdesks.desks.chatwoot.addCustomerMessage(ticketId, `message ${at}`);
    const page = async (query: string) => {
      const { payload: messages } = await (await call(`${conversation(ticketId)}/messages${query}`)).json();
      return (messages as { id: number; content: string }[]).map(({ id, content }) => ({ id, content }));
    };
    const last = await page('');
    expect(last.map(({ content }) => content)).toEqual(Array.from({ length: 20 }, (_, at) => `message ${at + 24}`));
    const before = await page(`?before=${last[0]?.id}`);
    expect([before[0]?.content, before.at(-1)?.content]).toEqual(['message 4', 'message 23']);
    expect(await page(`?before=${before[0]?.id}`)).toHaveLength(5);
    expect(await page(`?after=${messageId}`)).toHaveLength(44);
  });

  it('keeps a private message as a note, which the customer does not see', async () => {
    const { ticketId } = create();
    const answer = await note(ticketId, 'For agents');
    expect(answer.status).toBe(200);
    const { id } = (await answer.json()) as { id: number };
    expect(helpdesks.desks.chatwoot.notes(ticketId)).toMatchObject([{ id: String(id), body: 'For agents' }]);
    await call(`${conversation(ticketId)}/messages`, { body: { content: 'For all' } });
    const seen = helpdesks.desks.chatwoot.seenByCustomer(ticketId).map(({ body }) => body);
    expect(seen).toEqual(['It <b>stops</b> & beeps', 'For all']);
  });

  it('signs deliveries that have all members of the documented ones, with escapes as Rails writes them', async () => {
    const { ticketId, messageId } = create();
    const { chatwoot } = helpdesks.desks;
    const now = 1_768_473_000_000;
    const { headers, body } = chatwoot.sign(ticketId, messageId, { now });
    const digest = createHmac('sha256', chatwoot.connection.secrets[0] ?? '')
      .update(`1768473000.${body}`)
      .digest('hex');
    expect(headers).toMatchObject({ 'X-Chatwoot-Timestamp': '1768473000', 'X-Chatwoot-Signature': `sha256=${digest}` });
    expect(body).toContain('It \\u003cb\\u003estops\\u003c/b\\u003e \\u0026 beeps');
    expect(lacks(payload('chatwoot-message-created-incoming'), JSON.parse(body), FREE)).toEqual([]);
    expect(chatwoot.sign(ticketId, messageId, { now })).toEqual({ headers, body });
    expect(chatwoot.sign(ticketId, messageId, { now, secret: 'another' }).headers).not.toEqual(headers);
  });

  it('signs its own note as an outgoing private message', async () => {
    const { ticketId } = create();
    const { id } = (await (await note(ticketId, 'For agents')).json()) as { id: number };
    const { body } = helpdesks.desks.chatwoot.sign(ticketId, String(id));
    expect(JSON.parse(body)).toMatchObject({ message_type: 'outgoing', private: true, sender: { type: 'agent_bot' } });
    expect(lacks(payload('chatwoot-message-created-own-note'), JSON.parse(body), FREE)).toEqual([]);
  });

  it('lists articles of all states by 25, the newest first, with all documented members', async () => {
    const { articles } = helpdesks.desks.chatwoot;
    for (let at = 0; at < 27; at += 1)
      articles.add({ title: `Article ${at}`, body: 'Text', state: at === 0 ? 'draft' : 'published' });
    const read = async (query: string) =>
      (await call(`/api/v1/accounts/1/portals/help/articles${query}`)).json() as Promise<{
        payload: { title: string; status: string }[];
        meta: object;
      }>;
    const first = await read('?page=1&locale=en');
    expect([first.payload.length, first.payload[0]?.title]).toEqual([25, 'Article 26']);
    expect((await read('?page=2')).payload.map(({ title, status }) => `${title} ${status}`)).toEqual([
      'Article 1 published',
      'Article 0 draft',
    ]);
    expect((await read('?page=2&status=published')).payload).toHaveLength(1);
    expect((await read('?locale=de')).payload).toEqual([]);
    expect(lacks(payload('chatwoot-kb-articles'), first, ['.category', '.meta.meta'])).toEqual([]);
  });

  it('limits requests without saying for how long', async () => {
    helpdesks.desks.chatwoot.limitRate({ requests: 1, windowMs: 60_000 });
    const { ticketId } = create();
    expect((await call(conversation(ticketId))).status).toBe(200);
    const limited = await call(conversation(ticketId));
    expect([limited.status, limited.headers.get('retry-after'), await limited.text()]).toEqual([
      429,
      null,
      'Retry later\n',
    ]);
  });

  it('carries a write out whose answer is lost, at once or late', async () => {
    const { ticketId } = create();
    const { faults, desks, finishLate } = helpdesks;
    faults.next(1, { kind: 'reset', executed: true }, '/chatwoot');
    await expect(note(ticketId, 'lost')).rejects.toThrow();
    expect(desks.chatwoot.notes(ticketId).map(({ body }) => body)).toEqual(['lost']);
    faults.next(1, { kind: 'reset', executedAfterMs: Number.POSITIVE_INFINITY }, '/chatwoot');
    await expect(note(ticketId, 'late')).rejects.toThrow();
    expect(desks.chatwoot.notes(ticketId)).toHaveLength(1);
    await finishLate();
    expect(desks.chatwoot.notes(ticketId).map(({ body }) => body)).toEqual(['lost', 'late']);
  });
});

describe('deliveries of the stand-in of Chatwoot', () => {
  let webhook: Server;
  const arrived: { body: string; signature: string }[] = [];
  beforeAll(async () => {
    webhook = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        arrived.push({
          body: Buffer.concat(chunks).toString(),
          signature: String(request.headers['x-chatwoot-signature']),
        });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void webhook.close());

  it('go to a webhook for the notes that come over the API', async () => {
    const { chatwoot } = helpdesks.desks;
    chatwoot.deliverTo(`http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`, { only: 'notes' });
    const { ticketId } = create();
    await note(ticketId, 'For agents');
    await expect.poll(() => chatwoot.deliveries.map(({ status }) => status), { timeout: 5000 }).toEqual([204]);
    chatwoot.deliverTo(undefined);
    expect(JSON.parse(arrived[0]?.body ?? '')).toMatchObject({ private: true, content: 'For agents' });
    expect(arrived[0]?.signature).toMatch(/^sha256=[0-9a-f]{64}$/);
  });
});
