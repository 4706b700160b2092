import { expect, it } from 'vitest';
import { DeliveryUnreadable } from '../../../src/helpdesk/helpdesk-tool.ts';
import { zendesk } from '../../../src/helpdesk/tools/zendesk.ts';
import { changed, sampleDelivery } from '../payload.ts';
import { describeClient, sentBy } from './describe-client.ts';
import { describeDeliveries } from './describe-deliveries.ts';

const created = sampleDelivery('zendesk-ticket-created.json');
const added = sampleDelivery('zendesk-ticket-comment-added.json');
const trigger = sampleDelivery('zendesk-trigger-ticket-created.json');
const published = sampleDelivery('zendesk-article-published.json');
const withId = (id: string) =>
  changed(changed(created, '"id": "35436"', `"id": ${id}`), 'zen:ticket:35436', `zen:ticket:${id.replaceAll('"', '')}`);

const STAFF = changed(added, '"is_staff": false', '"is_staff": true');
const OTHER = changed(created, 'ticket.created', 'ticket.priority_changed');
const WITHDRAWN = changed(published, 'article.published', 'article.unpublished');
describeDeliveries(zendesk, [
  ['the first message of a ticket that was created', created, '35436 first'],
  ['a public comment of an end user', added, '35436 #9876543210'],
  ['a note', sampleDelivery('zendesk-ticket-comment-added-own-note.json'), 'ignored: an internal note'],
  ['a comment of the staff', STAFF, 'ignored: from an agent'],
  ['a comment without is_staff', changed(added, '"is_staff": false', '"role": "end-user"'), '35436 latest'],
  ['a comment of another form', changed(added, '"is_public": true', '"is_public": "yes"'), '35436 latest'],
  ['a trigger for a new ticket', trigger, '35436 first'],
  ['a trigger for an old ticket', changed(trigger, '"ticket.created"', '"ticket.updated"'), '35436 latest'],
  ['a trigger that writes zeros before the id', changed(trigger, '35436', '0035436'), '35436 first'],
  ['a trigger for an agent', changed(trigger, '"end-user"', '"Agent"'), 'ignored: from an agent'],
  ['an article that was published', published, 'article 360012 published'],
  ['an article that was withdrawn', WITHDRAWN, 'article 360012 unpublished'],
  ['something else', OTHER, 'ignored: not about a new message'],
  ['an id beyond 2^53', withId('9007199254740993'), '9007199254740993 first'],
  ['a text as an id beyond 2^53', withId('"9007199254740993"'), '9007199254740993 first'],
  ['an id far beyond 2^53', withId('123456789012345678901'), '123456789012345678901 first'],
]);

it('cannot read a delivery that names two tickets', () => {
  expect(() => zendesk.read(changed(created, 'zen:ticket:35436', 'zen:ticket:35437'))).toThrow(DeliveryUnreadable);
});

describeClient(zendesk, 'zendesk', (open) => {
  it('writes a private note, unless the ticket changed since it was read', async () => {
    const { helpdesks, write } = open();
    await write();
    expect(sentBy('PUT', helpdesks)).toMatchObject({
      ticket: { comment: { public: false }, safe_update: true, updated_stamp: expect.stringMatching(/Z$/) },
    });
  });
  it('does not write the same note twice', async () => {
    const { local, ticketId, write } = open();
    const first = await write();
    expect(await write()).toBe(first);
    expect(local.notes(ticketId)).toHaveLength(1);
  });
  it('can retry when the ticket changed meanwhile', async () => {
    const { faults, write } = open();
    faults.next(1, { kind: 'status', status: 409 }, ({ method }) => method === 'PUT');
    await expect(write()).rejects.toMatchObject({ isTransient: true, isOutcomeUnknown: false });
  });
  it('reads a comment of its own API user as from an agent, and the product from its field', async () => {
    const { local, ticketId, read } = open({ ticket: { message: 'Help.', fields: { Device: 'Apollo II' } } });
    const ticket = await read();
    const [productField = ''] = Object.keys(ticket.metadata.fields as object);
    const options = { ...local.connection.options, userId: ticket.customer.id ?? '', productField };
    const client = zendesk.client({ ...local.connection, options }, { fetch, now: Date.now });
    const again = await client.readTicket(ticketId, { signal: AbortSignal.timeout(20_000) });
    expect(again.messages.map(({ from }) => from)).toEqual(['agent']);
    expect(again.metadata).toMatchObject({ channel: 'email', product: 'Apollo II' });
  });
});
