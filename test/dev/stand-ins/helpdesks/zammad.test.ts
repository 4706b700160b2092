import { expect, it } from 'vitest';
import { lacks, lacksOf, payload, startDesk } from './desk-for-test.ts';

const TICKET = { message: 'It <stops>', subject: 'Stops', tags: ['hardware'], fields: { order_number: 'LB-1' } };
const { desk, call, hmacOf, seen, create } = await startDesk('zammad', TICKET, (token) => ({
  authorization: `Token token=${token}`,
}));
const NOTE = { body: '<p>For agents</p>', content_type: 'text/html', type: 'note', internal: true, sender: 'Agent' };
const note = (ticketId: string, changes: object = {}) =>
  call('/api/v1/ticket_articles', { body: { ticket_id: Number(ticketId), ...NOTE, ...changes } });

it('refuses a wrong token and an unknown ticket', async () => {
  expect((await call('/api/v1/users/me', { token: 'wrong' })).status).toBe(401);
  expect((await call('/api/v1/tickets/999')).status).toBe(404);
});
it('returns a ticket with ids, or with names when expanded, its articles and its tags', async () => {
  const { ticketId } = create();
  const get = async (path: string) => (await call(`/api/v1/${path}`)).body;
  const plain = await get(`tickets/${ticketId}`);
  expect([plain.title, plain.order_number, plain.customer]).toEqual(['Stops', 'LB-1', undefined]);
  expect((await get(`tickets/${ticketId}?expand=true`)).customer).toBe('dana.ortiz@example.net');
  const article = { sender: 'Customer', internal: false, body: '<p>It &lt;stops&gt;</p>' };
  expect(await get(`ticket_articles/by_ticket/${ticketId}`)).toMatchObject([article]);
  expect(await get(`tags?object=Ticket&o_id=${ticketId}`)).toEqual({ tags: ['hardware'] });
  expect(await get(`users/${plain.customer_id}`)).toMatchObject({ firstname: 'Dana', lastname: 'Ortiz' });
});
it('stores an internal note, and mails an internal article of type email', async () => {
  const { ticketId } = create();
  expect((await note(ticketId)).status).toBe(201);
  await note(ticketId, { type: 'email' });
  expect([desk.notes(ticketId).length, seen(ticketId).length]).toEqual([1, 2]);
});
it('replaces the shared draft of a ticket with the next one', async () => {
  const { ticketId } = create();
  const path = `/api/v1/tickets/${ticketId}/shared_draft`;
  expect((await call(path)).body).toEqual({ shared_draft_id: null, assets: null });
  for (const body of ['<p>one</p>', '<p>two</p>'])
    await call(`PUT ${path}`, { body: { new_article: { body }, ticket_attributes: {} } });
  const { shared_draft_id, assets } = (await call(path)).body;
  expect(assets.TicketSharedDraftZoom[shared_draft_id].new_article.body).toBe('<p>two</p>');
  expect(desk.drafts(ticketId)).toHaveLength(1);
});
it('signs deliveries with all documented members', async () => {
  const { ticketId, messageId } = create();
  const { headers, body } = desk.sign(ticketId, messageId);
  expect(headers).toMatchObject({
    'X-Hub-Signature': `sha1=${hmacOf('sha1', body, 'hex')}`,
    'X-Zammad-Delivery': expect.stringMatching(/^[\da-f-]{36}$/),
  });
  expect(body).toContain('\\u003cp\\u003eIt \\u0026lt;stops\\u0026gt;');
  expect(lacksOf('zammad-ticket-created', body)).toEqual([]);
  const own = desk.sign(ticketId, String((await note(ticketId)).body.id)).body;
  expect(JSON.parse(own).article).toMatchObject({ sender: 'Agent', internal: true, type: 'note' });
  expect(lacksOf('zammad-own-note', own)).toEqual([]);
});
it('returns the knowledge base without bodies, and the body of each answer', async () => {
  const id = desk.articles.add({ title: 'Stops', body: '<p>Restart it.</p>', labels: ['hardware'] });
  desk.articles.add({ title: 'Draft', body: '<p>Not yet.</p>', state: 'draft' });
  desk.articles.add({ title: 'Internal', body: '<p>Secret.</p>', audience: 'private' });
  desk.articles.add({ title: 'Old', body: '<p>Gone.</p>', state: 'archived' });
  const { body: assets } = await call('POST /api/v1/knowledge_bases/init');
  expect(JSON.stringify(assets)).not.toContain('Restart');
  const states = Object.values<Record<string, unknown>>(assets.KnowledgeBaseAnswer).map((one) =>
    ['published_at', 'internal_at', 'archived_at'].filter((name) => one[name] !== null).join(),
  );
  expect(states).toEqual(['published_at', '', 'internal_at', 'published_at,archived_at']);
  const [translation] = assets.KnowledgeBaseAnswer[id].translation_ids;
  const content = assets.KnowledgeBaseAnswerTranslation[translation].content_id;
  const answer = (await call(`/api/v1/knowledge_bases/1/answers/${id}?include_contents=${content}`)).body;
  expect(answer.assets.KnowledgeBaseAnswerTranslationContent[content].body).toBe('<p>Restart it.</p>');
  for (const name of ['Answer', 'AnswerTranslation', 'AnswerTranslationContent']) {
    const [documented, actual] = [payload('zammad-kb-answer'), answer].map(
      ({ assets: all }) => Object.values((all as Record<string, object>)[`KnowledgeBase${name}`] ?? {})[0],
    );
    expect([documented === undefined, lacks(documented, actual)]).toEqual([false, []]);
  }
});
