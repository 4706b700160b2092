import { expect, it } from 'vitest';
import { intercom } from '../../../src/helpdesk/tools/intercom.ts';
import { changed, madeUp, sampleDelivery } from '../payload.ts';
import { describeClient, sentBy } from './describe-client.ts';
import { describeDeliveries } from './describe-deliveries.ts';

const created = sampleDelivery('intercom-conversation-user-created.json');
const replied = sampleDelivery('intercom-conversation-user-replied.json');
const repliedBy = (type: string) => changed(replied, '"type": "user"', `"type": "${type}"`);
const part = (part_type: string, type: string) => ({ id: '99', part_type, author: { type } });

const answered = JSON.parse(new TextDecoder().decode(replied.body));
answered.data.item.conversation_parts.conversation_parts.push(part('note', 'admin'), part('comment', 'bot'));
const opening = JSON.parse(new TextDecoder().decode(replied.body));
opening.topic = 'conversation.user.created';
opening.data.item.source.author = { type: 'admin', id: '814860', name: 'Ines Moreau' };

const OPENED = changed(created, '"type": "user"', '"type": "admin"');
describeDeliveries(intercom, [
  ['the message that a customer opened a conversation with', created, '215469012345 #2550012345'],
  ['the reply of a customer', replied, '215469012345 #19920001'],
  ['the reply of a lead', repliedBy('lead'), '215469012345 #19920001'],
  ['the reply of a contact', repliedBy('contact'), '215469012345 #19920001'],
  ['a ping', sampleDelivery('intercom-ping.json'), 'ignored: a ping'],
  ['a note', sampleDelivery('intercom-conversation-admin-noted.json'), 'ignored: not from the customer'],
  ['a conversation that an admin opened', OPENED, 'ignored: opened by an agent'],
  ['the reply of a customer, whatever was said since', madeUp(answered), '215469012345 #19920001'],
  ['the reply of a bot under a topic of the customer', repliedBy('bot'), '215469012345 latest'],
  ['the reply that opens a conversation after a campaign of an agent', madeUp(opening), '215469012345 #19920001'],
]);

/** Gives the notes in the stand-in's replies another type. */
const withNotesAs =
  (type: string): typeof fetch =>
  async (input, init) => {
    const text = await (await fetch(input, init)).text();
    return new Response(text.replaceAll('"part_type":"note"', `"part_type":"${type}"`));
  };

describeClient(intercom, 'intercom', (open) => {
  it('writes a note in the name of the admin, with a fixed API version', async () => {
    const { helpdesks, local, write } = open();
    await write();
    expect(helpdesks.requests.find(({ method }) => method === 'POST')?.headers).toMatchObject({
      'intercom-version': '2.16',
    });
    const admin_id = local.connection.options.adminId;
    expect(sentBy('POST', helpdesks)).toMatchObject({ message_type: 'note', type: 'admin', admin_id });
  });
  it.each(['note_and_reopen', 'note_and_unsnooze'])('reads a %s as a note', async (type) => {
    const { local, ticketId, read, write, find } = open({ send: withNotesAs(type) });
    local.addPersonsNote(ticketId, 'Do not tell: a known troublemaker.');
    expect((await read()).messages.map(({ isPublic }) => isPublic)).toEqual([true, false]);
    const noteId = await write();
    expect(await find()).toBe(noteId);
  });
  it('names the missing option when no admin is set', async () => {
    const { write } = open({ connection: { options: {} } });
    await expect(write()).rejects.toThrow('its connection has no option adminId');
  });
});
