import { describe, expect, it } from 'vitest';
import { DeliveryUnreadable } from '../../../src/helpdesk/helpdesk-tool.ts';
import { zendesk } from '../../../src/helpdesk/tools/zendesk.ts';
import { noteOf } from '../note-of.ts';
import { changed, sampleDelivery } from '../payload.ts';
import { describeClient } from './describe-client.ts';

const created = sampleDelivery('zendesk-ticket-created.json');
const added = sampleDelivery('zendesk-ticket-comment-added.json');
const trigger = sampleDelivery('zendesk-trigger-ticket-created.json');

describe('what Zendesk delivers', () => {
  it('is the first message of a ticket that was created', () => {
    expect(zendesk.read(created)).toEqual([{ kind: 'message', ticketId: '35436', message: 'first' }]);
  });

  it('is a public comment of somebody who is not of the staff', () => {
    expect(zendesk.read(added)).toEqual([{ kind: 'message', ticketId: '35436', message: { id: '9876543210' } }]);
  });

  it('is ignored when the comment is internal, or of the staff', () => {
    const own = sampleDelivery('zendesk-ticket-comment-added-own-note.json');
    expect(zendesk.read(own)).toEqual([{ kind: 'ignored', reason: 'an internal note' }]);
    const staff = changed(added, '"is_staff": false', '"is_staff": true');
    expect(zendesk.read(staff)).toEqual([{ kind: 'ignored', reason: 'from an agent' }]);
  });

  it('is the latest message when its comment has another form, so that the ticket decides', () => {
    const latest = [{ kind: 'message', ticketId: '35436', message: 'latest' }];
    for (const [from, to] of [
      ['"is_staff": false', '"role": "end-user"'],
      ['"is_public": true', '"is_public": "yes"'],
    ] as const)
      expect(zendesk.read(changed(added, from, to))).toEqual(latest);
  });

  it('is the first or the latest message when a trigger calls, which names the ticket alone', () => {
    expect(zendesk.read(trigger)).toEqual([{ kind: 'message', ticketId: '35436', message: 'first' }]);
    const later = changed(trigger, '"ticket.created"', '"ticket.updated"');
    expect(zendesk.read(later)).toEqual([{ kind: 'message', ticketId: '35436', message: 'latest' }]);
    const zeros = changed(trigger, '35436', '0035436');
    expect(zendesk.read(zeros)).toEqual([{ kind: 'message', ticketId: '35436', message: 'first' }]);
    const agent = changed(trigger, '"end-user"', '"Agent"');
    expect(zendesk.read(agent)).toEqual([{ kind: 'ignored', reason: 'from an agent' }]);
  });

  it('is an article that was published or withdrawn', () => {
    const published = sampleDelivery('zendesk-article-published.json');
    expect(zendesk.read(published)).toEqual([{ kind: 'article', change: 'published', articleId: '360012' }]);
    const withdrawn = changed(published, 'article.published', 'article.unpublished');
    expect(zendesk.read(withdrawn)).toEqual([{ kind: 'article', change: 'unpublished', articleId: '360012' }]);
  });

  it('is ignored when it is about something else', () => {
    const other = changed(created, 'ticket.created', 'ticket.priority_changed');
    expect(zendesk.read(other)).toEqual([{ kind: 'ignored', reason: 'not about a new message' }]);
  });

  it('cannot be read when it names two tickets', () => {
    expect(() => zendesk.read(changed(created, 'zen:ticket:35436', 'zen:ticket:35437'))).toThrow(DeliveryUnreadable);
  });

  it('keeps an id beyond 2^53, written as a number or as a text', () => {
    for (const id of ['9007199254740993', '"9007199254740993"', '123456789012345678901']) {
      const text = id.replaceAll('"', '');
      const delivery = changed(
        changed(created, '"id": "35436"', `"id": ${id}`),
        'zen:ticket:35436',
        `zen:ticket:${text}`,
      );
      expect(zendesk.read(delivery)).toEqual([{ kind: 'message', ticketId: text, message: 'first' }]);
    }
  });
});

describeClient(zendesk, 'zendesk', (open) => {
  it('writes a note that is not public, and only over the ticket that it read', async () => {
    const { helpdesks, local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    await client.writeNote(ticketId, noteOf(), { signal });
    const sent = helpdesks.requests.find(({ method }) => method === 'PUT');
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({
      ticket: { comment: { public: false }, safe_update: true, updated_stamp: expect.stringMatching(/Z$/) },
    });
  });

  it('does not write the same note twice', async () => {
    const { local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    const first = await client.writeNote(ticketId, noteOf(), { signal });
    expect(await client.writeNote(ticketId, noteOf(), { signal })).toBe(first);
    expect(local.notes(ticketId)).toHaveLength(1);
  });

  it('may try again where the ticket changed meanwhile', async () => {
    const { helpdesks, local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    helpdesks.faults.next(1, { kind: 'status', status: 409 }, ({ method }) => method === 'PUT');
    const failed = client.writeNote(ticketId, noteOf(), { signal });
    await expect(failed).rejects.toMatchObject({ isTransient: true, isOutcomeUnknown: false });
  });

  it('takes no comment of its own API user for a customer, and reads the product from its field', async () => {
    const { local, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.', fields: { Device: 'Apollo II' } });
    const read = zendesk.client(local.connection, { fetch, now: Date.now });
    const ticket = await read.readTicket(ticketId, { signal });
    const [field] = Object.keys(ticket.metadata.fields as object);
    const options = { ...local.connection.options, userId: ticket.customer.id ?? '', productField: field ?? '' };
    const client = zendesk.client({ ...local.connection, options }, { fetch, now: Date.now });
    const again = await client.readTicket(ticketId, { signal });
    expect(again.messages.map(({ from }) => from)).toEqual(['agent']);
    expect(again.metadata).toMatchObject({ channel: 'email', product: 'Apollo II' });
  });
});
