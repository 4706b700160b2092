import { basicAuth } from '../../../src/platform/http/fetch-json.ts';
import { startLocalServer } from '../../../tools/stand-ins/server/local-server.ts';
import { payloadText } from './payload.ts';

/** Tools without a stand-in of their own: their APIs as far as they are documented to read, write and create a ticket. */
export type DocumentedId = 'freshdesk' | 'gorgias' | 'hubspot';

const AUTHORIZATION: Readonly<Record<string, string>> = {
  freshdesk: basicAuth('key', 'X'),
  gorgias: basicAuth('bot@example.com', 'key'),
  hubspot: 'Bearer key',
};
const FRESHDESK = 'freshdesk/api/v2/tickets';
const GORGIAS = 'gorgias/api/tickets';
const THREAD = 'hubspot/conversations/v3/conversations/threads/6065362089/messages';
/** The ticket of each tool that can be read. */
export const DOCUMENTED_TICKETS: Record<DocumentedId, string> = {
  freshdesk: '10482',
  gorgias: '48392011',
  hubspot: '6065362089',
};

/** A ticket that a tool has stored for a visitor. */
export interface StoredTicket {
  id: string;
  /** The address of the requester. */
  email: string;
  subject: string | undefined;
  text: string;
  isNote?: boolean;
}

export async function startDocumentedApis() {
  /** Entries of the ticket that can be read, in the form of its tool. */
  const entries: Record<DocumentedId, object[]> = { freshdesk: [], gorgias: [], hubspot: [] };
  const made: (StoredTicket & { key?: string })[] = [];
  const found = (body: unknown) => ({ status: 200, body });
  const refused = { status: 400, body: {} };
  const add = (id: DocumentedId, sent: object) => {
    const entry = { ...sent, id: 9000 + entries[id].length };
    entries[id].push(entry);
    return { status: 201, body: entry };
  };
  const keep = (ticket: Omit<StoredTicket, 'id'> & { key?: string }) => {
    const id = 7000 + made.length;
    made.push({ id: String(id), ...ticket });
    return { status: 201, body: { id } };
  };
  const contacts: string[] = [];
  // What a client sends is JSON of any form.
  const routes: Record<
    string,
    // biome-ignore lint/suspicious/noExplicitAny: each route knows its own form.
    (sent: any, query: URLSearchParams) => { status: number; body: unknown }
  > = {
    [`GET ${FRESHDESK}/10482`]: () => found(JSON.parse(payloadText('freshdesk-api-ticket.json'))),
    [`GET ${FRESHDESK}/10482/conversations`]: (_, query) => {
      const end = Number(query.get('page')) * 100;
      return found(entries.freshdesk.slice(end - 100, end));
    },
    [`POST ${FRESHDESK}/10482/notes`]: (sent) =>
      add('freshdesk', { ...sent, incoming: false, user_id: 77 }),
    [`POST ${FRESHDESK}`]: ({ email, subject, description, status, priority }) =>
      email && subject && description && status && priority
        ? keep({ email, subject, text: description })
        : refused,
    [`GET ${FRESHDESK}`]: (_, query) => {
      const newest = made
        .toReversed()
        .map(({ id, text }) => ({ id: Number(id), description_text: text }));
      return found(
        query.get('include') === 'description' ? newest : newest.map(({ id }) => ({ id })),
      );
    },
    [`GET ${GORGIAS}/48392011`]: () => {
      const ticket = {
        subject: 'Charged twice',
        channel: 'email',
        customer: { id: 778812, name: 'Dana Ortiz' },
      };
      return found({ ...ticket, tags: [{ name: 'billing' }], messages: entries.gorgias });
    },
    [`POST ${GORGIAS}/48392011/messages`]: (sent) => add('gorgias', sent),
    [`POST ${GORGIAS}`]: ({ customer, subject, messages, external_id: key }) => {
      const [{ channel, via, from_agent: isAgent, sender, source, body_text: text }] = messages;
      const isMail = channel === 'email' && source?.to?.[0]?.address === 'help@example.com';
      if (!isMail || via !== 'api' || isAgent !== false || sender?.email !== customer.email)
        return refused;
      return keep({ email: source.from.address, subject, text, key });
    },
    [`GET ${GORGIAS}`]: (_, query) => {
      const listed = made.map(({ id, key }) => ({ id: Number(id), external_id: key }));
      return found({
        data: listed.filter((one) => one.external_id === query.get('external_id')),
        meta: {},
      });
    },
    [`GET ${THREAD}`]: (_, query) => {
      const from = Number(query.get('after') ?? 0);
      const paging = from + 100 < entries.hubspot.length && {
        paging: { next: { after: String(from + 100) } },
      };
      return found({ results: entries.hubspot.slice(from, from + 100), ...paging });
    },
    [`GET ${THREAD}/long/original-content`]: () => found({ text: 'All of it.' }),
    [`POST ${THREAD}`]: (sent) => add('hubspot', { ...sent, senders: [] }),
    'POST hubspot/crm/v3/objects/contacts/batch/upsert': ({
      inputs: [{ id, idProperty, properties }],
    }) => {
      if (idProperty !== 'email' || properties.email !== id) return refused;
      return found({ results: [{ id: String(contacts.push(id) - 1) }] });
    },
    'POST hubspot/crm/v3/objects/tickets': ({ properties, associations: [{ to, types }] }) => {
      const isTyped =
        types[0].associationTypeId === 16 && types[0].associationCategory === 'HUBSPOT_DEFINED';
      if (!isTyped || !properties.hs_pipeline_stage) return refused;
      return keep({
        email: contacts[Number(to.id)] ?? '',
        subject: properties.subject,
        text: properties.content,
      });
    },
  };
  const server = await startLocalServer({
    handle: ({ method, path, query, body, headers }) => {
      if (headers.authorization !== AUTHORIZATION[path.split('/')[1] ?? ''])
        return { status: 401, body: {} };
      const route = routes[`${method} ${path.slice(1)}`];
      return route?.(body === '' ? {} : JSON.parse(body), query) ?? { status: 404, body: {} };
    },
    refusal: () => ({}),
  });
  const forget = () => {
    server.faults.none();
    made.length = 0;
    for (const id of ['freshdesk', 'gorgias', 'hubspot'] as const) entries[id].length = 0;
  };
  /** What a connection needs. */
  const connectionOf = (id: DocumentedId, options: Record<string, string> = {}) => ({
    secrets: ['s'],
    apiUrl: `${server.url}/${id}`,
    apiToken: 'key',
    options: {
      ...(id === 'gorgias' && { email: 'bot@example.com', inboxEmail: 'help@example.com' }),
      ...options,
    },
  });
  return { entries, made, connectionOf, forget, faults: server.faults, stop: server.stop };
}
