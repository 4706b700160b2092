import * as z from 'zod';
import { textToHtml } from '../../documents/markdown/render-markdown.ts';
import { headersOfMail } from '../../language/mail.ts';
import { optionalText, optionalTime } from '../../platform/http/read-fields.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import {
  defineTool,
  type ToolApi,
  type ToolConnection,
  type ToolMessage,
  type ToolOperations,
} from './define-tool.ts';
import { helpdeskApi, pathOf, readPages } from './helpdesk-api.ts';
import { type Delivery, type HelpdeskEvent, HelpdeskFailed } from './helpdesk-tool.ts';
import {
  fileNames,
  itemsOf,
  listOf,
  numberOf,
  optionalId,
  optionalObject,
  RecordId,
} from './payload.ts';
import { HELP_SCOUT } from './signature-schemes.ts';
import { contains, htmlText, MAX_NOTE } from './ticket-parts.ts';

const ThreadSummary = z.object({
  id: RecordId,
  type: optionalText(50),
  state: optionalText(50),
  createdAt: optionalTime,
  createdBy: optionalObject({ type: optionalText(50), id: optionalId, email: optionalText(320) }),
});
type ThreadSummary = z.infer<typeof ThreadSummary>;

const HelpScoutDelivery = z.object({
  id: RecordId,
  _embedded: optionalObject({
    threads: listOf(ThreadSummary.extend({ body: optionalText(MAX_NOTE) }), 100),
  }),
});

/** Each delivery of two messages written within this time may contain both. */
const TOGETHER_MS = 120_000;

/**
 * The newest thread of the customer, and those shortly before it: a delivery may be made when a later message, our note or a reply is
 * already there. The header with the event is not signed, so it may only lead to less; a message with a note gets no second one.
 */
const readDelivery = (
  { id: ticketId, _embedded: embedded }: z.infer<typeof HelpScoutDelivery>,
  { headers }: Delivery,
): HelpdeskEvent[] => {
  const event = headers.get(EVENT_HEADER);
  if (event === AGENT_REPLY) {
    const [reply] = newestFirst(embedded?.threads ?? []).filter(
      (thread) =>
        thread.type === 'message' && isPublished(thread) && thread.createdBy?.type === 'user',
    );
    const body = embedded?.threads.find(({ id }) => id === reply?.id)?.body;
    const sent = body === undefined ? undefined : { ticketId, text: htmlText(body) };
    return [{ kind: 'ignored', reason: NO_NEW_MESSAGE, sent }];
  }
  const threads = newestFirst(embedded?.threads ?? []).filter(
    (thread) => isMessage(thread) && isPublished(thread),
  );
  const fromCustomer = threads.filter(isFromCustomer);
  const [newest] = fromCustomer;
  if (newest === undefined) {
    if (event === 'convo.created' && threads.length > 0)
      return [{ kind: 'ignored', reason: 'opened by an agent' }];
    return [{ kind: 'message', ticketId, message: 'latest' }];
  }
  const isNew = ({ id, createdAt }: ThreadSummary) =>
    id === newest.id ||
    (createdAt ?? Number.NEGATIVE_INFINITY) >= (newest.createdAt ?? Number.NaN) - TOGETHER_MS;
  return fromCustomer
    .filter(isNew)
    .map(({ id }) => ({ kind: 'message', ticketId, message: { id } }));
};

const EVENT_HEADER = 'x-helpscout-event';
const AGENT_REPLY = 'convo.agent.reply.created';
const READ_EVENTS: ReadonlySet<string | null> = new Set([
  AGENT_REPLY,
  'convo.created',
  'convo.customer.reply.created',
]);
const NO_NEW_MESSAGE = 'not about a new message of the customer';

const reasonToIgnore = (event: string | null): string | undefined => {
  if (event === 'helpscout.test') return 'a test';
  return READ_EVENTS.has(event) ? undefined : NO_NEW_MESSAGE;
};

/** Chats and calls name their author, other threads have the author in their type. */
const isFromCustomer = ({ type, createdBy }: ThreadSummary): boolean =>
  type === 'customer'
    ? createdBy?.type !== 'user'
    : CHAT_TYPES.has(type ?? '') && createdBy?.type === 'customer';

/** Line items are changes of state. */
const isMessage = ({ type }: ThreadSummary): boolean => type !== undefined && type !== 'lineitem';

/** Drafts, replies under review and hidden threads are not published: the customer does not see them. */
const isPublished = ({ state }: ThreadSummary): boolean =>
  state === undefined || state === 'published';

const CHAT_TYPES: ReadonlySet<string> = new Set(['chat', 'beaconchat', 'phone']);

/** By time, then by id, since later threads have greater ones. */
const newestFirst = (threads: readonly ThreadSummary[]): ThreadSummary[] =>
  threads.toSorted(
    (one, other) =>
      (other.createdAt ?? 0) - (one.createdAt ?? 0) || Number(other.id) - Number(one.id),
  );

const Conversation = z.object({
  subject: optionalText(1000),
  primaryCustomer: optionalObject({
    id: optionalId,
    first: optionalText(100),
    last: optionalText(100),
  }),
  tags: listOf(z.object({ tag: z.string() }), 50),
  customFields: listOf(
    z.object({ name: z.string(), value: z.unknown(), text: optionalText(500) }),
    50,
  ),
  source: optionalObject({ type: optionalText(50) }),
});

const Thread = ThreadSummary.extend({
  body: optionalText(MAX_NOTE),
  source: optionalObject({ type: optionalText(50) }),
  _embedded: optionalObject({ attachments: fileNames('filename') }),
});
type Thread = z.infer<typeof Thread>;

const Threads = z.object({
  _embedded: z.object({ threads: itemsOf(Thread, 100) }),
  page: optionalObject({ totalPages: z.number().catch(1) }),
});

/** A mail as it came, without bound: its header stands first. */
const OriginalSource = z.object({ original: z.string() });

/** A conversation has at most 100 threads, a page 25 or more. */
const MAX_PAGES = 8;

const operations = ({ call, send, option, options }: ToolApi): ToolOperations => {
  const { userId } = options;
  const readConversation = (ticketId: string) =>
    call({
      action: 'read a conversation',
      path: pathOf`/v2/conversations/${ticketId}`,
      reply: Conversation,
    });
  /** Newest first, as the tool returns them. */
  const readThreads = async (ticketId: string): Promise<Thread[]> => {
    const pages = await readPages(MAX_PAGES, async (number: number = 1) => {
      const path = `${pathOf`/v2/conversations/${ticketId}/threads`}?page=${number}`;
      const { _embedded, page } = await call({
        action: 'read a conversation',
        path,
        reply: Threads,
      });
      return {
        page: _embedded.threads,
        next: number >= (page?.totalPages ?? 1) ? undefined : number + 1,
      };
    });
    return pages.flat();
  };
  /**
   * The header fields of the newest mail of the customer, which tell automatic mail from that of a person. Kept for two weeks by the tool, so that
   * an old mail has none; without them its words decide.
   */
  const readHeaders = async (ticketId: string, { id }: Thread) => {
    const path = pathOf`/v2/conversations/${ticketId}/threads/${id}/original-source`;
    const reading = call({ action: 'read a mail', path, reply: OriginalSource });
    const source = await reading.catch((error: unknown) => {
      if (error instanceof HelpdeskFailed) return undefined;
      throw error;
    });
    return source && headersOfMail(source.original);
  };
  const toMessage = (thread: Thread): ToolMessage[] => {
    if (!isMessage(thread) || !isPublished(thread)) return [];
    const isCustomer =
      isFromCustomer(thread) && (userId === undefined || thread.createdBy?.id !== userId);
    return [
      {
        id: thread.id,
        from: isCustomer ? 'customer' : 'agent',
        isPublic: !INTERNAL_TYPES.has(thread.type),
        text: htmlText(thread.body),
        sentAtMs: thread.createdAt,
        mail: { from: thread.createdBy?.email },
      },
    ];
  };

  return {
    readTicket: async (ticketId) => {
      const conversation = await readConversation(ticketId);
      const threads = (await readThreads(ticketId)).toReversed();
      const newest = threads.findLast(
        (thread) => isFromCustomer(thread) && thread.source?.type === 'email',
      );
      const headers = newest && (await readHeaders(ticketId, newest));
      const { id, first, last } = conversation.primaryCustomer ?? {};
      const name = [first, last].filter((part) => part !== undefined).join(' ');
      return {
        subject: conversation.subject,
        customer: { id, name: name === '' ? undefined : name },
        messages: threads.flatMap((thread) =>
          toMessage(thread).map((message) =>
            thread === newest ? { ...message, mail: { ...message.mail, headers } } : message,
          ),
        ),
        channel: conversation.source?.type,
        attachments: threads
          .filter(isFromCustomer)
          .flatMap((thread) => thread._embedded?.attachments ?? []),
        tags: conversation.tags.map(({ tag }) => tag),
        fields: Object.fromEntries(
          conversation.customFields.map((field) => [field.name, field.text ?? field.value]),
        ),
      };
    },

    findNote: async (ticketId, marker) => {
      const threads = await readThreads(ticketId);
      return threads.find(({ type, body }) => type === 'note' && contains(marker, body))?.id;
    },

    writeNote: async (ticketId, note) => {
      const headers = await send({
        action: 'write a note',
        method: 'POST',
        path: pathOf`/v2/conversations/${ticketId}/notes`,
        body: { text: note.html },
      });
      return optionalId.parse(headers.get('resource-id'));
    },

    // Any draft of the conversation stays: it is a person's, or ours from a call whose reply was lost.
    writeDraft: async (ticketId, draft) => {
      const threads = await readThreads(ticketId);
      if (threads.some(({ state }) => state === 'draft')) return false;
      const { primaryCustomer: customer } = await readConversation(ticketId);
      if (customer?.id === undefined) {
        throw new HelpdeskFailed(
          'Cannot write a draft in Help Scout: the conversation has no customer',
        );
      }
      await send({
        action: 'write a draft',
        method: 'POST',
        path: pathOf`/v2/conversations/${ticketId}/reply`,
        body: { customer: { id: numberOf(customer.id) }, text: draft.html, draft: true },
      });
      return true;
    },

    // An address that it does not know becomes a customer. No automatic reply is sent.
    createTicket: async ({ email, subject, text }) => {
      const headers = await send({
        action: 'create a conversation',
        method: 'POST',
        path: '/v2/conversations',
        body: {
          subject,
          type: 'email',
          mailboxId: numberOf(option('mailboxId')),
          status: 'active',
          customer: { email },
          threads: [{ type: 'customer', customer: { email }, text: textToHtml(text) }],
        },
      });
      const id = optionalId.parse(headers.get('resource-id'));
      if (id !== undefined) return id;
      throw new HelpdeskFailed(
        'Cannot create a conversation in Help Scout: its reply does not name it',
        {
          isTransient: true,
          isOutcomeUnknown: true,
        },
      );
    },
  };
};

/** A forwarded message goes to somebody other than the customer. */
const INTERNAL_TYPES: ReadonlySet<string | undefined> = new Set([
  'note',
  'forwardparent',
  'forwardchild',
]);

const MAX_CACHED_TOKENS = 100;
/** Tokens are valid for two days; cached for less, so that a revoked secret is noticed. */
const MAX_TOKEN_AGE_MS = 3_600_000;
/** A token is renewed so long before it expires. */
const EXPIRY_MARGIN_MS = 60_000;

const TokenReply = z.object({
  access_token: z.string().min(1).max(4096),
  expires_in: z.number().min(0).max(1e9).catch(7200),
});

/** Tokens of the connections used last. */
const tokenCache = lruCache<string, { token: string; expiresAt: number }>({
  max: MAX_CACHED_TOKENS,
});

/** An access token by OAuth client credentials (RFC 6749, section 4.4). */
const accessToken = async (
  { apiUrl, option, token: secretOf, fetch, now, signal }: ToolConnection,
  { isRenewed }: { isRenewed: boolean },
): Promise<string> => {
  const clientId = option('clientId');
  const secret = secretOf();
  const key = JSON.stringify([apiUrl, clientId, secret]);
  const cached = tokenCache.get(key);
  if (cached !== undefined && !isRenewed && cached.expiresAt > now()) return cached.token;
  tokenCache.delete(key);
  const { access_token: token, expires_in: seconds } = await helpdeskApi({
    tool: 'Help Scout',
    apiUrl,
    fetch,
    now,
    signal,
    headers: async () => ({}),
  }).call({
    action: 'get an access token',
    method: 'POST',
    path: '/v2/oauth2/token',
    body: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
    reply: TokenReply,
    isSafe: true,
  });
  tokenCache.set(key, {
    token,
    expiresAt: now() + Math.min(seconds * 1000 - EXPIRY_MARGIN_MS, MAX_TOKEN_AGE_MS),
  });
  return token;
};

/**
 * Help Scout, Mailbox API 2. The API token is the secret of an OAuth application. Options: its `clientId`; `userId` of its user, whose
 * threads never count as a customer's; `productField`, the name of a custom field; `mailboxId`, in which conversations of visitors are
 * opened.
 */
export const helpScout = defineTool({
  id: 'help-scout',
  name: 'Help Scout',
  requires: ['clientId'],
  signatures: [HELP_SCOUT],
  delivery: HelpScoutDelivery,
  ignores: ({ headers }) => reasonToIgnore(headers.get(EVENT_HEADER)),
  read: readDelivery,
  headers: async (connection, options) => ({
    Authorization: `Bearer ${await accessToken(connection, options)}`,
  }),
  renewsOn401: true,
  operations,
});
