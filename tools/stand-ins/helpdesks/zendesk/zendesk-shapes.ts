import { createHash } from 'node:crypto';
import { AGENT, ASSISTANT, type Person, type Post, type TicketState } from '../desk/desk-state.ts';
import { htmlOf, textOf } from '../desk/text-and-html.ts';

/** Moments as Zendesk writes them, to the second. */
export const stampOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');

export const isStaff = ({ id }: Person): boolean => id === AGENT.id || id === ASSISTANT.id;

/** The same for the same title. */
export const fieldId = (title: string): number =>
  360_000_000 + (createHash('sha256').update(title).digest().readUInt32BE() % 1_000_000);

export const userShape = (person: Person) => ({
  id: Number(person.id),
  name: person.name,
  email: person.email,
  role: isStaff(person) ? 'agent' : 'end-user',
  active: true,
  verified: true,
  locale: 'en-US',
  time_zone: 'UTC',
});

export const ticketShape = (ticket: TicketState, apiUrl: string) => {
  const custom_fields = Object.entries(ticket.fields).map(([title, value]) => ({ id: fieldId(title), value }));
  return {
    url: `${apiUrl}/api/v2/tickets/${ticket.id}.json`,
    id: Number(ticket.id),
    external_id: null,
    via: { channel: 'email', source: { from: {}, to: {}, rel: null } },
    created_at: stampOf(ticket.createdAt),
    updated_at: stampOf(ticket.updatedAt),
    type: 'question',
    subject: ticket.subject,
    raw_subject: ticket.subject,
    description: ticket.posts[0]?.body ?? '',
    priority: 'normal',
    status: 'open',
    recipient: null,
    requester_id: Number(ticket.customer.id),
    submitter_id: Number(ticket.customer.id),
    assignee_id: null,
    organization_id: null,
    group_id: 360_009_990_001,
    collaborator_ids: [],
    is_public: true,
    tags: ticket.tags,
    custom_fields,
    fields: custom_fields,
    brand_id: 360_001_234_567,
    allow_attachments: true,
  };
};

export const commentShape = (post: Post) => ({
  id: Number(post.id),
  type: 'Comment',
  author_id: Number(post.author.id),
  body: textOf(post),
  html_body: `<div class="zd-comment" dir="auto">${htmlOf(post)}</div>`,
  plain_body: textOf(post),
  public: post.kind !== 'note',
  attachments: [],
  audit_id: Number(post.id) + 1,
  via: { channel: 'api', source: { from: {}, to: {}, rel: null } },
  created_at: stampOf(post.at),
  metadata: { system: {}, custom: {} },
});
