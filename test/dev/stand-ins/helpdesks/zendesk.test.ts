import { describe, expect, it } from 'vitest';
import { lacksOf, startDesk } from './desk-for-test.ts';

const TICKET = { message: 'It <stops>', subject: 'Stops', tags: ['hardware'], fields: { Serial: 'A-17' } };
const { desk, clock, call, hmacOf, seen, create } = await startDesk('zendesk', TICKET, (token, { connection }) => ({
  authorization: `Basic ${btoa(`${connection.options.email}/token:${token}`)}`,
}));
const comment = (ticketId: string, given: object, safely: object = {}) =>
  call(`PUT /api/v2/tickets/${ticketId}.json`, { body: { ticket: { comment: given, ...safely } } });
const NOTE = { body: 'note', public: false };

describe('the stand-in of Zendesk', () => {
  it('refuses wrong credentials and unknown tickets', async () => {
    expect((await call('/api/v2/users/me.json', { token: 'wrong' })).status).toBe(401);
    expect(await call('/api/v2/tickets/1.json')).toMatchObject({ status: 404, body: { error: 'RecordNotFound' } });
  });
  it('returns a ticket with its users, fields and comments as text and as HTML', async () => {
    const { ticketId, messageId } = create();
    const { body } = await call(`/api/v2/tickets/${ticketId}.json?include=users`);
    const [{ id: field, title }] = (await call('/api/v2/ticket_fields.json')).body.ticket_fields;
    expect([title, body.ticket.custom_fields]).toEqual(['Serial', [{ id: field, value: 'A-17' }]]);
    expect(body.users).toContainEqual(expect.objectContaining({ id: body.ticket.requester_id, name: 'Dana Ortiz' }));
    const { comments } = (await call(`/api/v2/tickets/${ticketId}/comments.json`)).body;
    const html_body = expect.stringContaining('<p>It &lt;stops&gt;</p>');
    expect(comments).toMatchObject([{ id: Number(messageId), body: 'It <stops>', public: true, html_body }]);
  });
  it('pages comments by cursor and by number, from either end', async () => {
    const { ticketId } = create();
    for (let at = 1; at < 5; at += 1) desk.addCustomerMessage(ticketId, `more ${at}`);
    const path = `/api/v2/tickets/${ticketId}/comments.json`;
    const pages: string[][] = [];
    let next: string | null = `${path}?page[size]=2&sort=-created_at`;
    while (next !== null) {
      const { body } = await call(next);
      pages.push(body.comments.map((one: { body: string }) => one.body));
      next = body.meta.has_more ? body.links.next : null;
    }
    expect(pages).toEqual([['more 4', 'more 3'], ['more 2', 'more 1'], ['It <stops>']]);
    const byNumber = (await call(`${path}?per_page=3&page=2`)).body;
    expect([byNumber.comments.length, byNumber.count, byNumber.next_page]).toEqual([2, 5, null]);
  });
  it('stores a comment as a note only when it is not public', async () => {
    const { ticketId } = create();
    const { status, body } = await comment(ticketId, { html_body: '<p>For agents</p>', public: false });
    expect([status, body.audit.events[0].public]).toEqual([200, false]);
    await comment(ticketId, { body: 'For all' });
    expect(desk.notes(ticketId)).toMatchObject([{ id: String(body.audit.events[0].id), body: '<p>For agents</p>' }]);
    expect(seen(ticketId)).toEqual(['It <stops>', 'For all']);
  });
  it('refuses a safe update of a ticket that was changed after it was read', async () => {
    const { ticketId } = create();
    const { updated_at } = (await call(`/api/v2/tickets/${ticketId}.json`)).body.ticket;
    const safely = { safe_update: true, updated_stamp: updated_at };
    clock.now += 1000;
    expect((await comment(ticketId, NOTE, safely)).status).toBe(200);
    expect(await comment(ticketId, NOTE, safely)).toMatchObject({ status: 409, body: { error: 'UpdateConflict' } });
  });
  it('limits requests and reports for how long', async () => {
    desk.limitRate({ requests: 0, windowMs: 9500 });
    const { status, headers } = await call('/api/v2/users/me.json');
    expect([status, headers.get('retry-after'), headers.get('x-rate-limit-remaining')]).toEqual([429, '10', '0']);
  });
  it('signs events that have all documented members', async () => {
    const { ticketId, messageId } = create();
    const { headers, body } = desk.sign(ticketId, messageId);
    const timestamp = headers['X-Zendesk-Webhook-Signature-Timestamp'] ?? '';
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(headers['X-Zendesk-Webhook-Signature']).toBe(hmacOf('sha256', timestamp + body, 'base64'));
    const second = desk.sign(ticketId, desk.addCustomerMessage(ticketId, 'More')).body;
    const note = (await comment(ticketId, NOTE)).body.audit.events[0].id;
    expect(JSON.parse(desk.sign(ticketId, String(note)).body)).toMatchObject({
      type: 'zen:event-type:ticket.comment_added',
      event: { comment: { is_public: false, author: { is_staff: true } } },
    });
    const article = desk.articles.add({ title: 'New', body: '<p>New</p>' });
    const event = JSON.parse(desk.signArticle?.(article, 'published').body ?? '');
    expect(event.detail.id).toBe(article);
    expect(lacksOf('zendesk-ticket-created', body)).toEqual([]);
    expect(lacksOf('zendesk-ticket-comment-added', second)).toEqual([]);
    expect(lacksOf('zendesk-article-published', event)).toEqual([]);
  });
});

describe('the Help Center of the stand-in', () => {
  const { articles } = desk;
  it('returns the changes since a time, oldest first, and ends when the end time does not move', async () => {
    for (const { id } of articles.all()) articles.remove(id);
    const ids = ['one', 'two', 'three'].map((title) => {
      clock.now += 10_000;
      return articles.add({ title, body: `<p>${title}</p>` });
    });
    articles.unpublish(ids[0] ?? '');
    const seconds = Math.floor(clock.now / 1000);
    const { body } = await call(`/api/v2/help_center/incremental/articles.json?start_time=${seconds - 10}`);
    const changes = body.articles.map((one: { title: string; draft: boolean }) => `${one.title} ${one.draft}`);
    expect(changes).toEqual(['two false', 'one true', 'three false']);
    expect([body.end_time, (await call(body.next_page)).body.end_time]).toEqual([seconds, seconds]);
    expect(lacksOf('zendesk-kb-articles-incremental', body)).toEqual([]);
  });
  it('lists articles by cursor in one locale or in all, without archived ones', async () => {
    for (const { id } of articles.all()) articles.remove(id);
    for (let at = 0; at < 5; at += 1) articles.add({ title: `Article ${at}`, body: '<p>Text</p>' });
    articles.add({ title: 'Artikel', body: '<p>Text</p>', locale: 'de' });
    articles.add({ title: 'Old', body: '<p>Text</p>', state: 'archived' });
    articles.add({ title: 'Partners', body: '<p>Text</p>', audience: 'private' });
    const first = (await call('/api/v2/help_center/articles.json?page[size]=4')).body;
    const second = (await call(first.links.next)).body;
    const titles = [...first.articles, ...second.articles].map((one) => `${one.title} ${one.user_segment_id !== null}`);
    expect(titles.slice(4)).toEqual(['Article 4 false', 'Artikel false', 'Partners true']);
    expect([first.meta.has_more, second.meta.has_more, second.links.next]).toEqual([true, false, null]);
    expect((await call('/api/v2/help_center/de/articles.json')).body.articles).toHaveLength(1);
  });
});
