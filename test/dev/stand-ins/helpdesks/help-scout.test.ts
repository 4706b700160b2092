import { expect, it } from 'vitest';
import { lacksOf, startDesk } from './desk-for-test.ts';

const TICKET = { message: 'It stops', subject: 'Stops', tags: ['billing'], fields: { Order: 'LB-1' } };
const { desk, clock, call, hmacOf, create } = await startDesk('help-scout', TICKET, (token) => ({
  authorization: token.startsWith('Basic ') ? token : `Bearer ${token}`,
}));
const newToken = async (secret = desk.connection.apiToken): Promise<string> => {
  const form = {
    grant_type: 'client_credentials',
    client_id: desk.connection.options.clientId ?? '',
    client_secret: secret,
  };
  const response = await fetch(`${desk.apiUrl}/v2/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
  return String(((await response.json()) as Record<string, unknown>).access_token);
};
let token = await newToken();
const ask = (path: string, body?: unknown) => call(path, { body, token });
const conversation = (id: string, path = '') => `/v2/conversations/${id}${path}`;

it('gives tokens for two days, and only to its own app', async () => {
  expect(await newToken('wrong')).toBe('undefined');
  expect((await ask('/v2/users/me')).status).toBe(200);
  clock.now += 172_800_000;
  expect((await ask('/v2/users/me')).status).toBe(401);
  token = await newToken();
});
it('returns a conversation with its threads, newest first, in pages', async () => {
  const { ticketId } = create();
  for (let at = 1; at < 27; at += 1) desk.addCustomerMessage(ticketId, `more ${at}`);
  const whole = (await ask(conversation(ticketId, '?embed=threads'))).body;
  expect(whole._embedded.threads[0].body).toBe('<p>more 26</p>');
  expect((await ask(conversation(ticketId))).body._embedded).toEqual({});
  const page = (await ask(conversation(ticketId, '/threads?page=2'))).body;
  expect([page._embedded.threads.length, page.page.totalPages]).toEqual([2, 2]);
  expect(page._embedded.threads.at(-1)).toMatchObject({ type: 'customer', body: '<p>It stops</p>' });
});
it('stores notes and draft replies, which the customer does not see, and returns their ids', async () => {
  const { ticketId } = create();
  const customer = { id: (await ask(conversation(ticketId))).body.primaryCustomer.id };
  const note = await ask(conversation(ticketId, '/notes'), { text: '<p>For agents</p>' });
  expect([note.status, note.headers.get('resource-id')]).toEqual([201, desk.notes(ticketId)[0]?.id]);
  const reply = (draft: boolean) => ask(conversation(ticketId, '/reply'), { text: 'Hello', customer, draft });
  await reply(true);
  expect([desk.drafts(ticketId).length, desk.seenByCustomer(ticketId).length]).toEqual([1, 1]);
  await reply(false);
  expect(desk.seenByCustomer(ticketId)).toHaveLength(2);
  const { threads } = (await ask(conversation(ticketId, '/threads'))).body._embedded;
  expect(threads.map((one: { type: string; state: string }) => `${one.type} ${one.state}`)).toEqual([
    'message published',
    'message draft',
    'note published',
    'customer published',
  ]);
});
it('refuses the thread after the hundredth', async () => {
  const { ticketId } = create();
  for (let at = 1; at < 100; at += 1) desk.addCustomerMessage(ticketId, 'again');
  expect((await ask(conversation(ticketId, '/notes'), { text: 'one too many' })).status).toBe(412);
});
it('signs conversations as they were when the message arrived', () => {
  const { ticketId, messageId } = create();
  const reply = desk.addCustomerMessage(ticketId, 'More');
  const [first, second] = [desk.sign(ticketId, messageId), desk.sign(ticketId, reply)];
  expect([first.headers, second.headers]).toMatchObject([
    { 'X-HelpScout-Event': 'convo.created', 'X-HelpScout-Signature': hmacOf('sha1', first.body, 'base64') },
    { 'X-HelpScout-Event': 'convo.customer.reply.created' },
  ]);
  expect(JSON.parse(first.body)._embedded.threads).toHaveLength(1);
  expect(lacksOf('helpscout-convo-created', first.body)).toEqual([]);
  expect(lacksOf('helpscout-convo-customer-reply-created', second.body)).toEqual([]);
});
it('has articles in a public and a private collection, under a key of its own', async () => {
  const id = desk.articles.add({ title: 'Stops', body: '<p>Restart it.</p>' });
  desk.articles.add({ title: 'Draft', body: '<p>Not yet.</p>', state: 'draft' });
  desk.articles.add({ title: 'Partners', body: '<p>Secret.</p>', audience: 'private' });
  const read = (path: string, key = desk.articleSource.token) => call(path, { token: `Basic ${btoa(`${key}:X`)}` });
  expect((await read('/v1/collections', 'wrong')).status).toBe(401);
  const { items } = (await read('/v1/collections')).body.collections;
  expect(items.map(({ visibility }: { visibility: string }) => visibility)).toEqual(['public', 'private']);
  const list = (await read(`/v1/collections/${items[0].id}/articles?status=published`)).body.articles;
  expect([list.count, list.items[0].id, list.items[0].text]).toEqual([1, id, undefined]);
  const { body } = await read(`/v1/articles/${id}`);
  expect(body.article.text).toBe('<p>Restart it.</p>');
  expect(lacksOf('helpscout-kb-article', body)).toEqual([]);
});
