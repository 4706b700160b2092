import { describe, expect, it } from 'vitest';
import { helpScout } from '../../../src/helpdesk/tools/help-scout.ts';
import { noteOf } from '../note-of.ts';
import { changed, madeUp, sampleDelivery } from '../payload.ts';
import { describeClient } from './describe-client.ts';

const event = (name: string) => ({ 'X-HelpScout-Event': name });
const created = sampleDelivery('helpscout-convo-created.json', event('convo.created'));
const replied = sampleDelivery('helpscout-convo-customer-reply-created.json', event('convo.customer.reply.created'));

describe('what Help Scout delivers', () => {
  it('is the newest thread when that is of the customer', () => {
    expect(helpScout.read(created)).toEqual([{ kind: 'message', ticketId: '501234567', message: { id: '3001' } }]);
    expect(helpScout.read(replied)[0]).toEqual({ kind: 'message', ticketId: '501234567', message: { id: '3002' } });
  });

  it('is ignored when it is a note, or opened by an agent', () => {
    const note = 'helpscout-convo-note-created.json';
    expect(helpScout.read(sampleDelivery(note, event('convo.note.created')))[0]?.kind).toBe('ignored');
    const thread = { id: 1, type: 'message', state: 'published', createdBy: { type: 'user' } };
    const opened = madeUp({ id: 5, _embedded: { threads: [thread] } }, event('convo.created'));
    expect(helpScout.read(opened)).toEqual([{ kind: 'ignored', reason: 'opened by an agent' }]);
  });

  it('is each thread of the customer that came with the newest, whatever was said since', () => {
    const by = (type: string, id: number, createdAt: string) => ({
      ...{ id, type, state: 'published', createdAt },
      createdBy: { type: type === 'customer' ? 'customer' : 'user' },
    });
    const threads = [
      by('note', 5, '2026-01-15T10:41:30Z'),
      by('customer', 4, '2026-01-15T10:41:20Z'),
      by('customer', 3, '2026-01-15T10:40:00Z'),
      by('message', 2, '2026-01-15T10:39:50Z'),
      by('customer', 1, '2026-01-15T10:30:00Z'),
    ];
    const events = helpScout.read(madeUp({ id: 5, _embedded: { threads } }, event('convo.customer.reply.created')));
    expect(events).toEqual(['4', '3'].map((id) => ({ kind: 'message', ticketId: '5', message: { id } })));
  });

  it('is ignored when a customer has written before, and something else happens', () => {
    const tagged = sampleDelivery('helpscout-convo-created.json', event('convo.tags'));
    expect(helpScout.read(tagged)[0]?.kind).toBe('ignored');
    expect(helpScout.read(sampleDelivery('helpscout-convo-created.json'))[0]?.kind).toBe('ignored');
  });

  it('looks past drafts and changes of state', () => {
    const draft = changed(replied, '"state": "published",\n        "action"', '"state": "draft",\n        "action"');
    expect(helpScout.read(draft)).toEqual([{ kind: 'message', ticketId: '501234567', message: 'latest' }]);
    const line = changed(created, '"type": "customer",\n        "status"', '"type": "lineitem",\n        "status"');
    expect(helpScout.read(line)).toEqual([{ kind: 'message', ticketId: '501234567', message: 'latest' }]);
  });

  it('is no thread that somebody has hidden, or that waits to be confirmed', () => {
    for (const state of ['hidden', 'underreview', 'review']) {
      const other = changed(
        replied,
        '"state": "published",\n        "action"',
        `"state": "${state}",\n        "action"`,
      );
      expect(helpScout.read(other)).toEqual([{ kind: 'message', ticketId: '501234567', message: 'latest' }]);
    }
  });

  it('is the latest message when it comes without threads', () => {
    const bare = helpScout.read(madeUp({ id: 501234567 }, event('convo.created')));
    expect(bare).toEqual([{ kind: 'message', ticketId: '501234567', message: 'latest' }]);
  });

  it('is ignored when it is a test, whatever stands in it', () => {
    expect(helpScout.read(madeUp('{}', event('helpscout.test')))).toEqual([{ kind: 'ignored', reason: 'a test' }]);
  });
});

const draft = { markdown: 'Hello', html: '<p>Hello</p>', text: 'Hello' };

describeClient(helpScout, 'help-scout', (open) => {
  const tokenCalls = (requests: readonly { path: string }[]) =>
    requests.filter(({ path }) => path.endsWith('/oauth2/token')).length;

  it('asks for a token once, and again when it is refused or old', async () => {
    const { helpdesks, local, signal } = open();
    // Later than the token of any other test is cached.
    const clock = { now: Date.now() + 2 * 3_600_000 };
    const client = helpScout.client(local.connection, { fetch, now: () => clock.now });
    const { ticketId } = local.createTicket({ message: 'Help.' });
    await client.readTicket(ticketId, { signal });
    await client.readTicket(ticketId, { signal });
    expect(tokenCalls(helpdesks.requests)).toBe(1);
    helpdesks.faults.next(1, { kind: 'status', status: 401 }, /conversations/);
    await client.readTicket(ticketId, { signal });
    expect(tokenCalls(helpdesks.requests)).toBe(2);
    clock.now += 2 * 3_600_000;
    await client.readTicket(ticketId, { signal });
    expect(tokenCalls(helpdesks.requests)).toBe(3);
  });

  it('gives up where the second token is refused too', async () => {
    const { helpdesks, local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    helpdesks.faults.always({ kind: 'status', status: 401 }, /conversations/);
    await expect(client.readTicket(ticketId, { signal })).rejects.toMatchObject({ isTransient: false });
    expect(helpdesks.requests.filter(({ path }) => path.includes('conversations'))).toHaveLength(2);
  });

  it('leaves a draft of a reply, which is not sent, and no second one', async () => {
    const { local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    const seen = local.seenByCustomer(ticketId).length;
    expect(await client.writeDraft?.(ticketId, draft, { signal })).toBe(true);
    expect(await client.writeDraft?.(ticketId, draft, { signal })).toBe(false);
    expect(local.drafts(ticketId).map(({ body }) => body)).toEqual(['<p>Hello</p>']);
    expect(local.seenByCustomer(ticketId)).toHaveLength(seen);
    expect((await client.readTicket(ticketId, { signal })).messages).toHaveLength(1);
  });

  it('leaves a draft alone that a person has begun', async () => {
    const { local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    local.addPersonsDraft(ticketId, 'Dear');
    expect(await client.writeDraft?.(ticketId, draft, { signal })).toBe(false);
    expect(local.drafts(ticketId)).toEqual([]);
  });

  it('reads neither replies that wait to be confirmed nor hidden ones, and forwards as internal', async () => {
    const { local, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    for (const text of ['underreview', 'review', 'hidden', 'forwardparent', 'said'])
      local.addAgentReply(ticketId, text);
    const asSaid: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).includes('/threads')) return response;
      const body = (await response.json()) as { _embedded: { threads: { body: string; type: string }[] } };
      const threads = body._embedded.threads.map((thread) => {
        const text = /underreview|review|hidden/.exec(thread.body)?.[0];
        if (text !== undefined) return { ...thread, state: text };
        return thread.body.includes('forward') ? { ...thread, type: 'forwardparent' } : thread;
      });
      return Response.json({ ...body, _embedded: { threads } });
    };
    const { messages } = await helpScout
      .client(local.connection, { fetch: asSaid, now: Date.now })
      .readTicket(ticketId, { signal });
    expect(messages.map(({ text, isPublic }) => [text, isPublic])).toEqual([
      ['Help.', true],
      ['forwardparent', false],
      ['said', true],
    ]);
  });

  it("waits as long as the tool's own header says", async () => {
    const { helpdesks, local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    const headers = { 'x-ratelimit-retry-after': '9' };
    helpdesks.faults.next(1, { kind: 'status', status: 429, headers }, /conversations/);
    await expect(client.readTicket(ticketId, { signal })).rejects.toMatchObject({ retryAfterMs: 9000 });
  });

  it('says that a full conversation takes no note', async () => {
    const { helpdesks, local, client, signal } = open();
    const { ticketId } = local.createTicket({ message: 'Help.' });
    helpdesks.faults.next(1, { kind: 'status', status: 412 }, /notes/);
    await expect(client.writeNote(ticketId, noteOf(), { signal })).rejects.toThrow('status is 412: the ticket is full');
  });
});
