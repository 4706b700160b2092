import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LocalDeskId } from '../../../src/dev/stand-ins/helpdesks/desk/local-desk.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import { type LocalServer, startLocalServer } from '../../../src/dev/stand-ins/server/local-server.ts';
import { type HelpdeskClient, HelpdeskFailed, type HelpdeskId } from '../../../src/helpdesk/helpdesk-tool.ts';
import { basicAuth } from '../../../src/helpdesk/tools/helpdesk-api.ts';
import { helpdeskTools } from '../../../src/helpdesk/tools/helpdesk-tools.ts';

const EMAIL = 'dana.ortiz@example.net';
const REQUEST = {
  key: '0123456789abcdef',
  email: EMAIL,
  subject: 'My fan is <loud>',
  text: 'My fan is <loud> & *hot*.\nCan somebody call me?\n\nRequest 0123456789abcdef.',
};

/** A ticket that a tool has stored. */
interface StoredTicket {
  id: string;
  /** The address of the requester. */
  email: string;
  subject: string | undefined;
  text: string;
  isNote?: boolean;
}

/** A helpdesk whose API can create a ticket, with the tickets that it has stored. */
interface Desk {
  options: Record<string, string>;
  apiUrl: string;
  apiToken: string;
  stored(): Promise<StoredTicket[]>;
}

let helpdesks: LocalHelpdesks;
let others: LocalServer;
const made: StoredTicket[] = [];

beforeAll(async () => {
  helpdesks = await startHelpdesks();
  others = await startLocalServer({ handle: handleOthers, refusal: () => ({}) });
});
afterEach(() => {
  helpdesks.faults.none();
  others.faults.none();
  made.length = 0;
});
afterAll(() => Promise.all([helpdesks.stop(), others.stop()]));

const localDesk = (id: LocalDeskId): Desk => {
  const desk = helpdesks.desks[id];
  const { options, apiToken, apiUrl } = desk.connection;
  const stored = async (): Promise<StoredTicket[]> =>
    desk.ticketIds().map((ticket) => {
      const [note] = desk.notes(ticket);
      const [seen = { body: '' }] = desk.seenByCustomer(ticket);
      const { subject, customer } = desk.about(ticket);
      return { id: ticket, email: customer.email, subject, text: (note ?? seen).body, isNote: note !== undefined };
    });
  return { options: { ...options }, apiUrl, apiToken, stored };
};

const otherDesk = (id: HelpdeskId, options: Record<string, string>): Desk => ({
  ...{ options, apiUrl: `${others.url}/${id}`, apiToken: 'token' },
  stored: async () => [...made],
});

const DESKS: readonly (readonly [HelpdeskId, () => Desk])[] = [
  ['zendesk', () => localDesk('zendesk')],
  ['zammad', () => localDesk('zammad')],
  ['chatwoot', () => localDesk('chatwoot')],
  ['intercom', () => localDesk('intercom')],
  ['help-scout', () => localDesk('help-scout')],
  ['freshdesk', () => otherDesk('freshdesk', {})],
  ['gorgias', () => otherDesk('gorgias', { email: 'bot@example.com', inboxEmail: 'help@example.com' })],
  ['hubspot', () => otherDesk('hubspot', {})],
];

describe.each(DESKS)('a ticket for a visitor in %s', (id, deskOf) => {
  const open = (more: Record<string, string> = {}) => {
    const desk = deskOf();
    const { apiUrl, apiToken } = desk;
    const connection = { secrets: ['s'], apiUrl, apiToken, options: { ...desk.options, ...more } };
    const client = helpdeskTools[id].client(connection, { fetch, now: Date.now });
    const signal = AbortSignal.timeout(20_000);
    const create = (more: Partial<typeof REQUEST> = {}) =>
      client.createTicket?.({ ...REQUEST, ...more }, { signal }) ?? '';
    return { desk, client, create, find: (key: string) => client.findTicket?.(key, { signal }) };
  };

  it('has the text as typed, and belongs to the address', async () => {
    const { desk, create } = open();
    const before = (await desk.stored()).length;
    const ticket = await create();
    const [kept, ...more] = (await desk.stored()).slice(before);
    expect(more).toEqual([]);
    expect(kept).toMatchObject({ id: ticket, email: EMAIL });
    expect(kept?.isNote === true).toBe(id === 'chatwoot');
    expect(plainOf(kept?.text ?? '')).toBe(REQUEST.text);
    expect(kept?.text.includes('<loud>')).toBe(!MARKUP.has(id));
    if (id !== 'intercom') expect(kept?.subject).toBe(REQUEST.subject);
  });

  it('is a second one of the same person for the same address', async () => {
    const { desk, create } = open();
    const first = await create({ email: 'someone.new@example.net', key: 'first-00000000001' });
    const second = await create({ email: 'someone.new@example.net', key: 'second-0000000001' });
    expect(second).not.toBe(first);
    const kept = await desk.stored();
    expect(kept.filter((one) => one.id === first || one.id === second).map(({ email }) => email)).toEqual([
      'someone.new@example.net',
      'someone.new@example.net',
    ]);
  });

  it('has an unknown outcome when the reply to its creation is lost, and is found if the tool can search', async () => {
    const { client, create, find } = open();
    const key = 'lost-reply-000001';
    const text = `Help. Request ${key}.`;
    await create({ key: 'another-000000001', text: 'Another. Request another-000000001.' });
    const faults = LOCAL.has(id) ? helpdesks.faults : others.faults;
    faults.next(1, { kind: 'reset', executed: true }, ({ method, path }) => method === 'POST' && CREATES.test(path));
    const failed = await failureOf(create({ key, text }));
    expect(failed).toMatchObject({ isTransient: true, isOutcomeUnknown: true });
    if (client.findTicket === undefined) return;
    const found = await find(key);
    expect((await deskOf().stored()).find((one) => one.id === found)?.text).toContain('Help.');
    expect(await find('unknown-000000001')).toBeUndefined();
  });

  it('has a known outcome when the look-up of the person fails', async () => {
    const { create } = open();
    const faults = LOCAL.has(id) ? helpdesks.faults : others.faults;
    faults.next(1, { kind: 'reset' }, ({ path }) => /contacts/.test(path));
    const failed = await failureOf(Promise.resolve(create({ email: 'one.more@example.net' })));
    if (PEOPLE.has(id)) expect(failed).toMatchObject({ isTransient: true, isOutcomeUnknown: false });
    else expect(failed).toBeUndefined();
  });

  it('names the missing option without a call, where it needs one', async () => {
    const name = OPTIONS[id];
    const without = name === undefined ? {} : { [name]: '' };
    const failed = await failureOf(Promise.resolve().then(() => open(without).create()));
    if (name === undefined) expect(failed).toBeUndefined();
    else expect(failed).toMatchObject({ isTransient: false, message: expect.stringContaining(`no option ${name}`) });
  });
});

const LOCAL: ReadonlySet<HelpdeskId> = new Set(['zendesk', 'zammad', 'chatwoot', 'intercom', 'help-scout']);
const PEOPLE: ReadonlySet<HelpdeskId> = new Set(['chatwoot', 'intercom', 'hubspot']);
/** The tools whose text is HTML or Markdown. */
const MARKUP: ReadonlySet<HelpdeskId> = new Set(['chatwoot', 'help-scout', 'freshdesk']);
const OPTIONS: Readonly<Partial<Record<HelpdeskId, string>>> = {
  zammad: 'group',
  chatwoot: 'inboxId',
  'help-scout': 'mailboxId',
  gorgias: 'inboxEmail',
};
const CREATES = /\/(?:conversations|tickets(?:\.json)?)$/;

const failureOf = async (call: ReturnType<NonNullable<HelpdeskClient['createTicket']>> | string) => {
  const error = await Promise.resolve(call)
    .then(() => undefined)
    .catch((reason: unknown) => reason);
  if (error !== undefined) expect(error).toBeInstanceOf(HelpdeskFailed);
  return error as HelpdeskFailed | undefined;
};

/** The visible text of HTML or escaped Markdown. */
const plainOf = (text: string): string =>
  text
    .replaceAll(/<br>\n?/g, '\n')
    .replaceAll(/&(lt|gt|amp);/g, (_, name: 'lt') => ({ lt: '<', gt: '>', amp: '&' })[name])
    .replaceAll('\u200b', '')
    .replaceAll(/\\([<>&*])/g, '$1');

/** Freshdesk, Gorgias and HubSpot, as far as they are documented to create a ticket. */
const handleOthers: Parameters<typeof startLocalServer>[0]['handle'] = ({ method, path, query, body, headers }) => {
  const [, tool = '', ...rest] = path.split('/');
  const sent = body === '' ? {} : JSON.parse(body);
  const keep = (kept: Omit<StoredTicket, 'id'>) => {
    made.push({ id: String(7000 + made.length), ...kept });
    return { status: 201, body: { id: 7000 + made.length - 1 } };
  };
  if (headers.authorization !== AUTHORIZATION[tool]) return { status: 401, body: {} };
  switch (`${method} ${tool}/${rest.join('/')}`) {
    case 'POST freshdesk/api/v2/tickets': {
      const { email, subject, description, status, priority } = sent;
      const missing = Object.entries({ email, subject, description, status, priority }).filter(([, one]) => !one);
      const errors = missing.map(([field]) => ({ field, message: 'It should be set', code: 'missing_field' }));
      if (errors.length > 0) return { status: 400, body: { description: 'Validation failed', errors } };
      return keep({ email, subject, text: description });
    }
    case 'GET freshdesk/api/v2/tickets': {
      const hasText = query.get('include') === 'description';
      const newest = made.toReversed().map(({ id, text }) => ({
        id: Number(id),
        ...(hasText ? { description_text: plainOf(text) } : {}),
      }));
      return { status: 200, body: newest };
    }
    case 'POST gorgias/api/tickets': {
      const { customer, subject, messages, external_id: key } = sent;
      const [{ channel, via, from_agent: isAgent, sender, source, body_text: text }] = messages;
      const isMail = channel === 'email' && source?.to?.[0]?.address === 'help@example.com';
      if (!isMail || via !== 'api' || isAgent !== false || sender?.email !== customer.email)
        return { status: 400, body: { error: { msg: 'Bad request.', data: { messages: ['Invalid.'] } } } };
      keys.set(key, made.length);
      return keep({ email: source.from.address, subject, text });
    }
    case 'GET gorgias/api/tickets': {
      const key = query.get('external_id') ?? '';
      const found = made[keys.get(key) ?? -1];
      return { status: 200, body: { data: found ? [{ id: Number(found.id), external_id: key }] : [], meta: {} } };
    }
    case 'POST hubspot/crm/v3/objects/contacts/batch/upsert': {
      const [{ id, idProperty, properties }] = sent.inputs;
      if (idProperty !== 'email' || properties.email !== id) return { status: 400, body: { status: 'error' } };
      return { status: 200, body: { status: 'COMPLETE', results: [{ id: contactId(id), properties, new: true }] } };
    }
    case 'POST hubspot/crm/v3/objects/tickets': {
      const { properties, associations } = sent;
      const [{ to, types }] = associations;
      const isTyped = types[0].associationTypeId === 16 && types[0].associationCategory === 'HUBSPOT_DEFINED';
      if (!isTyped || !properties.hs_pipeline_stage)
        return { status: 400, body: { status: 'error', category: 'VALIDATION_ERROR', message: 'Invalid input' } };
      const { subject, content: text } = properties;
      return keep({ email: emails.get(to.id) ?? '', subject, text });
    }
    default:
      return { status: 404, body: {} };
  }
};

const AUTHORIZATION: Readonly<Record<string, string>> = {
  freshdesk: basicAuth('token', 'X'),
  gorgias: basicAuth('bot@example.com', 'token'),
  hubspot: 'Bearer token',
};
/** Places in `made`, by external id. */
const keys = new Map<string, number>();
const emails = new Map<string, string>();
const contactId = (email: string): string => {
  const id = `51${email.length}`;
  emails.set(id, email);
  return id;
};
