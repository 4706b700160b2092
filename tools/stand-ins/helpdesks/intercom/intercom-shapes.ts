import type { Person, Post, TicketState } from '../desk/desk-state.ts';
import { htmlOf, textOf } from '../desk/text-and-html.ts';

const APP = 'ws_local';
/** The newest parts that a conversation is given with. */
const MAX_PARTS = 500;

const seconds = (ms: number): number => Math.floor(ms / 1000);

export function adminShape({ id, name, email }: Person) {
  return { type: 'admin', id, name, email, has_inbox_seat: true };
}

export function contactShape({ id, name, email }: Person) {
  return {
    type: 'contact',
    id,
    external_id: null,
    role: 'user',
    name,
    email,
    phone: null,
  };
}

const authorShape = ({ kind, author }: Post) => ({
  type: kind === 'customer' ? 'user' : 'admin',
  id: author.id,
  name: author.name,
  email: author.email,
});

const partShape = (post: Post, body: string) => ({
  type: 'conversation_part',
  id: post.id,
  part_type: post.kind === 'note' ? 'note' : 'comment',
  body,
  created_at: seconds(post.at),
  updated_at: seconds(post.at),
  notified_at: seconds(post.at),
  assigned_to: null,
  author: { ...authorShape(post), from_ai_agent: false, is_ai_answer: false },
  attachments: [],
  external_id: null,
  redacted: false,
});

/** The first message is the source, the others are parts. */
const conversationOf = (
  ticket: TicketState,
  { parts, bodyOf }: { parts: readonly Post[]; bodyOf: (post: Post) => string },
) => {
  const [first] = ticket.posts;
  if (first === undefined) throw new Error('Cannot show a conversation without a message');
  return {
    type: 'conversation',
    id: ticket.id,
    title: null,
    created_at: seconds(ticket.createdAt),
    updated_at: seconds(ticket.updatedAt),
    waiting_since: seconds(ticket.createdAt),
    snoozed_until: null,
    open: true,
    state: 'open',
    read: false,
    priority: 'not_priority',
    admin_assignee_id: null,
    team_assignee_id: null,
    source: {
      type: 'email',
      id: first.id,
      delivered_as: 'customer_initiated',
      subject: ticket.subject,
      body: bodyOf(first),
      author: authorShape(first),
      attachments: [],
      url: null,
      redacted: false,
    },
    contacts: {
      type: 'contact.list',
      contacts: [
        { type: 'contact', id: ticket.customer.id, external_id: `cust_${ticket.customer.id}` },
      ],
    },
    teammates: { type: 'admin.list', admins: [] },
    tags: {
      type: 'tag.list',
      tags: ticket.tags.map((name, at) => ({ type: 'tag', id: String(81 + at), name })),
    },
    custom_attributes: ticket.fields,
    conversation_parts: {
      type: 'conversation_part.list',
      conversation_parts: parts.map((post) => partShape(post, bodyOf(post))),
      total_count: parts.length,
    },
  };
};

/** As the API gives it: HTML unless plain text is asked for. */
export function conversationShape(ticket: TicketState, { isPlain }: { isPlain: boolean }) {
  return conversationOf(ticket, {
    parts: ticket.posts.slice(1).slice(-MAX_PARTS),
    bodyOf: isPlain ? textOf : htmlOf,
  });
}

/** As a webhook gets it since version 2.15: plain text, and the part that it is about alone. */
export function notificationShape(ticket: TicketState, post: Post, { id }: { id: string }) {
  const isFirst = ticket.posts[0] === post;
  const sentAt = seconds(post.at);
  return {
    type: 'notification_event',
    app_id: APP,
    data: {
      type: 'notification_event_data',
      item: conversationOf(ticket, { parts: isFirst ? [] : [post], bodyOf: textOf }),
    },
    links: {},
    id,
    topic: `conversation.${topicOf(post, isFirst)}`,
    delivery_status: 'pending',
    delivery_attempts: 1,
    delivered_at: 0,
    first_sent_at: sentAt,
    created_at: sentAt,
    self: null,
  };
}

const topicOf = ({ kind }: Post, isFirst: boolean): string => {
  if (kind === 'customer') return isFirst ? 'user.created' : 'user.replied';
  return kind === 'note' ? 'admin.noted' : 'admin.replied';
};
