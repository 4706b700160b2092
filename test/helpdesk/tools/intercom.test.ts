import { describe, expect, it } from 'vitest';
import { intercom } from '../../../src/helpdesk/tools/intercom.ts';
import { noteOf } from '../note-of.ts';
import { changed, madeUp, sampleDelivery } from '../payload.ts';
import { describeClient } from './describe-client.ts';

const created = sampleDelivery('intercom-conversation-user-created.json');
const replied = sampleDelivery('intercom-conversation-user-replied.json');

describe('what Intercom delivers', () => {
  it('is the message that a customer opened a conversation with', () => {
    const event = { kind: 'message', ticketId: '215469012345', message: { id: '2550012345' } };
    expect(intercom.read(created)).toEqual([event]);
  });

  it('is the reply of a customer', () => {
    const event = { kind: 'message', ticketId: '215469012345', message: { id: '19920001' } };
    expect(intercom.read(replied)).toEqual([event]);
    for (const type of ['lead', 'contact']) {
      expect(intercom.read(changed(replied, '"type": "user"', `"type": "${type}"`))).toEqual([event]);
    }
  });

  it('is ignored when it is a ping, a note, or of an admin or a bot', () => {
    expect(intercom.read(sampleDelivery('intercom-ping.json'))).toEqual([{ kind: 'ignored', reason: 'a ping' }]);
    const ignored = [{ kind: 'ignored', reason: 'not from the customer' }];
    expect(intercom.read(sampleDelivery('intercom-conversation-admin-noted.json'))).toEqual(ignored);
    const opened = changed(created, '"type": "user"', '"type": "admin"');
    expect(intercom.read(opened)).toEqual([{ kind: 'ignored', reason: 'opened by an agent' }]);
  });

  it('is the reply of a customer whatever was said since, as the topic tells that there is one', () => {
    const [event] = intercom.read(replied);
    const part = (type: string, by: string) => ({ id: '99', part_type: type, author: { type: by } });
    const parts = (more: object[]) => {
      const body = JSON.parse(new TextDecoder().decode(replied.body));
      body.data.item.conversation_parts.conversation_parts.push(...more);
      return madeUp(body);
    };
    expect(intercom.read(parts([part('note', 'admin'), part('comment', 'bot')]))).toEqual([event]);
    const latest = [{ kind: 'message', ticketId: '215469012345', message: 'latest' }];
    expect(intercom.read(changed(replied, '"type": "user"', '"type": "bot"'))).toEqual(latest);
  });

  it('is the reply that opens a conversation, where an agent had written to many', () => {
    const body = JSON.parse(new TextDecoder().decode(replied.body));
    body.topic = 'conversation.user.created';
    body.data.item.source.author = { type: 'admin', id: '814860', name: 'Ines Moreau' };
    const event = { kind: 'message', ticketId: '215469012345', message: { id: '19920001' } };
    expect(intercom.read(madeUp(body))).toEqual([event]);
  });
});

describeClient(intercom, 'intercom', (open) => {
  it('writes a note in the name of the admin, by the version that it knows', async () => {
    const { helpdesks, local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    await client.writeNote(ticketId, noteOf(), { signal });
    const sent = helpdesks.requests.find(({ method }) => method === 'POST');
    expect(sent?.headers).toMatchObject({ 'intercom-version': '2.16' });
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({
      message_type: 'note',
      type: 'admin',
      admin_id: local.connection.options.adminId,
    });
  });

  /** Replies of the stand-in, in which notes have another type. */
  const withNotesAs =
    (type: string): typeof fetch =>
    async (input, init) => {
      const text = await (await fetch(input, init)).text();
      return new Response(text.replaceAll('"part_type":"note"', `"part_type":"${type}"`));
    };

  it('takes a note that opens the conversation again, or wakes it, for a note', async () => {
    for (const type of ['note_and_reopen', 'note_and_unsnooze']) {
      const { local, signal } = open();
      const { ticketId } = local.createTicket({ message: 'Help.' });
      local.addPersonsNote(ticketId, 'Do not tell: a known troublemaker.');
      const client = intercom.client(local.connection, { fetch: withNotesAs(type), now: Date.now });
      const { messages } = await client.readTicket(ticketId, { signal });
      expect(messages.map(({ isPublic }) => isPublic)).toEqual([true, false]);
      const noteId = await client.writeNote(ticketId, noteOf(), { signal });
      expect(await client.findNote(ticketId, noteOf().marker, { signal })).toBe(noteId);
    }
  });

  it('waits until the window ends that the tool names', async () => {
    const { helpdesks, local, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    const client = intercom.client(local.connection, { fetch, now: () => 1_768_473_000_000 });
    const headers = { 'x-ratelimit-reset': '1768473010' };
    helpdesks.faults.next(1, { kind: 'status', status: 429, headers }, '/intercom');
    await expect(client.readTicket(ticketId, { signal })).rejects.toMatchObject({ retryAfterMs: 10_000 });
  });

  it('says what is missing where no admin is named', async () => {
    const { local, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    const client = intercom.client({ ...local.connection, options: {} }, { fetch, now: Date.now });
    const failed = client.writeNote(ticketId, noteOf(), { signal });
    await expect(failed).rejects.toThrow('its connection has no option adminId');
  });
});
