import type { Person, Post, TicketState } from '../desk/desk-state.ts';
import { htmlOf, textOf } from '../desk/text-and-html.ts';

const stamp = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');

const namesOf = ({ name }: Person) => {
  const [first = '', ...rest] = name.split(' ');
  return { first, last: rest.join(' ') };
};

export function userShape(person: Person) {
  const { first, last } = namesOf(person);
  return {
    id: Number(person.id),
    firstName: first,
    lastName: last,
    email: person.email,
    role: 'user',
    type: 'user',
  };
}

export function customerShape(person: Person) {
  const { first, last } = namesOf(person);
  return {
    id: Number(person.id),
    firstName: first,
    lastName: last,
    _embedded: { emails: [{ id: 1, value: person.email }] },
  };
}

const personShape = (person: Person, type: 'customer' | 'user') => ({
  id: Number(person.id),
  type,
  ...namesOf(person),
  email: person.email,
});

export const MAILBOX_ID = 85;

const TYPES = { customer: 'customer', reply: 'message', draft: 'message', note: 'note' } as const;

export function threadShape(ticket: TicketState, post: Post) {
  const via = post.kind === 'customer' ? 'customer' : 'user';
  const { id, name, email } = ticket.customer;
  return {
    id: Number(post.id),
    type: TYPES[post.kind],
    status: 'active',
    state: post.kind === 'draft' ? 'draft' : 'published',
    action: { type: 'default', associatedEntities: {} },
    body: htmlOf(post),
    source: { type: post.isOurs ? 'api' : 'email', via },
    customer: { id: Number(id), ...namesOf({ id, name, email }), email },
    createdBy: personShape(post.author, via),
    assignedTo: { id: 0 },
    savedReplyId: 0,
    to: [],
    cc: [],
    bcc: [],
    createdAt: stamp(post.at),
    _embedded: { attachments: [] },
  };
}

/** As the API gives it and as a webhook gets it; threads are embedded the newest first. */
export function conversationShape(
  ticket: TicketState,
  { apiUrl, hasThreads }: { apiUrl: string; hasThreads: boolean },
) {
  const url = `${apiUrl}/v2/conversations/${ticket.id}`;
  const customer = personShape(ticket.customer, 'customer');
  return {
    id: Number(ticket.id),
    number: Number(ticket.id) % 100_000,
    threads: ticket.posts.filter(({ kind }) => kind !== 'draft').length,
    type: 'email',
    folderId: 493,
    status: 'active',
    state: 'published',
    subject: ticket.subject,
    preview: ticket.posts.slice(0, 1).map((post) => textOf(post).slice(0, 80))[0] ?? '',
    mailboxId: MAILBOX_ID,
    createdBy: customer,
    createdAt: stamp(ticket.createdAt),
    closedBy: 0,
    userUpdatedAt: stamp(ticket.updatedAt),
    customerWaitingSince: {
      time: stamp(ticket.updatedAt),
      friendly: 'just now',
      latestReplyFrom: 'customer',
    },
    source: { type: 'email', via: 'customer' },
    tags: ticket.tags.map((tag, at) => ({ id: 9150 + at, color: '#929499', tag })),
    cc: [],
    bcc: [],
    primaryCustomer: customer,
    customFields: Object.entries(ticket.fields).map(([name, value], at) => ({
      id: 6688 + at,
      name,
      value,
      text: value,
    })),
    _embedded: hasThreads
      ? { threads: ticket.posts.toReversed().map((post) => threadShape(ticket, post)) }
      : {},
    _links: {
      self: { href: url },
      threads: { href: `${url}/threads/` },
      web: { href: `${apiUrl}/conversation/${ticket.id}` },
    },
  };
}

export function eventOf(ticket: TicketState, post: Post): string {
  if (post.kind === 'customer')
    return ticket.posts[0] === post ? 'convo.created' : 'convo.customer.reply.created';
  return post.kind === 'note' ? 'convo.note.created' : 'convo.agent.reply.created';
}
