import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalHelpdesks, startHelpdesks } from '../../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import { lacks, payload } from './shape-of.ts';

const NOW = 1_768_473_000_000;
let helpdesks: LocalHelpdesks;
beforeAll(async () => {
  helpdesks = await startHelpdesks({ now: () => NOW });
});
afterAll(() => helpdesks.stop());

const call = async (path: string, { body, token }: { body?: unknown; token?: string } = {}) => {
  const { apiUrl, connection } = helpdesks.desks.intercom;
  const response = await fetch(`${apiUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token ?? connection.apiToken}`, 'intercom-version': '2.16' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
};
const create = () => helpdesks.desks.intercom.createTicket({ message: 'It & stops', tags: ['billing'] });
const note = { message_type: 'note', type: 'admin', admin_id: '17', body: '<p>For agents</p>' };

describe('the stand-in of Intercom', () => {
  it('refuses a wrong token, an unknown conversation and a note without an author', async () => {
    const { ticketId } = create();
    expect(await call('/me', { token: 'wrong' })).toMatchObject({ status: 401, body: { type: 'error.list' } });
    expect((await call('/conversations/1')).status).toBe(404);
    expect((await call(`/conversations/${ticketId}/reply`, { body: { ...note, admin_id: '5' } })).status).toBe(404);
    expect((await call(`/conversations/${ticketId}/reply`, { body: { ...note, type: 'user' } })).status).toBe(400);
  });

  it('gives a conversation as HTML, and as plain text when asked', async () => {
    const { ticketId, messageId } = create();
    helpdesks.desks.intercom.addCustomerMessage(ticketId, 'Still');
    const { body } = await call(`/conversations/${ticketId}`);
    expect(body.source).toMatchObject({ id: messageId, body: '<p>It &amp; stops</p>', author: { type: 'user' } });
    expect(body.conversation_parts.conversation_parts).toMatchObject([{ part_type: 'comment', body: '<p>Still</p>' }]);
    expect((await call(`/conversations/${ticketId}?display_as=plaintext`)).body.source.body).toBe('It & stops');
    expect((await call(`/contacts/${body.contacts.contacts[0].id}`)).body.name).toBe('Dana Ortiz');
  });

  it('keeps a note, and shows a comment to the customer', async () => {
    const { ticketId } = create();
    expect((await call(`/conversations/${ticketId}/reply`, { body: note })).status).toBe(200);
    await call(`/conversations/${ticketId}/reply`, { body: { ...note, message_type: 'comment' } });
    const { intercom } = helpdesks.desks;
    expect([intercom.notes(ticketId).length, intercom.seenByCustomer(ticketId).length]).toEqual([1, 2]);
  });

  it('signs notifications that have all documented members', async () => {
    const { intercom } = helpdesks.desks;
    const { ticketId, messageId } = create();
    const free = ['.custom_attributes'];
    const first = intercom.sign(ticketId, messageId);
    expect(lacks(payload('intercom-conversation-user-created'), JSON.parse(first.body), free)).toEqual([]);
    const digest = createHmac('sha1', intercom.connection.secrets[0] ?? '')
      .update(first.body)
      .digest('hex');
    expect(first.headers['X-Hub-Signature']).toBe(`sha1=${digest}`);
    const reply = intercom.sign(ticketId, intercom.addCustomerMessage(ticketId, 'Still'));
    expect(lacks(payload('intercom-conversation-user-replied'), JSON.parse(reply.body), free)).toEqual([]);
    await call(`/conversations/${ticketId}/reply`, { body: note });
    const own = JSON.parse(intercom.sign(ticketId, intercom.notes(ticketId)[0]?.id ?? '').body);
    expect([own.topic, lacks(payload('intercom-conversation-admin-noted'), own, free)]).toEqual([
      'conversation.admin.noted',
      [],
    ]);
  });

  it('lists articles by page, the newest first, drafts without an address, internal ones apart', async () => {
    const { articles } = helpdesks.desks.intercom;
    for (const title of ['one', 'two', 'three']) articles.add({ title, body: `<p>${title}</p>` });
    articles.add({ title: 'four', body: '<p>four</p>', state: 'draft' });
    articles.add({ title: 'five', body: '<p>five</p>', audience: 'private' });
    const { body } = await call('/articles?per_page=3&page=1');
    expect(body.data.map((one: { title: string; url: unknown }) => [one.title, one.url !== null])).toEqual([
      ['four', false],
      ['three', true],
      ['two', true],
    ]);
    expect([body.pages.total_pages, body.total_count]).toEqual([2, 4]);
    expect((await call('/internal_articles')).body.data).toMatchObject([{ title: 'five' }]);
    expect(lacks(payload('intercom-kb-articles'), body)).toEqual([]);
  });

  it('limits requests until a reported time', async () => {
    helpdesks.desks.intercom.limitRate({ requests: 0, windowMs: 10_000 });
    const { status, headers, body } = await call('/me');
    expect([status, headers.get('x-ratelimit-reset'), headers.get('retry-after')]).toEqual([429, '1768473010', null]);
    expect(body.errors[0].code).toBe('rate_limit_exceeded');
  });
});
