import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { helpdeskTools } from '../../../src/helpdesk/tools/helpdesk-tools.ts';
import { madeUp } from '../payload.ts';

const page = readFileSync(new URL('../../../docs/helpdesk-tools.md', import.meta.url), 'utf8');
/** The example that begins so, with its placeholders filled in. */
const example = (start: string): string => {
  const at = page.indexOf(start);
  if (at === -1) throw new Error(`Cannot find the example ${start}`);
  const end = /`|\n/.exec(page.slice(at))?.index ?? 0;
  const text = start.startsWith('{\n') ? page.slice(at, page.indexOf('\n}\n', at) + 2) : page.slice(at, at + end);
  return text
    .replace('{{ticket.id}}', '35436')
    .replace('{{message.id}}', '77')
    .replace('{{message.from_agent}}', 'False')
    .replace('{{message.channel}}', 'email')
    .replace('{{current_user.role}}', 'end-user');
};

describe('the examples of docs/helpdesk-tools.md', () => {
  it("are read: the template of Zendesk's trigger", () => {
    const body = example('{ "event": "ticket.created", "ticket"');
    expect(helpdeskTools.zendesk.read(madeUp(body))).toEqual([
      { kind: 'message', ticketId: '35436', message: 'first' },
    ]);
  });

  it('are read: the template of Freshdesk', () => {
    const body = example('{ "event": "ticket_created", "ticket"');
    expect(helpdeskTools.freshdesk.read(madeUp(body))).toEqual([
      { kind: 'message', ticketId: '35436', message: 'first' },
    ]);
  });

  it('are read: the template of Gorgias', () => {
    const body = example('{ "ticket": { "id"');
    const event = { kind: 'message', ticketId: '35436', message: { id: '77' } };
    expect(helpdeskTools.gorgias.read(madeUp(body))).toEqual([event]);
  });

  it('are read: the Standard Webhook', () => {
    const body = example('{\n  "type": "message.created"');
    const [event] = helpdeskTools.standard.read(madeUp(body));
    expect(event).toMatchObject({ kind: 'message', ticketId: 'tkt_20417', message: { id: 'msg_2' } });
    const ticket = event?.kind === 'message' ? event.ticket : undefined;
    expect(ticket?.metadata).toMatchObject({ product: 'Apollo II', channel: 'email' });
    expect(ticket?.messages.map(({ id, isPublic, text }) => [id, isPublic, text])).toEqual([
      ['msg_1', true, 'I was charged twice.'],
      ['note_1', false, 'A regular.'],
      ['msg_2', true, 'Any news?'],
    ]);
  });
});
