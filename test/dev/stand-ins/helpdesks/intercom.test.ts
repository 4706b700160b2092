import { expect, it } from 'vitest';
import { lacksOf, startDesk } from './desk-for-test.ts';

const FREE = ['.custom_attributes'];
const TICKET = { message: 'It & stops', tags: ['billing'] };
const { desk, call, hmacOf, seen, create } = await startDesk('intercom', TICKET, (token) => ({
  authorization: `Bearer ${token}`,
  'intercom-version': '2.16',
}));
const note = { message_type: 'note', type: 'admin', admin_id: '17', body: '<p>For agents</p>' };
const reply = (ticketId: string, changes: object = {}) =>
  call(`/conversations/${ticketId}/reply`, { body: { ...note, ...changes } });

it('refuses a wrong token, an unknown conversation and a note without an author', async () => {
  const { ticketId } = create();
  expect(await call('/me', { token: 'wrong' })).toMatchObject({ status: 401, body: { type: 'error.list' } });
  expect((await call('/conversations/1')).status).toBe(404);
  expect((await reply(ticketId, { admin_id: '5' })).status).toBe(404);
  expect((await reply(ticketId, { type: 'user' })).status).toBe(400);
});
it('returns a conversation as HTML, and as plain text on request', async () => {
  const { ticketId, messageId } = create();
  desk.addCustomerMessage(ticketId, 'Still');
  const { body } = await call(`/conversations/${ticketId}`);
  expect(body.source).toMatchObject({ id: messageId, body: '<p>It &amp; stops</p>', author: { type: 'user' } });
  expect(body.conversation_parts.conversation_parts).toMatchObject([{ part_type: 'comment', body: '<p>Still</p>' }]);
  expect((await call(`/conversations/${ticketId}?display_as=plaintext`)).body.source.body).toBe('It & stops');
  expect((await call(`/contacts/${body.contacts.contacts[0].id}`)).body.name).toBe('Dana Ortiz');
});
it('stores a note, and shows a comment to the customer', async () => {
  const { ticketId } = create();
  expect((await reply(ticketId)).status).toBe(200);
  await reply(ticketId, { message_type: 'comment' });
  expect([desk.notes(ticketId).length, seen(ticketId).length]).toEqual([1, 2]);
});
it('signs notifications that have all documented members', async () => {
  const { ticketId, messageId } = create();
  const { headers, body } = desk.sign(ticketId, messageId);
  expect(headers['X-Hub-Signature']).toBe(`sha1=${hmacOf('sha1', body, 'hex')}`);
  const replied = desk.sign(ticketId, desk.addCustomerMessage(ticketId, 'Still')).body;
  await reply(ticketId);
  const own = desk.sign(ticketId, desk.notes(ticketId)[0]?.id ?? '').body;
  expect(JSON.parse(own).topic).toBe('conversation.admin.noted');
  expect(lacksOf('intercom-conversation-user-created', body, FREE)).toEqual([]);
  expect(lacksOf('intercom-conversation-user-replied', replied, FREE)).toEqual([]);
  expect(lacksOf('intercom-conversation-admin-noted', own, FREE)).toEqual([]);
});
it('lists articles in pages, newest first, drafts without an address, internal ones separately', async () => {
  for (const title of ['one', 'two', 'three']) desk.articles.add({ title, body: `<p>${title}</p>` });
  desk.articles.add({ title: 'four', body: '<p>four</p>', state: 'draft' });
  desk.articles.add({ title: 'five', body: '<p>five</p>', audience: 'private' });
  const { body } = await call('/articles?per_page=3&page=1');
  const listed = body.data.map((one: { title: string; url: unknown }) => `${one.title} ${one.url !== null}`);
  expect(listed).toEqual(['four false', 'three true', 'two true']);
  expect([body.pages.total_pages, body.total_count]).toEqual([2, 4]);
  expect((await call('/internal_articles')).body.data).toMatchObject([{ title: 'five' }]);
  expect(lacksOf('intercom-kb-articles', body)).toEqual([]);
});
