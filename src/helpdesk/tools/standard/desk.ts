import { tellHelpdesk } from '../../call-helpdesk.ts';
import { type Desk, type HelpdeskConnection, HelpdeskFailed } from '../../helpdesk-tool.ts';
import { signingSecret, signStandard } from './sign-standard.ts';

/**
 * Notes go to the connection's address as signed Standard Webhooks, `note.created`. The id of the delivery is the note's
 * marker, so that who receives it twice knows it again: `findNote` cannot tell and finds none. Tickets are not read back.
 */
export const standardDesk = (
  connection: HelpdeskConnection,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): Desk => ({
  readTicket: async () => {
    throw new HelpdeskFailed('Cannot read a ticket by Standard Webhooks: it comes with its delivery alone');
  },

  findNote: async () => undefined,

  writeNote: async (ticketId, { marker, markdown, html, text }, { signal }) => {
    const body = JSON.stringify({
      type: 'note.created',
      timestamp: new Date(now()).toISOString(),
      data: { ticket_id: ticketId, marker, internal: true, markdown, html, text },
    });
    await tellHelpdesk(
      { tool: 'Standard Webhooks', apiUrl: connection.apiUrl, headers: async () => ({}), fetch, now },
      {
        doing: 'write a note',
        method: 'POST',
        path: '',
        body,
        headers: await signStandard(body, { secret: signingSecret(connection), id: marker, now: now() }),
        signal,
      },
    );
    return marker;
  },
});
