import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalDesk, LocalDeskId } from '../../../src/dev/stand-ins/helpdesks/desk/local-desk.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import { type Delivery, HelpdeskFailed, type HelpdeskTool } from '../../../src/helpdesk/helpdesk-tool.ts';
import { verifyDelivery } from '../../../src/helpdesk/signatures.ts';
import { noteOf } from '../note-of.ts';

const MARKER = noteOf().marker;

const deliveryOf = (
  signed: { headers: Record<string, string>; body: string },
  url = 'https://hooks.example.com/webhooks/tool',
): Delivery => ({
  method: 'POST',
  url,
  headers: new Headers(signed.headers),
  body: new TextEncoder().encode(signed.body),
});

/** What every tool does, against the stand-in of its API over HTTP. */
export const describeClient = (
  tool: HelpdeskTool,
  id: LocalDeskId,
  more: (at: () => Open) => void = () => {},
): void => {
  describe(`${tool.name}, against its API`, () => {
    let helpdesks: LocalHelpdesks;
    beforeAll(async () => {
      helpdesks = await startHelpdesks();
    });
    afterAll(() => helpdesks.stop());

    const open = (): Open => {
      helpdesks.faults.none();
      helpdesks.forgetRequests();
      const local = helpdesks.desks[id];
      return {
        helpdesks,
        local,
        client: tool.client(local.connection, { fetch, now: Date.now }),
        signal: AbortSignal.timeout(20_000),
      };
    };
    const failure = async (call: Promise<unknown>): Promise<HelpdeskFailed> => {
      const error = await call.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(HelpdeskFailed);
      return error as HelpdeskFailed;
    };

    it('verifies what the tool signs, and reads the ticket and the message that it names', async () => {
      const { local, client, signal } = open();
      const { ticketId, messageId } = local.createTicket({ message: 'My order came twice.', subject: 'Twice' });
      const followUp = local.addCustomerMessage(ticketId, 'And I paid twice.');
      for (const [message, text] of [
        [messageId, 'My order came twice.'],
        [followUp, 'And I paid twice.'],
      ] as const) {
        const delivery = deliveryOf(local.sign(ticketId, message));
        expect(
          await verifyDelivery(delivery, tool.signatures, { secrets: local.connection.secrets, now: Date.now() }),
        ).toBe(true);
        expect(await verifyDelivery(delivery, tool.signatures, { secrets: ['another'], now: Date.now() })).toBe(false);
        const [event] = tool.read(delivery);
        expect(event).toMatchObject({ kind: 'message', ticketId });
        const ticket = await client.readTicket(ticketId, { signal });
        if (event?.kind !== 'message') throw new Error('no message');
        const found = event.message === 'first' || event.message === 'latest' ? undefined : event.message.id;
        const named =
          found === undefined
            ? ticket.messages.at(event.message === 'first' ? 0 : -1)
            : ticket.messages.find((one) => one.id === found);
        expect(named).toMatchObject({ from: 'customer', isPublic: true, text });
      }
    });

    it('reads who wrote each message, and what the customer sees', async () => {
      const { local, client, signal } = open();
      const { ticketId } = local.createTicket({
        message: 'One.',
        subject: 'A subject',
        customer: { name: 'Noor Haddad', email: 'noor@example.net' },
        tags: ['billing'],
        fields: { device: 'Apollo II' },
      });
      local.addAgentReply(ticketId, 'Two.');
      local.addPersonsNote(ticketId, 'Three.');
      local.addCustomerMessage(ticketId, 'Four.');
      const ticket = await client.readTicket(ticketId, { signal });
      expect(ticket.messages.map(({ from, isPublic, text }) => [from, isPublic, text])).toEqual([
        ['customer', true, 'One.'],
        ['agent', true, 'Two.'],
        ['agent', false, 'Three.'],
        ['customer', true, 'Four.'],
      ]);
      expect(ticket).toMatchObject({
        id: ticketId,
        customer: { name: 'Noor Haddad' },
        metadata: { tags: ['billing'] },
      });
      for (const { sentAtMs } of ticket.messages) expect(Math.abs(Date.now() - (sentAtMs ?? 0))).toBeLessThan(60_000);
    });

    it('lists the files that the customer sent, and no others', async () => {
      const { local, signal } = open();
      const { ticketId } = local.createTicket({ message: 'See the file.' });
      local.addAgentReply(ticketId, 'Here is ours.');
      const withFiles: typeof fetch = async (url, init) => {
        const response = await fetch(url, init);
        const file = { file_name: 'debug.log', name: 'debug.log', filename: 'debug.log' };
        const address = { data_url: 'https://desk.example.com/blobs/7/debug.log?disposition=inline' };
        const text = (await response.text())
          .replaceAll('"attachments":[]', `"attachments":${JSON.stringify([file])}`)
          .replaceAll('"source_id":null', `"source_id":null,"attachments":${JSON.stringify([address])}`);
        return new Response(text, response);
      };
      const client = tool.client(local.connection, { fetch: withFiles, now: Date.now });
      expect((await client.readTicket(ticketId, { signal })).metadata.attachments).toEqual(['debug.log']);
    });

    it('reads the newest 200 of more messages', async () => {
      const { local, client, signal } = open();
      const { ticketId } = local.createTicket({ message: 'Message 0.' });
      for (let number = 1; number < 230; number += 1) local.addCustomerMessage(ticketId, `Message ${number}.`);
      const { messages } = await client.readTicket(ticketId, { signal });
      expect(messages.length).toBeLessThanOrEqual(200);
      expect(messages.at(-1)?.text).toBe('Message 229.');
      expect(messages.length).toBeGreaterThanOrEqual(95); // Help Scout takes no more than 100 in a ticket.
      expect(messages.at(-90)?.text).toBe('Message 140.');
    });

    it('writes a note that the customer never sees, and finds it again', async () => {
      const { local, client, signal } = open();
      const { ticketId } = local.createTicket({ message: 'Help.' });
      const seen = local.seenByCustomer(ticketId).length;
      expect(await client.findNote(ticketId, MARKER, { signal })).toBeUndefined();
      const noteId = await client.writeNote(ticketId, noteOf(), { signal });
      const [note] = local.notes(ticketId);
      expect(note?.body).toContain(MARKER);
      expect(noteId).toBe(note?.id);
      expect(local.notes(ticketId)).toHaveLength(1);
      expect(local.seenByCustomer(ticketId)).toHaveLength(seen);
      expect(await client.findNote(ticketId, MARKER, { signal })).toBe(noteId);
      expect(await client.findNote(ticketId, 'cn000000000000', { signal })).toBeUndefined();
    });

    it("ignores deliveries of our own note, an agent's note and an agent's reply", async () => {
      const { local, client, signal } = open();
      const { ticketId } = local.createTicket({ message: 'Help.' });
      const own = await client.writeNote(ticketId, noteOf(), { signal });
      const reply = local.addAgentReply(ticketId, 'We look into it.');
      const note = local.addPersonsNote(ticketId, 'A regular.');
      for (const message of [own, reply, note]) {
        const events = tool.read(deliveryOf(local.sign(ticketId, message)));
        expect(events.map(({ kind }) => kind)).toEqual(['ignored']);
      }
    });

    it('finds no marker in what a customer wrote or sees', async () => {
      const { local, client, signal } = open();
      const { ticketId } = local.createTicket({ message: `Hello ${MARKER}` });
      local.addCustomerMessage(ticketId, `Again ${MARKER}`);
      local.addAgentReply(ticketId, `You wrote ${MARKER}`);
      expect(await client.findNote(ticketId, MARKER, { signal })).toBeUndefined();
    });

    it('reports a refused token as permanent, with advice', async () => {
      const { local, signal } = open();
      const { ticketId } = local.createTicket({ message: 'Help.' });
      const wrong = tool.client({ ...local.connection, apiToken: 'wrong' }, { fetch, now: Date.now });
      const error = await failure(wrong.readTicket(ticketId, { signal }));
      expect(error).toMatchObject({ isTransient: false, isOutcomeUnknown: false });
      expect(error.message).toMatch(/status is 401: .*token/);
    });

    it('reports a deleted ticket as permanent and not found', async () => {
      const { client, signal } = open();
      expect(await failure(client.readTicket('99999999', { signal }))).toMatchObject({
        isTransient: false,
        isNotFound: true,
      });
    });

    it('reports how long the tool asks to wait', async () => {
      const {
        helpdesks: { faults },
        local,
        client,
        signal,
      } = open();
      const { ticketId } = local.createTicket({ message: 'Help.' });
      faults.next(1, { kind: 'status', status: 429, retryAfter: 7 }, `/${id}`);
      const error = await failure(client.readTicket(ticketId, { signal }));
      expect(error).toMatchObject({ isTransient: true, isOutcomeUnknown: false, retryAfterMs: 7000 });
    });

    for (const kind of ['reset', 'html-502', 'malformed-json', 'truncated-json', 'reset-in-body'] as const) {
      it(`treats ${kind} of a reading call as transient`, async () => {
        const {
          helpdesks: { faults },
          local,
          client,
          signal,
        } = open();
        const { ticketId } = local.createTicket({ message: 'Help.' });
        await client.readTicket(ticketId, { signal });
        faults.next(1, { kind }, `/${id}`);
        expect(await failure(client.readTicket(ticketId, { signal }))).toMatchObject({
          isTransient: true,
          isOutcomeUnknown: false,
        });
      });
    }

    it('reports an unknown outcome when the reply to a note is lost, and finds the note then', async () => {
      const {
        helpdesks: { faults },
        local,
        client,
        signal,
      } = open();
      const { ticketId } = local.createTicket({ message: 'Help.' });
      faults.next(1, { kind: 'reset', executed: true }, isWrite);
      expect(await failure(client.writeNote(ticketId, noteOf(), { signal }))).toMatchObject({
        isTransient: true,
        isOutcomeUnknown: true,
      });
      expect(await client.findNote(ticketId, MARKER, { signal })).toBe(local.notes(ticketId)[0]?.id);
    });

    it('reports an unknown outcome when the reply names no note and the ticket cannot be read', async () => {
      const { helpdesks, local, signal } = open();
      const { ticketId } = local.createTicket({ message: 'Help.' });
      let isWritten = false;
      const nameless: typeof fetch = async (url, init) => {
        if (isWritten) return new Response(null, { status: 429, headers: { 'retry-after': '7' } });
        const response = await fetch(url, init);
        isWritten = isWrite({ method: init?.method ?? 'GET', path: String(url) });
        if (!isWritten) return response;
        const body = { conversation_parts: { conversation_parts: [] }, audit: { events: [] } };
        return Response.json(body, { status: response.status });
      };
      const client = tool.client(local.connection, { fetch: nameless, now: Date.now });
      const error = await failure(client.writeNote(ticketId, noteOf(), { signal }));
      expect(error).toMatchObject({ isTransient: true, isOutcomeUnknown: true });
      expect(local.notes(ticketId)).toHaveLength(1);
      expect(helpdesks.requests.filter(isWrite)).toHaveLength(1);
    });

    it('quotes nothing of a reply in its errors', async () => {
      const {
        helpdesks: { faults },
        local,
        client,
        signal,
      } = open();
      const { ticketId } = local.createTicket({ message: 'Help.' });
      faults.next(1, { kind: 'status', status: 422, message: 'noor@example.net is a secret' }, isWrite);
      const error = await failure(client.writeNote(ticketId, noteOf(), { signal }));
      expect(error.isTransient).toBe(false);
      expect(JSON.stringify([error.message, String(error.cause)])).not.toContain('secret');
    });

    it('stops when its signal aborts', async () => {
      const {
        helpdesks: { faults },
        local,
        client,
      } = open();
      const { ticketId } = local.createTicket({ message: 'Help.' });
      faults.always({ kind: 'hang-before-headers' }, `/${id}`);
      const error = await failure(client.readTicket(ticketId, { signal: AbortSignal.timeout(50) }));
      expect(error.isTransient).toBe(true);
    });

    more(open);
  });
};

interface Open {
  helpdesks: LocalHelpdesks;
  local: LocalDesk;
  client: ReturnType<HelpdeskTool['client']>;
  signal: AbortSignal;
}

const isWrite = ({ method, path }: { method: string; path: string }) => method !== 'GET' && !path.includes('oauth2');
