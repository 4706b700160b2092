import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalHelpdesks, startHelpdesks } from '../../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import { lacks, payload } from './shape-of.ts';

let helpdesks: LocalHelpdesks;
beforeAll(async () => {
  helpdesks = await startHelpdesks();
});
afterAll(() => helpdesks.stop());

const call = async (route: string, { body, token }: { body?: unknown; token?: string } = {}) => {
  const { apiUrl, connection } = helpdesks.desks.zammad;
  const [method = '', path = ''] = route.split(' ');
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: { authorization: `Token token=${token ?? connection.apiToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
};
const create = () =>
  helpdesks.desks.zammad.createTicket({
    message: 'It <stops>',
    subject: 'Stops',
    tags: ['hardware'],
    fields: { order_number: 'LB-1' },
  });
const note = (ticketId: string) => ({
  ticket_id: Number(ticketId),
  body: '<p>For agents</p>',
  content_type: 'text/html',
  type: 'note',
  internal: true,
  sender: 'Agent',
});

describe('the stand-in of Zammad', () => {
  it('refuses a wrong token and an unknown ticket', async () => {
    expect((await call('GET /api/v1/users/me', { token: 'wrong' })).status).toBe(401);
    expect((await call('GET /api/v1/tickets/999')).status).toBe(404);
  });

  it('gives a ticket with ids, or with names when expanded, its articles and its tags', async () => {
    const { ticketId } = create();
    const plain = (await call(`GET /api/v1/tickets/${ticketId}`)).body;
    expect([plain.title, plain.order_number, plain.customer]).toEqual(['Stops', 'LB-1', undefined]);
    expect((await call(`GET /api/v1/tickets/${ticketId}?expand=true`)).body.customer).toBe('dana.ortiz@example.net');
    expect((await call(`GET /api/v1/ticket_articles/by_ticket/${ticketId}`)).body).toMatchObject([
      { sender: 'Customer', internal: false, body: '<p>It &lt;stops&gt;</p>' },
    ]);
    expect((await call(`GET /api/v1/tags?object=Ticket&o_id=${ticketId}`)).body).toEqual({ tags: ['hardware'] });
    expect((await call(`GET /api/v1/users/${plain.customer_id}`)).body).toMatchObject({
      firstname: 'Dana',
      lastname: 'Ortiz',
    });
  });

  it('keeps an internal note, and mails an internal article of type email', async () => {
    const { ticketId } = create();
    expect((await call('POST /api/v1/ticket_articles', { body: note(ticketId) })).status).toBe(201);
    await call('POST /api/v1/ticket_articles', { body: { ...note(ticketId), type: 'email' } });
    const { zammad } = helpdesks.desks;
    expect([zammad.notes(ticketId).length, zammad.seenByCustomer(ticketId).length]).toEqual([1, 2]);
  });

  it('has one shared draft a ticket, which the next one replaces', async () => {
    const { ticketId } = create();
    const path = `/api/v1/tickets/${ticketId}/shared_draft`;
    expect((await call(`GET ${path}`)).body).toEqual({ shared_draft_id: null, assets: null });
    const put = (body: string) => call(`PUT ${path}`, { body: { new_article: { body }, ticket_attributes: {} } });
    await put('<p>one</p>');
    await put('<p>two</p>');
    const { shared_draft_id, assets } = (await call(`GET ${path}`)).body;
    expect(assets.TicketSharedDraftZoom[shared_draft_id].new_article.body).toBe('<p>two</p>');
    expect(helpdesks.desks.zammad.drafts(ticketId)).toHaveLength(1);
  });

  it('signs what its triggers send, with all documented members', async () => {
    const { zammad } = helpdesks.desks;
    const { ticketId, messageId } = create();
    const { headers, body } = zammad.sign(ticketId, messageId);
    const digest = createHmac('sha1', zammad.connection.secrets[0] ?? '')
      .update(body)
      .digest('hex');
    expect(headers).toMatchObject({
      'X-Hub-Signature': `sha1=${digest}`,
      'X-Zammad-Delivery': expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(body).toContain('\\u003cp\\u003eIt \\u0026lt;stops\\u0026gt;');
    expect(lacks(payload('zammad-ticket-created'), JSON.parse(body))).toEqual([]);
    const own = (await call('POST /api/v1/ticket_articles', { body: note(ticketId) })).body.id;
    const delivered = JSON.parse(zammad.sign(ticketId, String(own)).body);
    expect(delivered.article).toMatchObject({ sender: 'Agent', internal: true, type: 'note' });
    expect(lacks(payload('zammad-own-note'), delivered)).toEqual([]);
  });

  it('gives the knowledge base without bodies, and bodies by answer', async () => {
    const { articles } = helpdesks.desks.zammad;
    const id = articles.add({ title: 'Stops', body: '<p>Restart it.</p>', labels: ['hardware'] });
    articles.add({ title: 'Draft', body: '<p>Not yet.</p>', state: 'draft' });
    articles.add({ title: 'Internal', body: '<p>Secret.</p>', audience: 'private' });
    articles.add({ title: 'Old', body: '<p>Gone.</p>', state: 'archived' });
    const { body: assets } = await call('POST /api/v1/knowledge_bases/init');
    expect(JSON.stringify(assets)).not.toContain('Restart');
    const states = Object.values<Record<string, unknown>>(assets.KnowledgeBaseAnswer).map((one) =>
      ['published_at', 'internal_at', 'archived_at'].map((name) => one[name] !== null),
    );
    expect(states).toEqual([
      [true, false, false],
      [false, false, false],
      [false, true, false],
      [true, false, true],
    ]);
    const [translation] = assets.KnowledgeBaseAnswer[id].translation_ids;
    const content = assets.KnowledgeBaseAnswerTranslation[translation].content_id;
    const answer = (await call(`GET /api/v1/knowledge_bases/1/answers/${id}?include_contents=${content}`)).body;
    expect(answer.assets.KnowledgeBaseAnswerTranslationContent[content].body).toBe('<p>Restart it.</p>');
    const named = ['KnowledgeBaseAnswer', 'KnowledgeBaseAnswerTranslation', 'KnowledgeBaseAnswerTranslationContent'];
    const [documented, actual] = [payload('zammad-kb-answer'), answer].map(({ assets: all }) =>
      named.map((name) => Object.values((all as Record<string, object>)[name] ?? {})[0]),
    );
    expect(documented?.flatMap((one, at) => lacks(one, actual?.[at]))).toEqual([]);
  });
});
