import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalDesk, LocalDeskId } from '../../../src/dev/stand-ins/helpdesks/desk/local-desk.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import {
  type Delivery,
  type HelpdeskConnection,
  HelpdeskFailed,
  type HelpdeskTool,
  type Ticket,
} from '../../../src/helpdesk/helpdesk-tool.ts';
import { noteOf } from '../note-of.ts';
import { madeUp } from '../payload.ts';
import { verifyDelivery } from '../verify-delivery.ts';

const MARKER = noteOf().marker;

const deliveryOf = (signed: { headers: Record<string, string>; body: string }): Delivery =>
  madeUp(signed.body, signed.headers);

/** The behaviour of every tool, against the stand-in of its API over HTTP. */
export const describeClient = (tool: HelpdeskTool, id: LocalDeskId, more: (at: Open) => void = () => {}): void => {
  describe(`${tool.name}, against its API`, () => {
    let helpdesks: LocalHelpdesks;
    beforeAll(async () => {
      helpdesks = await startHelpdesks();
    });
    afterAll(() => helpdesks.stop());
    /** A ticket in the stand-in, and what a client does with it. */
    const open: Open = ({ ticket = { message: 'Help.' }, connection = {}, send = fetch, now = Date.now } = {}) => {
      helpdesks.faults.none();
      helpdesks.forgetRequests();
      const local = helpdesks.desks[id];
      const client = tool.client({ ...local.connection, ...connection }, { fetch: send, now });
      const options = { signal: AbortSignal.timeout(20_000) };
      const { ticketId, messageId } = local.createTicket(ticket);
      return {
        ...{ helpdesks, faults: helpdesks.faults, local, client, ticketId, messageId },
        read: () => client.readTicket(ticketId, options),
        write: () => client.writeNote(ticketId, noteOf(), options),
        find: (marker = MARKER) => client.findNote(ticketId, marker, options),
        draft: () => client.writeDraft?.(ticketId, { markdown: 'Hello', html: '<p>Hello</p>', text: 'Hello' }, options),
      };
    };
    const failure = async (call: Promise<unknown>): Promise<HelpdeskFailed> => {
      const error = await call.then(() => undefined).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(HelpdeskFailed);
      return error as HelpdeskFailed;
    };
    it('verifies what the tool signs, and reads the ticket and the message that it names', async () => {
      const { local, ticketId, messageId, read } = open({ ticket: { message: 'It came twice.', subject: 'Twice' } });
      const followUp = local.addCustomerMessage(ticketId, 'And I paid twice.');
      for (const [message, text] of [
        [messageId, 'It came twice.'],
        [followUp, 'And I paid twice.'],
      ] as const) {
        const delivery = deliveryOf(local.sign(ticketId, message));
        const verify = (secrets: readonly string[]) =>
          verifyDelivery(delivery, tool.signatures, { secrets, now: Date.now() });
        expect([await verify(local.connection.secrets), await verify(['another'])]).toEqual([true, false]);
        const [event] = tool.read(delivery);
        expect(event).toMatchObject({ kind: 'message', ticketId });
        if (event?.kind !== 'message') throw new Error('no message');
        const { messages } = await read();
        const { message: about } = event;
        const named =
          typeof about === 'string'
            ? messages.at(about === 'first' ? 0 : -1)
            : messages.find((one) => one.id === about.id);
        expect(named).toMatchObject({ from: 'customer', isPublic: true, text });
      }
    });
    it('reads who wrote each message, and what the customer sees', async () => {
      const customer = { name: 'Noor Haddad', email: 'noor@example.net' };
      const given = {
        message: 'One.',
        subject: 'A subject',
        customer,
        tags: ['billing'],
        fields: { device: 'Apollo II' },
      };
      const { local, ticketId, read } = open({ ticket: given });
      local.addAgentReply(ticketId, 'Two.');
      local.addPersonsNote(ticketId, 'Three.');
      local.addCustomerMessage(ticketId, 'Four.');
      const ticket = await read();
      expect(ticket.messages.map(({ from, isPublic, text }) => [from, isPublic, text])).toEqual([
        ['customer', true, 'One.'],
        ['agent', true, 'Two.'],
        ['agent', false, 'Three.'],
        ['customer', true, 'Four.'],
      ]);
      const metadata = { tags: ['billing'] };
      expect(ticket).toMatchObject({ id: ticketId, customer: { name: 'Noor Haddad' }, metadata });
      for (const { sentAtMs } of ticket.messages) expect(Math.abs(Date.now() - (sentAtMs ?? 0))).toBeLessThan(60_000);
    });
    it('lists the files that the customer sent, and no others', async () => {
      const withFiles: typeof fetch = async (url, init) => {
        const response = await fetch(url, init);
        const file = { file_name: 'debug.log', name: 'debug.log', filename: 'debug.log' };
        const address = { data_url: 'https://desk.example.com/blobs/7/debug.log?disposition=inline' };
        const text = (await response.text())
          .replaceAll('"attachments":[]', `"attachments":${JSON.stringify([file])}`)
          .replaceAll('"source_id":null', `"source_id":null,"attachments":${JSON.stringify([address])}`);
        return new Response(text, response);
      };
      const { local, ticketId, read } = open({ ticket: { message: 'See the file.' }, send: withFiles });
      local.addAgentReply(ticketId, 'Here is ours.');
      expect((await read()).metadata.attachments).toEqual(['debug.log']);
    });
    it('reads the newest 200 of more messages', async () => {
      const { local, ticketId, read } = open();
      for (let number = 1; number < 230; number += 1) local.addCustomerMessage(ticketId, `Message ${number}.`);
      const { messages } = await read();
      expect(messages.length).toBeLessThanOrEqual(200);
      expect(messages.length).toBeGreaterThanOrEqual(95); // Help Scout takes no more than 100 in a ticket.
      expect([messages.at(-1)?.text, messages.at(-90)?.text]).toEqual(['Message 229.', 'Message 140.']);
    });
    it('writes a note that the customer never sees, and finds it again', async () => {
      const { local, ticketId, find, write } = open();
      const seen = local.seenByCustomer(ticketId).length;
      expect(await find()).toBeUndefined();
      const noteId = await write();
      expect(local.notes(ticketId)).toMatchObject([{ id: noteId, body: expect.stringContaining(MARKER) }]);
      expect(local.seenByCustomer(ticketId)).toHaveLength(seen);
      expect([await find(), await find('cn000000000000')]).toEqual([noteId, undefined]);
    });
    it("ignores deliveries of our own note, an agent's note and an agent's reply", async () => {
      const { local, ticketId, write } = open();
      const reply = local.addAgentReply(ticketId, 'We look into it.');
      const read = (message: string) => tool.read(deliveryOf(local.sign(ticketId, message)));
      for (const note of [await write(), local.addPersonsNote(ticketId, 'A regular.')]) {
        expect(read(note)).toEqual([{ kind: 'ignored', reason: expect.any(String) }]);
      }
      // The reply is returned to compare it with the draft.
      const sent = { ticketId, text: 'We look into it.' };
      expect(read(reply)).toMatchObject([{ kind: 'ignored', sent }]);
    });
    it('finds no marker in what a customer wrote or sees', async () => {
      const { local, ticketId, find } = open({ ticket: { message: `Hello ${MARKER}` } });
      local.addCustomerMessage(ticketId, `Again ${MARKER}`);
      local.addAgentReply(ticketId, `You wrote ${MARKER}`);
      expect(await find()).toBeUndefined();
    });
    it('reports a refused token as permanent, with advice', async () => {
      const error = await failure(open({ connection: { apiToken: 'wrong' } }).read());
      expect(error).toMatchObject({ isTransient: false, isOutcomeUnknown: false });
      expect(error.message).toMatch(/status is 401: .*token/);
    });
    it('reports a deleted ticket as permanent and not found', async () => {
      const gone = open().client.readTicket('99999999', { signal: AbortSignal.timeout(20_000) });
      expect(await failure(gone)).toMatchObject({ isTransient: false, isNotFound: true });
    });
    it('reports an unknown outcome when the reply to a note is lost, and finds the note then', async () => {
      const { faults, local, ticketId, write, find } = open();
      faults.next(1, { kind: 'reset', executed: true }, isWrite);
      expect(await failure(write())).toMatchObject({ isTransient: true, isOutcomeUnknown: true });
      expect(await find()).toBe(local.notes(ticketId)[0]?.id);
    });
    it('reports an unknown outcome when the reply names no note and the ticket cannot be read', async () => {
      let isWritten = false;
      const nameless: typeof fetch = async (url, init) => {
        if (isWritten) return new Response(null, { status: 429, headers: { 'retry-after': '7' } });
        const response = await fetch(url, init);
        isWritten = isWrite({ method: init?.method ?? 'GET', path: String(url) });
        if (!isWritten) return response;
        const body = { conversation_parts: { conversation_parts: [] }, audit: { events: [] } };
        return Response.json(body, { status: response.status });
      };
      const { local, ticketId, write } = open({ send: nameless });
      expect(await failure(write())).toMatchObject({ isTransient: true, isOutcomeUnknown: true });
      expect(local.notes(ticketId)).toHaveLength(1);
      expect(helpdesks.requests.filter(isWrite)).toHaveLength(1);
    });
    it('quotes nothing of a reply in its errors', async () => {
      const { faults, write } = open();
      faults.next(1, { kind: 'status', status: 422, message: 'noor@example.net is a secret' }, isWrite);
      const error = await failure(write());
      expect(error.isTransient).toBe(false);
      expect(JSON.stringify([error.message, String(error.cause)])).not.toContain('secret');
    });
    it('stops when its signal aborts', async () => {
      const { faults, client, ticketId } = open();
      faults.always({ kind: 'hang-before-headers' }, `/${id}`);
      const error = await failure(client.readTicket(ticketId, { signal: AbortSignal.timeout(50) }));
      expect(error.isTransient).toBe(true);
    });
    more(open);
  });
};

type Open = (given?: {
  ticket?: Parameters<LocalDesk['createTicket']>[0];
  connection?: Partial<HelpdeskConnection>;
  send?: typeof fetch;
  now?: () => number;
}) => {
  helpdesks: LocalHelpdesks;
  faults: LocalHelpdesks['faults'];
  local: LocalDesk;
  client: ReturnType<HelpdeskTool['client']>;
  ticketId: string;
  messageId: string;
  read: () => Promise<Ticket>;
  write: () => Promise<string>;
  find: (marker?: string) => Promise<string | undefined>;
  draft: () => Promise<boolean> | undefined;
};

/** What a client sent with a method, as JSON. */
export const sentBy = (method: string, helpdesks: LocalHelpdesks): unknown =>
  JSON.parse(helpdesks.requests.find((request) => request.method === method)?.body ?? '');

const isWrite = ({ method, path }: { method: string; path: string }) => method !== 'GET' && !path.includes('oauth2');
