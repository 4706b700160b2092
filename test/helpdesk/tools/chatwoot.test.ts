import { describe, expect, it } from 'vitest';
import { chatwoot } from '../../../src/helpdesk/tools/chatwoot.ts';
import { noteOf } from '../note-of.ts';
import { changed, sampleDelivery } from '../payload.ts';
import { describeClient } from './describe-client.ts';

describe('what Chatwoot delivers', () => {
  it('is a message when a customer wrote in the chat or by mail', () => {
    for (const sample of ['incoming', 'email']) {
      const [event] = chatwoot.read(sampleDelivery(`chatwoot-message-created-${sample}.json`));
      const id = sample === 'email' ? '990002' : '990001';
      expect(event).toEqual({ kind: 'message', ticketId: '1207', message: { id } });
    }
  });

  it('is ignored when it is one of our own notes', () => {
    const events = chatwoot.read(sampleDelivery('chatwoot-message-created-own-note.json'));
    expect(events).toEqual([{ kind: 'ignored', reason: 'a private note' }]);
  });

  it('is ignored when a conversation was created: its first message comes by itself', () => {
    const events = chatwoot.read(sampleDelivery('chatwoot-conversation-created.json'));
    expect(events).toEqual([{ kind: 'ignored', reason: 'not about a new message' }]);
  });

  it('is ignored when it is outgoing, such as a bot or template message', () => {
    const delivery = sampleDelivery('chatwoot-message-created-incoming.json');
    for (const type of ['outgoing', 'template', 'activity']) {
      const events = chatwoot.read(changed(delivery, '"message_type": "incoming"', `"message_type": "${type}"`));
      expect(events).toEqual([{ kind: 'ignored', reason: 'not from the customer' }]);
    }
  });

  it('is ignored when a mailbox answered by itself', () => {
    const delivery = sampleDelivery('chatwoot-message-created-email.json');
    const events = chatwoot.read(changed(delivery, '"auto_reply": false', '"auto_reply": true'));
    expect(events).toEqual([{ kind: 'ignored', reason: 'an automatic reply' }]);
  });

  it('is ignored when it contains our marker, whatever else it contains', () => {
    const delivery = sampleDelivery('chatwoot-message-created-incoming.json');
    const text = new TextDecoder()
      .decode(delivery.body)
      .replace('"content_attributes": {}', '"content_attributes": {"constellation_marker": "cn1"}');
    const events = chatwoot.read({ ...delivery, body: new TextEncoder().encode(text) });
    expect(events).toEqual([{ kind: 'ignored', reason: 'our own note' }]);
  });
});

describeClient(chatwoot, 'chatwoot', (open) => {
  it('writes with the private flag and the marker in an attribute of its own', async () => {
    const { helpdesks, local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    await client.writeNote(ticketId, noteOf(), { signal });
    const sent = helpdesks.requests.find(({ method }) => method === 'POST');
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({
      private: true,
      message_type: 'outgoing',
      content_attributes: { constellation_marker: noteOf().marker },
    });
  });

  it('waits a minute when a 429 has no Retry-After', async () => {
    const { helpdesks, local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    helpdesks.faults.next(1, { kind: 'status', status: 429 }, '/chatwoot');
    await expect(client.readTicket(ticketId, { signal })).rejects.toMatchObject({ retryAfterMs: 60_000 });
  });
});
