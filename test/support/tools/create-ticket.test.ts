import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { helpdeskTools } from '../../../src/support/tools/helpdesk-tools.ts';
import {
  LOCAL_DESK_IDS,
  type LocalDeskId,
} from '../../../tools/stand-ins/helpdesks/desk/local-desk.ts';
import {
  type LocalHelpdesks,
  startHelpdesks,
} from '../../../tools/stand-ins/helpdesks/start-helpdesks.ts';
import { type DocumentedId, type StoredTicket, startDocumentedApis } from './documented-apis.ts';

const REQUEST = {
  key: '0123456789abcdef',
  email: 'dana.ortiz@example.net',
  subject: 'My fan is <loud>',
  text: 'My fan is <loud> & *hot*.\nCan somebody call me?\n\nRequest 0123456789abcdef.',
};

let helpdesks: LocalHelpdesks;
let apis: Awaited<ReturnType<typeof startDocumentedApis>>;
beforeAll(async () => {
  [helpdesks, apis] = await Promise.all([startHelpdesks(), startDocumentedApis()]);
});
afterEach(() => {
  helpdesks.faults.none();
  apis.forget();
});
afterAll(() => Promise.all([helpdesks.stop(), apis.stop()]));

interface Traits {
  /** The text is HTML or Markdown. */
  markup?: true;
  /** The person is looked up first. */
  person?: true;
}
const TRAITS: Readonly<Partial<Record<ToolId, Traits>>> = {
  chatwoot: { markup: true, person: true },
  intercom: { person: true },
  'help-scout': { markup: true },
  freshdesk: { markup: true },
  hubspot: { person: true },
};

const isLocal = (id: string): id is LocalDeskId => id in helpdesks.desks;
const storedIn = (id: ToolId): StoredTicket[] => {
  if (!isLocal(id)) return [...apis.made];
  const desk = helpdesks.desks[id];
  return desk.ticketIds().map((ticket) => {
    const [note] = desk.notes(ticket);
    const [seen = { body: '' }] = desk.seenByCustomer(ticket);
    const { subject, customer } = desk.about(ticket);
    return {
      id: ticket,
      email: customer.email,
      subject,
      text: (note ?? seen).body,
      isNote: note !== undefined,
    };
  });
};

/** The visible text of HTML or escaped Markdown. */
const plainOf = (text: string): string =>
  text
    .replaceAll(/<br>\n?/g, '\n')
    .replaceAll(/&(lt|gt|amp);/g, (_, name: 'lt') => ({ lt: '<', gt: '>', amp: '&' })[name])
    .replaceAll('\u200b', '')
    .replaceAll(/\\([<>&*])/g, '$1');

type ToolId = LocalDeskId | DocumentedId;
const TOOLS: readonly ToolId[] = [...LOCAL_DESK_IDS, 'freshdesk', 'gorgias', 'hubspot'];

const open = (id: ToolId, options: Record<string, string> = {}) => {
  const connection = isLocal(id) ? helpdesks.desks[id].connection : apis.connectionOf(id);
  const changed = { ...connection, options: { ...connection.options, ...options } };
  const client = helpdeskTools[id].client(changed, { fetch, now: Date.now });
  const signal = AbortSignal.timeout(20_000);
  return {
    faults: isLocal(id) ? helpdesks.faults : apis.faults,
    canFind: client.findTicket !== undefined,
    create: async (more: Partial<typeof REQUEST> = {}) =>
      client.createTicket?.({ ...REQUEST, ...more }, { signal }),
    find: async (key: string) => client.findTicket?.(key, { signal }),
  };
};

describe.each(TOOLS)('a ticket for a visitor in %s', (id) => {
  it('has the text as typed, and belongs to the address', async () => {
    const before = storedIn(id).length;
    const ticket = await open(id).create();
    const [kept, ...more] = storedIn(id).slice(before);
    expect([kept, more]).toMatchObject([{ id: ticket, email: REQUEST.email }, []]);
    expect(kept?.isNote === true).toBe(id === 'chatwoot');
    expect(plainOf(kept?.text ?? '')).toBe(REQUEST.text);
    expect(kept?.text.includes('<loud>')).toBe(!TRAITS[id]?.markup);
    if (id !== 'intercom') expect(kept?.subject).toBe(REQUEST.subject);
  });
  it('is a second one of the same person for the same address', async () => {
    const email = 'someone.new@example.net';
    const { create } = open(id);
    const first = await create({ email, key: 'first-00000000001' });
    const second = await create({ email, key: 'second-0000000001' });
    expect(second).not.toBe(first);
    const kept = storedIn(id).filter((one) => one.id === first || one.id === second);
    expect(kept.map((one) => one.email)).toEqual([email, email]);
  });
  it('has an unknown outcome when the reply to its creation is lost, and is found if the tool can search', async () => {
    const { create, find, faults, canFind } = open(id);
    const key = 'lost-reply-000001';
    await create({ key: 'another-000000001', text: 'Another. Request another-000000001.' });
    const creates = /\/(?:conversations|tickets(?:\.json)?)$/;
    faults.next(
      1,
      { kind: 'reset', executed: true },
      ({ method, path }) => method === 'POST' && creates.test(path),
    );
    const lost = create({ key, text: `Help. Request ${key}.` });
    await expect(lost).rejects.toMatchObject({
      name: 'HelpdeskFailed',
      isTransient: true,
      isOutcomeUnknown: true,
    });
    if (!canFind) return;
    const found = await find(key);
    expect(storedIn(id).find((one) => one.id === found)?.text).toContain('Help.');
    expect(await find('unknown-000000001')).toBeUndefined();
  });
});

it.each(TOOLS.filter((id) => TRAITS[id]?.person))(
  'a failed look-up of the person in %s has a known outcome',
  async (id) => {
    const { create, faults } = open(id);
    faults.next(1, { kind: 'reset' }, ({ path }) => /contacts/.test(path));
    const failed = create({ email: 'one.more@example.net' });
    await expect(failed).rejects.toMatchObject({ isTransient: true, isOutcomeUnknown: false });
  },
);

it.each<[ToolId, string]>([
  ['zammad', 'group'],
  ['chatwoot', 'inboxId'],
  ['help-scout', 'mailboxId'],
  ['gorgias', 'inboxEmail'],
])('a ticket in %s needs the option %s', async (id, option) => {
  const message = expect.stringContaining(`no option ${option}`);
  await expect(open(id, { [option]: '' }).create()).rejects.toMatchObject({
    isTransient: false,
    message,
  });
});
