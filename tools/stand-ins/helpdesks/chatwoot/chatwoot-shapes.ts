import { ASSISTANT, type Person, type Post, type TicketState } from '../desk/desk-state.ts';

export const ACCOUNT = { id: 1, name: 'Local desk' };
const INBOX = { id: 9, name: 'Website chat' };
/** For mail. */
export const MAIL_INBOX_ID = 12;

const seconds = (ms: number): number => Math.floor(ms / 1000);
const iso = (ms: number): string => new Date(ms).toISOString();

/** Numbers within a conversation and in answers of the API, words in what is delivered. */
const typeOf = ({ kind }: Post) =>
  kind === 'customer' ? { number: 0, word: 'incoming' } : { number: 1, word: 'outgoing' };

export function userShape({ id, name, email }: Person) {
  return {
    id: Number(id),
    name,
    available_name: name,
    email,
    avatar_url: '',
    type: 'user',
    availability_status: null,
    thumbnail: '',
  };
}

export function contactShape({ id, name, email }: Person) {
  return {
    additional_attributes: {},
    custom_attributes: {},
    email,
    id: Number(id),
    identifier: null,
    name,
    phone_number: null,
    thumbnail: '',
    blocked: false,
    type: 'contact',
  };
}

const senderShape = (post: Post) =>
  post.kind === 'customer' ? contactShape(post.author) : userShape(post.author);

/** As the API answers it. */
export function messageShape(ticket: TicketState, post: Post) {
  return {
    id: Number(post.id),
    content: post.body,
    inbox_id: INBOX.id,
    conversation_id: Number(ticket.id),
    message_type: typeOf(post).number,
    content_type: 'text',
    status: 'sent',
    content_attributes: post.attributes ?? {},
    created_at: seconds(post.at),
    private: post.kind === 'note',
    source_id: null,
    sender: senderShape(post),
  };
}

const metaOf = (ticket: TicketState) => ({
  sender: contactShape(ticket.customer),
  channel: 'Channel::WebWidget',
  assignee: null,
  hmac_verified: false,
});

/** The answer to a page of messages. */
export function messagesShape(ticket: TicketState, page: readonly Post[]) {
  return {
    meta: {
      labels: ticket.tags,
      additional_attributes: {},
      contact: { payload: contactShape(ticket.customer) },
      agent_last_seen_at: null,
      assignee_last_seen_at: null,
    },
    payload: page.map((post) => messageShape(ticket, post)),
  };
}

export function conversationShape(ticket: TicketState) {
  const last = ticket.posts.slice(-1).map((post) => messageShape(ticket, post));
  return {
    meta: metaOf(ticket),
    id: Number(ticket.id),
    messages: last,
    account_id: ACCOUNT.id,
    additional_attributes: additionalOf(ticket),
    agent_last_seen_at: 0,
    assignee_last_seen_at: 0,
    can_reply: true,
    contact_last_seen_at: 0,
    custom_attributes: ticket.fields,
    inbox_id: INBOX.id,
    labels: ticket.tags,
    muted: false,
    snoozed_until: null,
    status: 'open',
    created_at: seconds(ticket.createdAt),
    updated_at: ticket.updatedAt / 1000,
    timestamp: seconds(ticket.updatedAt),
    first_reply_created_at: 0,
    unread_count: 1,
    last_non_activity_message: last[0] ?? null,
    last_activity_at: seconds(ticket.updatedAt),
    priority: null,
    waiting_since: seconds(ticket.createdAt),
    sla_policy_id: null,
  };
}

const additionalOf = ({ subject }: TicketState) =>
  subject === '' ? {} : { mail_subject: subject };

/** `message_created`, as it is delivered to a webhook; private notes like any outgoing message. */
export function webhookShape(ticket: TicketState, post: Post) {
  return {
    account: ACCOUNT,
    additional_attributes: {},
    content_attributes: post.attributes ?? {},
    content_type: 'text',
    content: post.body,
    conversation: webhookConversation(ticket, post),
    created_at: iso(post.at),
    id: Number(post.id),
    inbox: INBOX,
    message_type: typeOf(post).word,
    private: post.kind === 'note',
    sender: webhookSender(post),
    source_id: null,
    event: 'message_created',
  };
}

/** A contact has no `type` here, a user has; the token's owner is a bot. */
const webhookSender = ({ kind, author }: Post) => {
  const { type, ...contact } = contactShape(author);
  if (kind === 'customer') return { account: ACCOUNT, avatar: '', ...contact };
  const isBot = author.id === ASSISTANT.id;
  return {
    id: Number(author.id),
    name: author.name,
    ...(isBot ? {} : { email: author.email }),
    type: isBot ? 'agent_bot' : 'user',
  };
};

const webhookConversation = (ticket: TicketState, post: Post) => ({
  additional_attributes: additionalOf(ticket),
  can_reply: true,
  channel: 'Channel::WebWidget',
  contact_inbox: {
    id: Number(ticket.id),
    contact_id: Number(ticket.customer.id),
    inbox_id: INBOX.id,
    source_id: ticket.customer.email,
    created_at: iso(ticket.createdAt),
    updated_at: iso(ticket.createdAt),
    hmac_verified: false,
    pubsub_token: 'not-a-token',
  },
  id: Number(ticket.id),
  inbox_id: INBOX.id,
  messages: [webhookMessage(ticket, post)],
  labels: ticket.tags,
  meta: {
    sender: contactShape(ticket.customer),
    assignee: null,
    assignee_type: null,
    team: null,
    hmac_verified: false,
  },
  status: 'open',
  custom_attributes: ticket.fields,
  snoozed_until: null,
  unread_count: 1,
  first_reply_created_at: null,
  priority: null,
  waiting_since: seconds(ticket.createdAt),
  agent_last_seen_at: 0,
  contact_last_seen_at: 0,
  last_activity_at: seconds(post.at),
  timestamp: seconds(post.at),
  created_at: seconds(ticket.createdAt),
  updated_at: ticket.updatedAt / 1000,
  account: ACCOUNT,
});

const webhookMessage = (ticket: TicketState, post: Post) => ({
  id: Number(post.id),
  content: post.body,
  account_id: ACCOUNT.id,
  inbox_id: INBOX.id,
  conversation_id: Number(ticket.id),
  message_type: typeOf(post).number,
  created_at: seconds(post.at),
  updated_at: iso(post.at),
  private: post.kind === 'note',
  status: 'sent',
  source_id: null,
  content_type: 'text',
  content_attributes: post.attributes ?? {},
  sender_type: post.kind === 'customer' ? 'Contact' : 'User',
  sender_id: Number(post.author.id),
  external_source_ids: {},
  additional_attributes: {},
  processed_message_content: post.body,
  sentiment: {},
});
