import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { helpdeskTools } from '../../../src/helpdesk/tools/helpdesk-tools.ts';
import { madeUp } from '../payload.ts';
import { describeDeliveries } from './describe-deliveries.ts';

const page = readFileSync(new URL('../../../docs/helpdesk-tools.md', import.meta.url), 'utf8');
const VALUES: Record<string, string> = {
  ...{ 'ticket.id': '35436', 'message.id': '77', 'message.from_agent': 'False', 'message.channel': 'email' },
  'current_user.role': 'end-user',
};
/** The example of docs/helpdesk-tools.md that begins so, with its placeholders filled in. */
const example = (start: string) => {
  const at = page.indexOf(start);
  if (at === -1) throw new Error(`Cannot find the example ${start}`);
  const end = start.startsWith('{\n') ? page.indexOf('\n}\n', at) + 2 : at + page.slice(at).search(/`|\n/);
  return madeUp(page.slice(at, end).replace(/\{\{([\w.]+)\}\}/g, (whole, name: string) => VALUES[name] ?? whole));
};

const WEBHOOK = example('{\n  "type": "message.created"');
const { zendesk, freshdesk, gorgias, standard } = helpdeskTools;
describeDeliveries(zendesk, [['its example', example('{ "event": "ticket.created", "ticket"'), '35436 first']]);
describeDeliveries(freshdesk, [['its example', example('{ "event": "ticket_created", "ticket"'), '35436 first']]);
describeDeliveries(gorgias, [['its example', example('{ "ticket": { "id"'), '35436 #77']]);
describeDeliveries(standard, [['its example', WEBHOOK, 'tkt_20417 #msg_2 with its ticket']]);

it('reads the ticket of the documented Standard Webhook', () => {
  const [event] = standard.read(WEBHOOK);
  const ticket = event?.kind === 'message' ? event.ticket : undefined;
  expect(ticket?.metadata).toMatchObject({ product: 'Apollo II', channel: 'email' });
  expect(ticket?.messages.map(({ id, isPublic, text }) => [id, isPublic, text])).toEqual([
    ['msg_1', true, 'I was charged twice.'],
    ['note_1', false, 'A regular.'],
    ['msg_2', true, 'Any news?'],
  ]);
});
