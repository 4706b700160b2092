import { expect, it } from 'vitest';
import { zammad } from '../../../src/helpdesk/tools/zammad.ts';
import { changed, madeUp, sampleDelivery } from '../payload.ts';
import { describeClient, sentBy } from './describe-client.ts';
import { describeDeliveries } from './describe-deliveries.ts';

const headers = { 'X-Zammad-Delivery': '3d9f0a52-9c1e-4f6a-8d7e-1f2a3b4c5d60' };
const created = sampleDelivery('zammad-ticket-created.json', headers);
const sentAs = (sender: string) => changed(created, '"sender": "Customer"', `"sender": "${sender}"`);

describeDeliveries(zammad, [
  ['the first message of a customer', created, '81 #104'],
  ['another message of a customer', sampleDelivery('zammad-customer-follow-up.json'), '81 #105'],
  ['a note', sampleDelivery('zammad-own-note.json'), 'ignored: an internal note'],
  ['a message of an agent', sentAs('Agent'), 'ignored: not from the customer'],
  ['a message of the system', sentAs('System'), 'ignored: not from the customer'],
  ['a change without an article', madeUp({ ticket: { id: 81 }, article: {} }), 'ignored: no article took part'],
]);

describeClient(zammad, 'zammad', (open) => {
  it('writes an internal article of the type note, as any other type is mailed', async () => {
    const { helpdesks, write } = open();
    await write();
    expect(sentBy('POST', helpdesks)).toMatchObject({ internal: true, type: 'note', sender: 'Agent' });
  });
  it('saves a shared draft to the customer, which is not sent', async () => {
    const { helpdesks, local, ticketId, draft } = open();
    const seen = local.seenByCustomer(ticketId).length;
    expect(await draft()).toBe(true);
    expect(local.drafts(ticketId).map(({ body }) => body)).toEqual(['<p>Hello</p>']);
    expect(local.seenByCustomer(ticketId)).toHaveLength(seen);
    expect(sentBy('PUT', helpdesks)).toMatchObject({ new_article: { to: expect.stringContaining('@') } });
  });
  it('keeps the draft that a person has begun', async () => {
    const { helpdesks, local, ticketId, draft } = open();
    local.addPersonsDraft(ticketId, 'Dear');
    expect(await draft()).toBe(false);
    expect(local.drafts(ticketId)).toEqual([]);
    expect(helpdesks.requests.some(({ method }) => method === 'PUT')).toBe(false);
  });
  it('reads an article of its own API user as from an agent', async () => {
    const { local, read } = open();
    expect((await read()).messages[0]?.from).toBe('customer');
    const options = { ...local.connection.options, login: 'dana.ortiz@example.net' };
    expect((await open({ connection: { options } }).read()).messages[0]?.from).toBe('agent');
  });
});
