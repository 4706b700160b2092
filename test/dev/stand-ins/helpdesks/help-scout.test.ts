import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalHelpdesks, startHelpdesks } from '../../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import { lacks, payload } from './shape-of.ts';

let now = 1_768_473_000_000;
let helpdesks: LocalHelpdesks;
let token = '';
beforeAll(async () => {
  helpdesks = await startHelpdesks({ now: () => now });
  token = await newToken();
});
afterAll(() => helpdesks.stop());

const newToken = async (secret = helpdesks.desks['help-scout'].connection.apiToken): Promise<string> => {
  const { apiUrl, connection } = helpdesks.desks['help-scout'];
  const form = {
    grant_type: 'client_credentials',
    client_id: connection.options.clientId ?? '',
    client_secret: secret,
  };
  const response = await fetch(`${apiUrl}/v2/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
  return String(((await response.json()) as Record<string, unknown>).access_token);
};
const call = async (
  path: string,
  { body, authorization = `Bearer ${token}` }: { body?: unknown; authorization?: string } = {},
) => {
  const response = await fetch(`${helpdesks.desks['help-scout'].apiUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: JSON.parse(text || 'null'),
  };
};
const create = () =>
  helpdesks.desks['help-scout'].createTicket({
    message: 'It stops',
    subject: 'Stops',
    tags: ['billing'],
    fields: { Order: 'LB-1' },
  });

describe('the stand-in of Help Scout', () => {
  it('gives tokens for two days, to its own app alone', async () => {
    expect(await newToken('wrong')).toBe('undefined');
    const old = await newToken();
    expect((await call('/v2/users/me', { authorization: `Bearer ${old}` })).status).toBe(200);
    now += 172_800_000;
    expect((await call('/v2/users/me', { authorization: `Bearer ${old}` })).status).toBe(401);
    token = await newToken();
  });

  it('gives a conversation with its threads, the newest first, and by page', async () => {
    const { ticketId } = create();
    for (let at = 1; at < 27; at += 1) helpdesks.desks['help-scout'].addCustomerMessage(ticketId, `more ${at}`);
    const whole = (await call(`/v2/conversations/${ticketId}?embed=threads`)).body;
    expect(whole._embedded.threads[0].body).toBe('<p>more 26</p>');
    expect((await call(`/v2/conversations/${ticketId}`)).body._embedded).toEqual({});
    const page = (await call(`/v2/conversations/${ticketId}/threads?page=2`)).body;
    expect([page._embedded.threads.length, page.page.totalPages]).toEqual([2, 2]);
    expect(page._embedded.threads.at(-1)).toMatchObject({ type: 'customer', body: '<p>It stops</p>' });
  });

  it('keeps notes and draft replies, which the customer does not see, and tells their ids', async () => {
    const desk = helpdesks.desks['help-scout'];
    const { ticketId } = create();
    const customer = { id: (await call(`/v2/conversations/${ticketId}`)).body.primaryCustomer.id };
    const note = await call(`/v2/conversations/${ticketId}/notes`, { body: { text: '<p>For agents</p>' } });
    expect([note.status, note.headers.get('resource-id')]).toEqual([201, desk.notes(ticketId)[0]?.id]);
    const reply = (draft: boolean) =>
      call(`/v2/conversations/${ticketId}/reply`, { body: { text: 'Hello', customer, draft } });
    await reply(true);
    expect([desk.drafts(ticketId).length, desk.seenByCustomer(ticketId).length]).toEqual([1, 1]);
    await reply(false);
    expect(desk.seenByCustomer(ticketId)).toHaveLength(2);
    const threads = (await call(`/v2/conversations/${ticketId}/threads`)).body._embedded.threads;
    expect(threads.map((one: { type: string; state: string }) => `${one.type} ${one.state}`)).toEqual([
      'message published',
      'message draft',
      'note published',
      'customer published',
    ]);
  });

  it('takes a hundred threads and no more', async () => {
    const { ticketId } = create();
    for (let at = 1; at < 100; at += 1) helpdesks.desks['help-scout'].addCustomerMessage(ticketId, 'again');
    expect((await call(`/v2/conversations/${ticketId}/notes`, { body: { text: 'one too many' } })).status).toBe(412);
  });

  it('signs conversations as they were when the message came', async () => {
    const desk = helpdesks.desks['help-scout'];
    const { ticketId, messageId } = create();
    const reply = desk.addCustomerMessage(ticketId, 'More');
    const { headers, body } = desk.sign(ticketId, messageId);
    const digest = createHmac('sha1', desk.connection.secrets[0] ?? '')
      .update(body)
      .digest('base64');
    expect(headers).toMatchObject({ 'X-HelpScout-Event': 'convo.created', 'X-HelpScout-Signature': digest });
    expect(JSON.parse(body)._embedded.threads).toHaveLength(1);
    expect(lacks(payload('helpscout-convo-created'), JSON.parse(body))).toEqual([]);
    const second = desk.sign(ticketId, reply);
    expect(second.headers['X-HelpScout-Event']).toBe('convo.customer.reply.created');
    expect(lacks(payload('helpscout-convo-customer-reply-created'), JSON.parse(second.body))).toEqual([]);
  });

  it('limits requests in a header of its own', async () => {
    helpdesks.desks['help-scout'].limitRate({ requests: 0, windowMs: 20_000 });
    const { status, headers } = await call('/v2/users/me');
    expect([status, headers.get('x-ratelimit-retry-after')]).toEqual([429, '20']);
    helpdesks.desks['help-scout'].limitRate(undefined);
  });

  it('has articles in a public and a private collection, under a key of its own', async () => {
    const { articles, articleSource } = helpdesks.desks['help-scout'];
    const id = articles.add({ title: 'Stops', body: '<p>Restart it.</p>' });
    articles.add({ title: 'Draft', body: '<p>Not yet.</p>', state: 'draft' });
    articles.add({ title: 'Partners', body: '<p>Secret.</p>', audience: 'private' });
    const authorization = `Basic ${btoa(`${articleSource.token}:X`)}`;
    expect((await call('/v1/collections', { authorization: `Basic ${btoa('wrong:X')}` })).status).toBe(401);
    const { items } = (await call('/v1/collections', { authorization })).body.collections;
    expect(items.map(({ visibility }: { visibility: string }) => visibility)).toEqual(['public', 'private']);
    const list = (await call(`/v1/collections/${items[0].id}/articles?status=published`, { authorization })).body
      .articles;
    expect([list.count, list.items[0].id, list.items[0].text]).toEqual([1, id, undefined]);
    const article = (await call(`/v1/articles/${id}`, { authorization })).body;
    expect(article.article.text).toBe('<p>Restart it.</p>');
    expect(lacks(payload('helpscout-kb-article'), article)).toEqual([]);
  });
});
