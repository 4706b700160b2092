import { expect, it } from 'vitest';
import { chatwoot } from '../../../src/helpdesk/tools/chatwoot.ts';
import { noteOf } from '../note-of.ts';
import { changed, sampleDelivery } from '../payload.ts';
import { describeClient, sentBy } from './describe-client.ts';
import { describeDeliveries } from './describe-deliveries.ts';

const incoming = sampleDelivery('chatwoot-message-created-incoming.json');
const email = sampleDelivery('chatwoot-message-created-email.json');
const ofType = (type: string) => changed(incoming, '"message_type": "incoming"', `"message_type": "${type}"`);
const marked = changed(incoming, '"content_attributes": {}', '"content_attributes": {"constellation_marker": "cn1"}');

describeDeliveries(chatwoot, [
  ['a message in the chat', incoming, '1207 #990001'],
  ['a message by mail', email, '1207 #990002'],
  ['our own note', sampleDelivery('chatwoot-message-created-own-note.json'), 'ignored: a private note'],
  [
    'a new conversation, whose first message comes by itself',
    sampleDelivery('chatwoot-conversation-created.json'),
    'ignored: not about a new message',
  ],
  ['a message of an agent', ofType('outgoing'), 'ignored: not from the customer'],
  ['a message of a bot', ofType('template'), 'ignored: not from the customer'],
  ['an activity', ofType('activity'), 'ignored: not from the customer'],
  [
    'an answer of a mailbox',
    changed(email, '"auto_reply": false', '"auto_reply": true'),
    'ignored: an automatic reply',
  ],
  ['our marker, whatever else it contains', marked, 'ignored: our own note'],
]);

describeClient(chatwoot, 'chatwoot', (open) => {
  it('writes with the private flag and the marker in an attribute of its own', async () => {
    const { helpdesks, write } = open();
    await write();
    const content_attributes = { constellation_marker: noteOf().marker };
    expect(sentBy('POST', helpdesks)).toMatchObject({ private: true, message_type: 'outgoing', content_attributes });
  });
  it('waits a minute when a 429 has no Retry-After', async () => {
    const { faults, read } = open();
    faults.next(1, { kind: 'status', status: 429 }, '/chatwoot');
    await expect(read()).rejects.toMatchObject({ retryAfterMs: 60_000 });
  });
});
