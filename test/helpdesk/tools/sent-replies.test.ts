import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_DESK_IDS } from '../../../src/dev/stand-ins/helpdesks/desk/local-desk.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import { helpdeskTools } from '../../../src/helpdesk/tools/helpdesk-tools.ts';
import { madeUp } from '../payload.ts';

describe('what an agent has sent', () => {
  let helpdesks: LocalHelpdesks;
  beforeAll(async () => {
    helpdesks = await startHelpdesks();
  });
  afterAll(() => helpdesks.stop());

  for (const id of LOCAL_DESK_IDS)
    it(`is read from a delivery of ${id}, and nothing of notes and customers`, () => {
      const desk = helpdesks.desks[id];
      const { ticketId, messageId } = desk.createTicket({ message: 'How do I reset it?' });
      const reply = desk.addAgentReply(ticketId, 'Hold the button for 5 seconds.');
      const note = desk.addPersonsNote(ticketId, 'A regular customer.');
      const sentIn = (message: string) => {
        const { headers, body } = desk.sign(ticketId, message);
        const [event] = helpdeskTools[id].read(madeUp(body, headers));
        return event?.kind === 'ignored' ? event.sent : undefined;
      };
      expect(sentIn(reply)).toEqual({ ticketId, text: 'Hold the button for 5 seconds.' });
      expect(sentIn(note)).toBeUndefined();
      expect(sentIn(messageId)).toBeUndefined();
    });
});
