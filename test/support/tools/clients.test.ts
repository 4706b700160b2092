import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HelpdeskConnection } from '../../../src/support/tools/helpdesk-tool.ts';
import { helpdeskTools } from '../../../src/support/tools/helpdesk-tools.ts';
import {
  LOCAL_DESK_IDS,
  type LocalDesk,
  type LocalDeskId,
} from '../../../tools/stand-ins/helpdesks/desk/local-desk.ts';
import {
  type LocalHelpdesks,
  startHelpdesks,
} from '../../../tools/stand-ins/helpdesks/start-helpdesks.ts';
import { noteOf } from './note-of.ts';
import { madeUp } from './payload.ts';
import { verifyDelivery } from './verify-delivery.ts';

const MARKER = noteOf().marker;
const DRAFT = { markdown: 'Hello', html: '<p>Hello</p>', text: 'Hello' };
let helpdesks: LocalHelpdesks;
beforeAll(async () => {
  helpdesks = await startHelpdesks();
});
afterAll(() => helpdesks.stop());

interface Given {
  ticket?: Parameters<LocalDesk['createTicket']>[0];
  connection?: Partial<HelpdeskConnection>;
  send?: typeof fetch;
  now?: () => number;
}

/** A ticket in the stand-in of a tool, and what a client does with it. */
const open = (
  id: LocalDeskId,
  { ticket = { message: 'Help.' }, connection = {}, send = fetch, now = Date.now }: Given = {},
) => {
  helpdesks.faults.none();
  helpdesks.forgetRequests();
  const local = helpdesks.desks[id];
  const client = helpdeskTools[id].client(
    { ...local.connection, ...connection },
    { fetch: send, now },
  );
  const options = { signal: AbortSignal.timeout(20_000) };
  const { ticketId, messageId } = local.createTicket(ticket);
  return {
    local,
    client,
    ticketId,
    messageId,
    options,
    read: () => client.readTicket(ticketId, options),
    write: () => client.writeNote(ticketId, noteOf(), options),
    find: (marker = MARKER) => client.findNote(ticketId, marker, options),
    draft: () => client.writeDraft?.(ticketId, DRAFT, options),
  };
};
const isWrite = ({ method, path }: { method: string; path: string }) =>
  method !== 'GET' && !path.includes('oauth2');
/** What a client sent with a method, as JSON. */
const sentBy = (method: string): unknown =>
  JSON.parse(helpdesks.requests.find((request) => request.method === method)?.body ?? '');

describe.each(LOCAL_DESK_IDS)('the client of %s', (id) => {
  const tool = helpdeskTools[id];
  const deliveryOf = (local: LocalDesk, ticketId: string, messageId: string) => {
    const { headers, body } = local.sign(ticketId, messageId);
    return madeUp(body, headers);
  };
  it('reads the ticket and the message that a signed delivery names', async () => {
    const { local, ticketId, messageId, read } = open(id, {
      ticket: { message: 'It came twice.', subject: 'Twice' },
    });
    for (const [named, text] of [
      [messageId, 'It came twice.'],
      [local.addCustomerMessage(ticketId, 'And I paid twice.'), 'And I paid twice.'],
    ] as const) {
      const delivery = deliveryOf(local, ticketId, named);
      const verify = (secrets: readonly string[]) =>
        verifyDelivery(delivery, tool.signatures, { secrets, now: Date.now() });
      expect([await verify(local.connection.secrets), await verify(['another'])]).toEqual([
        true,
        false,
      ]);
      const [event] = tool.read(delivery);
      if (event?.kind !== 'message') throw new Error('no message');
      const { messages } = await read();
      const about = event.message;
      const [first, latest] = [messages[0], messages.at(-1)];
      const byPlace = about === 'first' ? first : latest;
      const message =
        typeof about === 'string' ? byPlace : messages.find((one) => one.id === about.id);
      expect([event.ticketId, message]).toMatchObject([
        ticketId,
        { from: 'customer', isPublic: true, text },
      ]);
    }
  });
  it('reads who wrote each message, and what the customer sees', async () => {
    const customer = { name: 'Noor Haddad', email: 'noor@example.net' };
    const { local, ticketId, read } = open(id, {
      ticket: { message: 'One.', customer, tags: ['billing'] },
    });
    local.addAgentReply(ticketId, 'Two.');
    local.addPersonsNote(ticketId, 'Three.');
    local.addCustomerMessage(ticketId, 'Four.');
    const ticket = await read();
    expect(ticket).toMatchObject({
      id: ticketId,
      customer: { name: 'Noor Haddad' },
      metadata: { tags: ['billing'] },
    });
    expect(ticket.messages.map(({ from, isPublic, text }) => [from, isPublic, text])).toEqual([
      ['customer', true, 'One.'],
      ['agent', true, 'Two.'],
      ['agent', false, 'Three.'],
      ['customer', true, 'Four.'],
    ]);
    for (const { sentAtMs } of ticket.messages)
      expect(Math.abs(Date.now() - (sentAtMs ?? 0))).toBeLessThan(60_000);
  });
  it('lists the files that the customer sent, and no others', async () => {
    const file = { file_name: 'debug.log', name: 'debug.log', filename: 'debug.log' };
    const address = { data_url: 'https://desk.example.com/blobs/7/debug.log?disposition=inline' };
    const withFiles: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      const text = (await response.text())
        .replaceAll('"attachments":[]', `"attachments":${JSON.stringify([file])}`)
        .replaceAll(
          '"source_id":null',
          `"source_id":null,"attachments":${JSON.stringify([address])}`,
        );
      return new Response(text, response);
    };
    const { local, ticketId, read } = open(id, { send: withFiles });
    local.addAgentReply(ticketId, 'Here is ours.');
    expect((await read()).metadata.attachments).toEqual(['debug.log']);
  });
  it('reads the newest 200 of more messages', async () => {
    const { local, ticketId, read } = open(id);
    for (let number = 1; number < 230; number += 1)
      local.addCustomerMessage(ticketId, `Message ${number}.`);
    const { messages } = await read();
    expect(messages.length).toBeLessThanOrEqual(200);
    expect(messages.length).toBeGreaterThanOrEqual(95); // Help Scout takes no more than 100 in a ticket.
    expect([messages.at(-1)?.text, messages.at(-90)?.text]).toEqual([
      'Message 229.',
      'Message 140.',
    ]);
  });
  it('writes a note that the customer never sees, and finds it again', async () => {
    const { local, ticketId, find, write } = open(id);
    const seen = local.seenByCustomer(ticketId).length;
    expect(await find()).toBeUndefined();
    const noteId = await write();
    expect(local.notes(ticketId)).toMatchObject([
      { id: noteId, body: expect.stringContaining(MARKER) },
    ]);
    expect(local.seenByCustomer(ticketId)).toHaveLength(seen);
    expect([await find(), await find('cn000000000000')]).toEqual([noteId, undefined]);
  });
  it("ignores deliveries of our own note, an agent's note and an agent's reply", async () => {
    const { local, ticketId, write } = open(id);
    const read = (message: string) => tool.read(deliveryOf(local, ticketId, message));
    for (const note of [await write(), local.addPersonsNote(ticketId, 'A regular.')])
      expect(read(note)).toEqual([{ kind: 'ignored', reason: expect.any(String) }]);
    // The reply is returned to compare it with the draft.
    const sent = { ticketId, text: 'We look into it.' };
    expect(read(local.addAgentReply(ticketId, sent.text))).toMatchObject([
      { kind: 'ignored', sent },
    ]);
  });
  it('finds no marker in what a customer wrote or sees', async () => {
    const { local, ticketId, find } = open(id, { ticket: { message: `Hello ${MARKER}` } });
    local.addCustomerMessage(ticketId, `Again ${MARKER}`);
    local.addAgentReply(ticketId, `You wrote ${MARKER}`);
    expect(await find()).toBeUndefined();
  });
  it('reports a refused token as permanent, with advice, and a deleted ticket as not found', async () => {
    const refused = open(id, { connection: { apiToken: 'wrong' } }).read();
    const message = expect.stringMatching(/status is 401: .*token/);
    await expect(refused).rejects.toMatchObject({
      isTransient: false,
      isOutcomeUnknown: false,
      message,
    });
    const { client, options } = open(id);
    const gone = client.readTicket('99999999', options);
    await expect(gone).rejects.toMatchObject({ isTransient: false, isNotFound: true });
  });
  it('reports an unknown outcome when the reply to a note is lost, and finds the note then', async () => {
    const { local, ticketId, write, find } = open(id);
    helpdesks.faults.next(1, { kind: 'reset', executed: true }, isWrite);
    await expect(write()).rejects.toMatchObject({ isTransient: true, isOutcomeUnknown: true });
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
    const { local, ticketId, write } = open(id, { send: nameless });
    await expect(write()).rejects.toMatchObject({ isTransient: true, isOutcomeUnknown: true });
    expect(local.notes(ticketId)).toHaveLength(1);
    expect(helpdesks.requests.filter(isWrite)).toHaveLength(1);
  });
  it('stops when its signal aborts', async () => {
    const { client, ticketId } = open(id);
    helpdesks.faults.always({ kind: 'hang-before-headers' }, `/${id}`);
    const reading = client.readTicket(ticketId, { signal: AbortSignal.timeout(50) });
    await expect(reading).rejects.toMatchObject({ name: 'HelpdeskFailed', isTransient: true });
  });
});

it.each<[LocalDeskId, string, object]>([
  [
    'chatwoot',
    'POST',
    {
      private: true,
      message_type: 'outgoing',
      content_attributes: { constellation_marker: MARKER },
    },
  ],
  [
    'zendesk',
    'PUT',
    {
      ticket: {
        comment: { public: false },
        safe_update: true,
        updated_stamp: expect.stringMatching(/Z$/),
      },
    },
  ],
  [
    'intercom',
    'POST',
    { message_type: 'note', type: 'admin', admin_id: expect.stringMatching(/^\d+$/) },
  ],
  // Any other type is mailed.
  ['zammad', 'POST', { internal: true, type: 'note', sender: 'Agent' }],
])('%s is sent a note that is internal', async (id, method, body) => {
  await open(id).write();
  expect(sentBy(method)).toMatchObject(body);
});

describe.each([
  ['zammad', true],
  ['help-scout', false],
] as const)('a draft in %s', (id, isReplaced) => {
  it('is saved once and not sent', async () => {
    const { local, ticketId, draft, read } = open(id);
    const seen = local.seenByCustomer(ticketId).length;
    expect([await draft(), await draft()]).toEqual([true, isReplaced]);
    expect(local.drafts(ticketId).map(({ body }) => body)).toEqual([DRAFT.html]);
    expect(local.seenByCustomer(ticketId)).toHaveLength(seen);
    expect((await read()).messages).toHaveLength(1);
  });
  it('does not replace the one that a person has begun', async () => {
    const { local, ticketId, draft } = open(id);
    local.addPersonsDraft(ticketId, 'Dear');
    expect([await draft(), local.drafts(ticketId)]).toEqual([false, []]);
    expect(helpdesks.requests.filter(isWrite)).toEqual([]);
  });
});

describe('Zendesk', () => {
  it('has the same note once, and asks for a retry when the ticket changed meanwhile', async () => {
    const { local, ticketId, write } = open('zendesk');
    const first = await write();
    expect(await write()).toBe(first);
    expect(local.notes(ticketId)).toHaveLength(1);
    const changed = open('zendesk');
    helpdesks.faults.next(1, { kind: 'status', status: 409 }, ({ method }) => method === 'PUT');
    await expect(changed.write()).rejects.toMatchObject({
      isTransient: true,
      isOutcomeUnknown: false,
    });
  });
  it('has comments of our API user, which are from an agent, and the product in a field', async () => {
    const { local, ticketId, options, read } = open('zendesk', {
      ticket: { message: 'Help.', fields: { Device: 'II' } },
    });
    const { metadata, customer } = await read();
    const [productField = ''] = Object.keys(metadata.fields as object);
    const own = { ...local.connection.options, userId: customer.id ?? '', productField };
    const client = helpdeskTools.zendesk.client(
      { ...local.connection, options: own },
      { fetch, now: Date.now },
    );
    const again = await client.readTicket(ticketId, options);
    expect(again.messages.map(({ from }) => from)).toEqual(['agent']);
    expect(again.metadata).toMatchObject({ channel: 'email', product: 'II' });
  });
});

describe('Intercom', () => {
  it('is called in a fixed version of its API, with the option adminId', async () => {
    await open('intercom').read();
    expect(helpdesks.requests[0]?.headers).toMatchObject({ 'intercom-version': '2.16' });
    const without = open('intercom', { connection: { options: {} } });
    await expect(without.write()).rejects.toThrow('its connection has no option adminId');
  });
  it.each(['note_and_reopen', 'note_and_unsnooze'])('has a %s, which is a note', async (type) => {
    const send: typeof fetch = async (input, init) => {
      const text = await (await fetch(input, init)).text();
      return new Response(text.replaceAll('"part_type":"note"', `"part_type":"${type}"`));
    };
    const { local, ticketId, read, write, find } = open('intercom', { send });
    local.addPersonsNote(ticketId, 'Do not tell: a known troublemaker.');
    expect((await read()).messages.map(({ isPublic }) => isPublic)).toEqual([true, false]);
    const noteId = await write();
    expect(await find()).toBe(noteId);
  });
});

it('Zammad has drafts to the customer', async () => {
  await open('zammad').draft();
  expect(sentBy('PUT')).toMatchObject({ new_article: { to: expect.stringContaining('@') } });
});

it('Zammad has articles of our API user, which are from an agent', async () => {
  const { local, read } = open('zammad');
  expect((await read()).messages[0]?.from).toBe('customer');
  const options = { ...local.connection.options, login: 'dana.ortiz@example.net' };
  expect((await open('zammad', { connection: { options } }).read()).messages[0]?.from).toBe(
    'agent',
  );
});

it('Chatwoot asks for a wait of a minute with a 429 that has no Retry-After', async () => {
  const { read } = open('chatwoot');
  helpdesks.faults.next(1, { kind: 'status', status: 429 }, '/chatwoot');
  await expect(read()).rejects.toMatchObject({ retryAfterMs: 60_000 });
});

describe('Help Scout', () => {
  const requestsTo = (part: string) =>
    helpdesks.requests.filter(({ path }) => path.includes(part)).length;
  it('gives a token once, and again when it is refused or old', async () => {
    // Past the expiry of every token that another test has cached.
    const clock = { now: Date.now() + 2 * 3_600_000 };
    const { read } = open('help-scout', { now: () => clock.now });
    await read();
    await read();
    expect(requestsTo('oauth2/token')).toBe(1);
    helpdesks.faults.next(1, { kind: 'status', status: 401 }, /conversations/);
    await read();
    expect(requestsTo('oauth2/token')).toBe(2);
    clock.now += 2 * 3_600_000;
    await read();
    expect(requestsTo('oauth2/token')).toBe(3);
  });
  it('is not asked again when the second token is refused too', async () => {
    const { read } = open('help-scout');
    helpdesks.faults.always({ kind: 'status', status: 401 }, /conversations/);
    await expect(read()).rejects.toMatchObject({ isTransient: false });
    expect(requestsTo('conversations')).toBe(2);
  });
  it('has unconfirmed and hidden replies, which are omitted, and forwards, which are internal', async () => {
    /** Sets the state or the type of each thread to the one that its text names. */
    const send: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).includes('/threads')) return response;
      const body = (await response.json()) as { _embedded: { threads: { body: string }[] } };
      const threads = body._embedded.threads.map((one) => {
        const [state] = /underreview|review|hidden/.exec(one.body) ?? [];
        return {
          ...one,
          ...(state && { state }),
          ...(one.body.includes('forward') && { type: 'forwardparent' }),
        };
      });
      return Response.json({ ...body, _embedded: { threads } });
    };
    const { local, ticketId, read } = open('help-scout', { send });
    for (const text of ['underreview', 'review', 'hidden', 'forwardparent', 'said'])
      local.addAgentReply(ticketId, text);
    expect((await read()).messages.map(({ text, isPublic }) => [text, isPublic])).toEqual([
      ['Help.', true],
      ['forwardparent', false],
      ['said', true],
    ]);
  });
  it('takes no note into a full conversation', async () => {
    const { write } = open('help-scout');
    helpdesks.faults.next(1, { kind: 'status', status: 412 }, /notes/);
    await expect(write()).rejects.toThrow('status is 412: the ticket is full');
  });
});
