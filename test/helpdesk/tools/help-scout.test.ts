import { expect, it } from 'vitest';
import { helpScout } from '../../../src/helpdesk/tools/help-scout.ts';
import { changed, madeUp, sampleDelivery } from '../payload.ts';
import { describeClient } from './describe-client.ts';
import { describeDeliveries } from './describe-deliveries.ts';

const event = (name: string) => ({ 'X-HelpScout-Event': name });
const created = sampleDelivery('helpscout-convo-created.json', event('convo.created'));
const replied = sampleDelivery('helpscout-convo-customer-reply-created.json', event('convo.customer.reply.created'));
const stateOf = (state: string) =>
  changed(replied, '"state": "published",\n        "action"', `"state": "${state}",\n        "action"`);
const thread = (type: string, id: number, createdAt: string) => ({
  ...{ id, type, state: 'published', createdAt },
  createdBy: { type: type === 'customer' ? 'customer' : 'user' },
});
const ofThreads = (name: string, threads: object[]) => madeUp({ id: 5, _embedded: { threads } }, event(name));

const NOTE = sampleDelivery('helpscout-convo-note-created.json', event('convo.note.created'));
const TAGGED = sampleDelivery('helpscout-convo-created.json', event('convo.tags'));
const LINE = changed(created, '"type": "customer",\n        "status"', '"type": "lineitem",\n        "status"');
const SEVERAL = ofThreads('convo.customer.reply.created', [
  thread('note', 5, '2026-01-15T10:41:30Z'),
  thread('customer', 4, '2026-01-15T10:41:20Z'),
  thread('customer', 3, '2026-01-15T10:40:00Z'),
  thread('message', 2, '2026-01-15T10:39:50Z'),
  thread('customer', 1, '2026-01-15T10:30:00Z'),
]);
const BY_AGENT = ofThreads('convo.created', [thread('message', 1, '2026-01-15T10:30:00Z')]);
describeDeliveries(helpScout, [
  ['the first thread', created, '501234567 #3001'],
  ['a reply of the customer', replied, '501234567 #3002', '501234567 #3001'],
  ['a conversation that an agent opened', BY_AGENT, 'ignored: opened by an agent'],
  ['each thread of the customer that came with the newest, whatever was said since', SEVERAL, '5 #4', '5 #3'],
  ['a draft, which is skipped', stateOf('draft'), '501234567 latest'],
  ['a change of state, which is skipped', LINE, '501234567 latest'],
  ['a hidden thread', stateOf('hidden'), '501234567 latest'],
  ['a thread that waits to be confirmed', stateOf('underreview'), '501234567 latest'],
  ['a thread in review', stateOf('review'), '501234567 latest'],
  ['no threads at all', madeUp({ id: 501234567 }, event('convo.created')), '501234567 latest'],
  ['a test, whatever it contains', madeUp('{}', event('helpscout.test')), 'ignored: a test'],
]);

it.each([
  ['a note', NOTE],
  ['a change of tags', TAGGED],
  ['an event without a name', sampleDelivery('helpscout-convo-created.json')],
])('ignores %s', (_, delivery) => {
  expect(helpScout.read(delivery)[0]?.kind).toBe('ignored');
});

/** Sets the state or the type of each thread to the one that its text names. */
const withNamedStates: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!String(input).includes('/threads')) return response;
  const body = (await response.json()) as { _embedded: { threads: { body: string; type: string }[] } };
  const threads = body._embedded.threads.map((one) => {
    const state = /underreview|review|hidden/.exec(one.body)?.[0];
    if (state !== undefined) return { ...one, state };
    return one.body.includes('forward') ? { ...one, type: 'forwardparent' } : one;
  });
  return Response.json({ ...body, _embedded: { threads } });
};

describeClient(helpScout, 'help-scout', (open) => {
  it('fetches a token once, and again when it is refused or old', async () => {
    // Past the expiry of every token that another test has cached.
    const clock = { now: Date.now() + 2 * 3_600_000 };
    const { helpdesks, faults, read } = open({ now: () => clock.now });
    const tokenCalls = () => helpdesks.requests.filter(({ path }) => path.endsWith('/oauth2/token')).length;
    await read();
    await read();
    expect(tokenCalls()).toBe(1);
    faults.next(1, { kind: 'status', status: 401 }, /conversations/);
    await read();
    expect(tokenCalls()).toBe(2);
    clock.now += 2 * 3_600_000;
    await read();
    expect(tokenCalls()).toBe(3);
  });
  it('gives up when the second token is refused too', async () => {
    const { helpdesks, faults, read } = open();
    faults.always({ kind: 'status', status: 401 }, /conversations/);
    await expect(read()).rejects.toMatchObject({ isTransient: false });
    expect(helpdesks.requests.filter(({ path }) => path.includes('conversations'))).toHaveLength(2);
  });
  it('saves one draft reply, which is not sent', async () => {
    const { local, ticketId, draft, read } = open();
    const seen = local.seenByCustomer(ticketId).length;
    expect([await draft(), await draft()]).toEqual([true, false]);
    expect(local.drafts(ticketId).map(({ body }) => body)).toEqual(['<p>Hello</p>']);
    expect(local.seenByCustomer(ticketId)).toHaveLength(seen);
    expect((await read()).messages).toHaveLength(1);
  });
  it('keeps the draft that a person has begun', async () => {
    const { local, ticketId, draft } = open();
    local.addPersonsDraft(ticketId, 'Dear');
    expect([await draft(), local.drafts(ticketId)]).toEqual([false, []]);
  });
  it('omits unconfirmed and hidden replies, and reads forwards as internal', async () => {
    const { local, ticketId, read } = open({ send: withNamedStates });
    for (const text of ['underreview', 'review', 'hidden', 'forwardparent', 'said'])
      local.addAgentReply(ticketId, text);
    expect((await read()).messages.map(({ text, isPublic }) => [text, isPublic])).toEqual([
      ['Help.', true],
      ['forwardparent', false],
      ['said', true],
    ]);
  });
  it('says that a full conversation takes no note', async () => {
    const { faults, write } = open();
    faults.next(1, { kind: 'status', status: 412 }, /notes/);
    await expect(write()).rejects.toThrow('status is 412: the ticket is full');
  });
});
