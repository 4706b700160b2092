import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { helpdeskTools } from '../../../src/support/tools/helpdesk-tools.ts';
import type { LocalDeskId } from '../../../tools/stand-ins/helpdesks/desk/local-desk.ts';
import {
  type LocalHelpdesks,
  startHelpdesks,
} from '../../../tools/stand-ins/helpdesks/start-helpdesks.ts';
import { noteOf } from '../../support/tools/note-of.ts';

/** What our own clients cannot notice: how close a stand-in is to what its tool documents. test/support/tools has the rest. */
const clock = { now: 1_768_473_000_000 };
let helpdesks: LocalHelpdesks;
beforeAll(async () => {
  helpdesks = await startHelpdesks({ now: () => clock.now });
});
beforeEach(() => {
  for (const { articles } of Object.values(helpdesks.desks))
    for (const { id } of articles.all()) articles.remove(id);
});
afterAll(() => helpdesks.stop());

type Json = Record<string, never>;

/** A request to the API of a tool: `PUT /path`, or the path alone for a GET without a body, and a POST with one. */
const call = async (id: LocalDeskId, route: string, body?: unknown, authorization?: string) => {
  const { apiUrl, connection } = helpdesks.desks[id];
  const [path = '', method = body === undefined ? 'GET' : 'POST'] = route.split(' ').toReversed();
  const response = await fetch(path.startsWith('http') ? path : `${apiUrl}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'intercom-version': '2.16',
      api_access_token: connection.apiToken,
      authorization: authorization ?? (await authorizationOf(id)),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return {
    status: response.status,
    body: JSON.parse((await response.text()) || '{}'),
  };
};

const authorizationOf = async (id: LocalDeskId): Promise<string> => {
  const { apiUrl, connection } = helpdesks.desks[id];
  if (id === 'zendesk')
    return `Basic ${btoa(`${connection.options.email}/token:${connection.apiToken}`)}`;
  if (id !== 'help-scout')
    return id === 'zammad' ? `Token token=${connection.apiToken}` : `Bearer ${connection.apiToken}`;
  const client = {
    client_id: connection.options.clientId ?? '',
    client_secret: connection.apiToken,
  };
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...client });
  const response = await fetch(`${apiUrl}/v2/oauth2/token`, { method: 'POST', body: form });
  return `Bearer ${((await response.json()) as { access_token: string }).access_token}`;
};

/** A body as the tool documents it. */
const documented = (name: string): Json =>
  JSON.parse(
    readFileSync(
      new URL(`../../support/tools/fixtures/payloads/${name}.json`, import.meta.url),
      'utf8',
    ),
  );

/** Paths of documented members that a body lacks or has with another type; `null` matches anything, and so does a free member. */
const lacks = (expected: unknown, actual: unknown, path = ''): string[] => {
  const isFree =
    /\.(?:custom_attributes|additional_attributes|content_attributes|meta\.meta|category)$/.test(
      path,
    );
  if (isFree || expected === null || actual === null) return [];
  if (kindOf(expected) !== kindOf(actual))
    return [`${path} is ${kindOf(actual)}, not ${kindOf(expected)}`];
  if (kindOf(expected) === 'list') {
    const [first] = Object.values(expected as object);
    return first === undefined
      ? []
      : Object.values(actual as object).flatMap((each) => lacks(first, each, `${path}[]`));
  }
  if (kindOf(expected) !== 'object') return [];
  const members = Object.entries(expected as object);
  return members.flatMap(([name, value]) =>
    lacks(value, (actual as Record<string, unknown>)[name], `${path}.${name}`),
  );
};

/** An object by ids is a list, too. */
const kindOf = (value: unknown): string => {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const isById = names.length > 0 && names.every((name) => /^\d+$/.test(name));
  return isById || Array.isArray(value) ? 'list' : typeof value;
};

interface Case {
  /** Names of documented deliveries: for a new ticket, for a further message, and for our own note. */
  created: string;
  added?: string;
  note?: string;
  /** The text `It <b>stops` in a delivery whose JSON is escaped. */
  escaped?: string;
  article: string;
  readArticle(id: string): ReturnType<typeof call>;
  /** A message to the customer in the ticket. */
  reply(ticketId: string): ReturnType<typeof call>;
}

const CASES: Record<LocalDeskId, Case> = {
  chatwoot: {
    created: 'chatwoot-message-created-incoming',
    note: 'chatwoot-message-created-own-note',
    article: 'chatwoot-kb-articles',
    escaped: 'It \\u003cb\\u003estops',
    readArticle: () => call('chatwoot', '/api/v1/accounts/1/portals/help/articles'),
    reply: (id) =>
      call('chatwoot', `/api/v1/accounts/1/conversations/${id}/messages`, { content: 'For all' }),
  },
  zendesk: {
    created: 'zendesk-ticket-created',
    added: 'zendesk-ticket-comment-added',
    article: 'zendesk-kb-articles-incremental',
    readArticle: () =>
      call('zendesk', '/api/v2/help_center/incremental/articles.json?start_time=1'),
    reply: (id) =>
      call('zendesk', `PUT /api/v2/tickets/${id}.json`, {
        ticket: { comment: { body: 'For all' } },
      }),
  },
  intercom: {
    created: 'intercom-conversation-user-created',
    added: 'intercom-conversation-user-replied',
    note: 'intercom-conversation-admin-noted',
    article: 'intercom-kb-articles',
    readArticle: () => call('intercom', '/articles'),
    reply: (id) =>
      call('intercom', `/conversations/${id}/reply`, {
        message_type: 'comment',
        type: 'admin',
        admin_id: '17',
        body: '<p>For all</p>',
      }),
  },
  zammad: {
    created: 'zammad-ticket-created',
    note: 'zammad-own-note',
    article: 'zammad-kb-answer',
    escaped: '\\u003cp\\u003eIt \\u0026lt;b',
    readArticle: async (id) => {
      const { body } = await call('zammad', 'POST /api/v1/knowledge_bases/init');
      expect(JSON.stringify(body)).not.toContain('Restart');
      const [translation] = body.KnowledgeBaseAnswer[id].translation_ids;
      const content = body.KnowledgeBaseAnswerTranslation[translation].content_id;
      return call('zammad', `/api/v1/knowledge_bases/1/answers/${id}?include_contents=${content}`);
    },
    reply: (id) =>
      call('zammad', '/api/v1/ticket_articles', {
        ticket_id: Number(id),
        body: 'For all',
        content_type: 'text/html',
        sender: 'Agent',
        // What is mailed is seen, internal or not.
        type: 'email',
        internal: true,
      }),
  },
  'help-scout': {
    created: 'helpscout-convo-created',
    added: 'helpscout-convo-customer-reply-created',
    article: 'helpscout-kb-article',
    readArticle: (id) =>
      call(
        'help-scout',
        `/v1/articles/${id}`,
        undefined,
        `Basic ${btoa(`${helpdesks.desks['help-scout'].articleSource.token}:X`)}`,
      ),
    reply: async (id) => {
      const { primaryCustomer } = (await call('help-scout', `/v2/conversations/${id}`)).body;
      const customer = { id: primaryCustomer.id };
      return call('help-scout', `/v2/conversations/${id}/reply`, {
        text: 'For all',
        customer,
        draft: false,
      });
    },
  },
};

describe.each(Object.entries(CASES) as [LocalDeskId, Case][])('the stand-in of %s', (id, at) => {
  const ticket = {
    message: 'It <b>stops',
    subject: 'Stops',
    tags: ['hardware'],
    fields: { order_number: 'LB-1' },
  };
  const open = () => ({ desk: helpdesks.desks[id], ...helpdesks.desks[id].createTicket(ticket) });
  const lacking = (name: string | undefined, body: unknown) =>
    name === undefined
      ? []
      : lacks(documented(name), typeof body === 'string' ? JSON.parse(body) : body);

  it('sends deliveries with all documented members', async () => {
    const { desk, ticketId, messageId } = open();
    const { body } = desk.sign(ticketId, messageId);
    expect(body).toContain(at.escaped ?? 'It');
    const added = desk.sign(ticketId, desk.addCustomerMessage(ticketId, 'More')).body;
    const client = helpdeskTools[id].client(desk.connection, { fetch, now: () => clock.now });
    const noteId = await client.writeNote(ticketId, noteOf(), {
      signal: AbortSignal.timeout(20_000),
    });
    const note = desk.sign(ticketId, noteId).body;
    expect([lacking(at.created, body), lacking(at.added, added), lacking(at.note, note)]).toEqual([
      [],
      [],
      [],
    ]);
  });
  it('returns articles with all documented members', async () => {
    const article = helpdesks.desks[id].articles.add({
      title: 'Stops',
      body: '<p>Restart it.</p>',
      labels: ['fan'],
    });
    const { body } = await at.readArticle(article);
    expect(JSON.stringify(body)).toContain('Restart it.');
    expect(lacking(at.article, body)).toEqual([]);
  });
  it('shows the customer what is not marked as internal', async () => {
    const { desk, ticketId } = open();
    expect((await at.reply(ticketId)).status).toBeLessThan(300);
    expect([desk.notes(ticketId), desk.seenByCustomer(ticketId).length]).toEqual([[], 2]);
  });
});

describe('the stand-in of zendesk', () => {
  const desk = () => helpdesks.desks.zendesk;

  it('refuses a safe update of a ticket that was changed after it was read', async () => {
    const path = `/api/v2/tickets/${desk().createTicket({ message: 'It stops' }).ticketId}.json`;
    const { updated_at } = (await call('zendesk', path)).body.ticket;
    const ticket = {
      comment: { body: 'note', public: false },
      safe_update: true,
      updated_stamp: updated_at,
    };
    clock.now += 1000;
    expect((await call('zendesk', `PUT ${path}`, { ticket })).status).toBe(200);
    expect(await call('zendesk', `PUT ${path}`, { ticket })).toMatchObject({ status: 409 });
  });
  it('announces articles with all documented members', () => {
    const article = desk().articles.add({ title: 'New', body: '<p>New</p>' });
    const event = JSON.parse(desk().signArticle?.(article, 'published').body ?? '');
    expect([event.detail.id, lacks(documented('zendesk-article-published'), event)]).toEqual([
      article,
      [],
    ]);
  });
  it('returns the changes since a time, oldest first, and ends when the end time does not move', async () => {
    const ids = ['one', 'two', 'three'].map((title) => {
      clock.now += 10_000;
      return desk().articles.add({ title, body: `<p>${title}</p>` });
    });
    desk().articles.unpublish(ids[0] ?? '');
    const seconds = Math.floor(clock.now / 1000);
    const path = `/api/v2/help_center/incremental/articles.json?start_time=${seconds - 10}`;
    const { body } = await call('zendesk', path);
    const changes = body.articles.map(
      (one: { title: string; draft: boolean }) => `${one.title} ${one.draft}`,
    );
    expect(changes).toEqual(['two false', 'one true', 'three false']);
    expect([body.end_time, (await call('zendesk', body.next_page)).body.end_time]).toEqual([
      seconds,
      seconds,
    ]);
  });
});

it('the stand-in of help-scout refuses the thread after the hundredth', async () => {
  const desk = helpdesks.desks['help-scout'];
  const { ticketId } = desk.createTicket({ message: 'It stops' });
  for (let at = 1; at < 100; at += 1) desk.addCustomerMessage(ticketId, 'again');
  const { status } = await call('help-scout', `/v2/conversations/${ticketId}/notes`, {
    text: 'one too many',
  });
  expect(status).toBe(412);
});
