import { describe, expect, it } from 'vitest';
import { zammad } from '../../../src/helpdesk/tools/zammad.ts';
import { noteOf } from '../note-of.ts';
import { changed, madeUp, sampleDelivery } from '../payload.ts';
import { describeClient } from './describe-client.ts';

const created = sampleDelivery('zammad-ticket-created.json', {
  'X-Zammad-Delivery': '3d9f0a52-9c1e-4f6a-8d7e-1f2a3b4c5d60',
});

describe('what Zammad delivers', () => {
  it('is a message when a customer writes, first or again', () => {
    expect(zammad.read(created)).toEqual([{ kind: 'message', ticketId: '81', message: { id: '104' } }]);
    const again = zammad.read(sampleDelivery('zammad-customer-follow-up.json'));
    expect(again).toEqual([{ kind: 'message', ticketId: '81', message: { id: '105' } }]);
  });

  it('is ignored when it is internal, of an agent or of the system, or when no article took part', () => {
    const own = zammad.read(sampleDelivery('zammad-own-note.json'));
    expect(own).toEqual([{ kind: 'ignored', reason: 'an internal note' }]);
    for (const sender of ['Agent', 'System']) {
      const event = zammad.read(changed(created, '"sender": "Customer"', `"sender": "${sender}"`));
      expect(event).toEqual([{ kind: 'ignored', reason: 'not from the customer' }]);
    }
    const none = zammad.read(madeUp({ ticket: { id: 81 }, article: {} }));
    expect(none).toEqual([{ kind: 'ignored', reason: 'no article took part' }]);
  });
});

const draft = { markdown: 'Hello', html: '<p>Hello</p>', text: 'Hello' };

describeClient(zammad, 'zammad', (open) => {
  it('writes an internal article of the type note, as any other type is mailed', async () => {
    const { helpdesks, local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    await client.writeNote(ticketId, noteOf(), { signal });
    const sent = helpdesks.requests.find(({ method }) => method === 'POST');
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ internal: true, type: 'note', sender: 'Agent' });
  });

  it('leaves a shared draft to the customer, which is not sent', async () => {
    const { helpdesks, local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    const seen = local.seenByCustomer(ticketId).length;
    expect(await client.writeDraft?.(ticketId, draft, { signal })).toBe(true);
    expect(local.drafts(ticketId).map(({ body }) => body)).toEqual(['<p>Hello</p>']);
    expect(local.seenByCustomer(ticketId)).toHaveLength(seen);
    const sent = helpdesks.requests.find(({ method }) => method === 'PUT');
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ new_article: { to: expect.stringContaining('@') } });
  });

  it('never writes over a draft that a person has begun', async () => {
    const { helpdesks, local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    local.addPersonsDraft(ticketId, 'Dear');
    expect(await client.writeDraft?.(ticketId, draft, { signal })).toBe(false);
    expect(local.drafts(ticketId)).toEqual([]);
    expect(helpdesks.requests.some(({ method }) => method === 'PUT')).toBe(false);
  });

  it('takes no article of its own API user for a customer', async () => {
    const { local, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    const [customer] = (
      await zammad.client(local.connection, { fetch, now: Date.now }).readTicket(ticketId, { signal })
    ).messages;
    expect(customer?.from).toBe('customer');
    const options = { ...local.connection.options, login: 'dana.ortiz@example.net' };
    const client = zammad.client({ ...local.connection, options }, { fetch, now: Date.now });
    const [own] = (await client.readTicket(ticketId, { signal })).messages;
    expect(own?.from).toBe('agent');
  });
});
