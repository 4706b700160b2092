import { expect, it } from 'vitest';
import { lacksOf, startDesk } from './desk-for-test.ts';

const FREE = ['.custom_attributes', '.additional_attributes', '.content_attributes', '.meta.meta'];
const TICKET = {
  message: 'It <b>stops</b> & beeps',
  tags: ['hardware'],
  fields: { serial: 'A-17' },
  customer: { name: 'Ada Byron', email: 'ada@example.net' },
};
const { desk, clock, call, hmacOf, seen, create } = await startDesk('chatwoot', TICKET, (token) => ({
  api_access_token: token,
}));
const conversation = (id: string) => `/api/v1/accounts/1/conversations/${id}`;
const note = (id: string, content: string) =>
  call(`${conversation(id)}/messages`, { body: { content, private: true } });

it('refuses a wrong token, another account and an unknown conversation', async () => {
  const { ticketId } = create();
  expect((await call(conversation(ticketId), { token: 'wrong' })).status).toBe(401);
  expect((await call(`/api/v1/accounts/2/conversations/${ticketId}`)).status).toBe(401);
  const unknown = { status: 404, body: { error: 'Resource could not be found' } };
  expect(await call(conversation('77'))).toMatchObject(unknown);
});
it('returns a conversation with its labels, fields and newest message', async () => {
  const { ticketId } = create();
  expect((await call(conversation(ticketId))).body).toMatchObject({
    id: Number(ticketId),
    labels: ['hardware'],
    custom_attributes: { serial: 'A-17' },
    meta: { sender: { name: 'Ada Byron', type: 'contact' } },
    messages: [{ content: TICKET.message, message_type: 0, private: false }],
  });
});
it('returns the newest twenty messages by default, and pages with before and after', async () => {
  const { ticketId, messageId } = create();
  for (let at = 0; at < 44; at += 1) desk.addCustomerMessage(ticketId, `message ${at}`);
  const page = async (query: string): Promise<{ id: number; content: string }[]> =>
    (await call(`${conversation(ticketId)}/messages${query}`)).body.payload;
  const last = await page('');
  expect(last.map(({ content }) => content)).toEqual(Array.from({ length: 20 }, (_, at) => `message ${at + 24}`));
  const before = await page(`?before=${last[0]?.id}`);
  expect([before[0]?.content, before.at(-1)?.content]).toEqual(['message 4', 'message 23']);
  expect(await page(`?before=${before[0]?.id}`)).toHaveLength(5);
  expect(await page(`?after=${messageId}`)).toHaveLength(44);
});
it('stores a private message as a note, which the customer does not see', async () => {
  const { ticketId } = create();
  const { status, body } = await note(ticketId, 'For agents');
  expect([status, desk.notes(ticketId)]).toMatchObject([200, [{ id: String(body.id), body: 'For agents' }]]);
  await call(`${conversation(ticketId)}/messages`, { body: { content: 'For all' } });
  expect(seen(ticketId)).toEqual([TICKET.message, 'For all']);
});
it('signs deliveries with all documented members, escaped as Rails does', async () => {
  const { ticketId, messageId } = create();
  const { headers, body } = desk.sign(ticketId, messageId, { now: clock.now });
  const signature = `sha256=${hmacOf('sha256', `1768473000.${body}`, 'hex')}`;
  expect(headers).toMatchObject({ 'X-Chatwoot-Timestamp': '1768473000', 'X-Chatwoot-Signature': signature });
  expect(body).toContain('It \\u003cb\\u003estops\\u003c/b\\u003e \\u0026 beeps');
  expect(lacksOf('chatwoot-message-created-incoming', body, FREE)).toEqual([]);
  expect(desk.sign(ticketId, messageId, { now: clock.now, secret: 'another' }).headers).not.toEqual(headers);
  const own = desk.sign(ticketId, String((await note(ticketId, 'For agents')).body.id)).body;
  expect(JSON.parse(own)).toMatchObject({ message_type: 'outgoing', private: true, sender: { type: 'agent_bot' } });
  expect(lacksOf('chatwoot-message-created-own-note', own, FREE)).toEqual([]);
});
it('lists articles of all states by 25, the newest first, with all documented members', async () => {
  for (let at = 0; at < 27; at += 1)
    desk.articles.add({ title: `Article ${at}`, body: 'Text', state: at === 0 ? 'draft' : 'published' });
  const read = async (query: string) => (await call(`/api/v1/accounts/1/portals/help/articles${query}`)).body;
  const titles = ({ payload }: { payload: { title: string; status: string }[] }) =>
    payload.map(({ title, status }) => `${title} ${status}`);
  const first = await read('?page=1&locale=en');
  expect([first.payload.length, first.payload[0]?.title]).toEqual([25, 'Article 26']);
  expect(titles(await read('?page=2'))).toEqual(['Article 1 published', 'Article 0 draft']);
  expect(titles(await read('?page=2&status=published'))).toEqual(['Article 1 published']);
  expect(titles(await read('?locale=de'))).toEqual([]);
  expect(lacksOf('chatwoot-kb-articles', first, ['.category', '.meta.meta'])).toEqual([]);
});
