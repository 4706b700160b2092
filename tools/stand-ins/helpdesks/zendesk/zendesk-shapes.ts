import { createHash } from 'node:crypto';
import { AGENT, ASSISTANT, type Person, type Post, type TicketState } from '../desk/desk-state.ts';
import { htmlOf, textOf } from '../desk/text-and-html.ts';

/** Moments as Zendesk writes them, to the second. */
export function stampOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

export function isStaff({ id }: Person): boolean {
  return id === AGENT.id || id === ASSISTANT.id;
}

/** The same for the same title. */
export function fieldId(title: string): number {
  return 360_000_000 + (createHash('sha256').update(title).digest().readUInt32BE() % 1_000_000);
}

export function userShape(person: Person) {
  return {
    id: Number(person.id),
    name: person.name,
    email: person.email,
    role: isStaff(person) ? 'agent' : 'end-user',
    active: true,
    verified: true,
    locale: 'en-US',
    time_zone: 'UTC',
  };
}

export function ticketShape(ticket: TicketState, apiUrl: string) {
  const custom_fields = Object.entries(ticket.fields).map(([title, value]) => ({
    id: fieldId(title),
    value,
  }));
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
}

export function commentShape(post: Post) {
  return {
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
  };
}
