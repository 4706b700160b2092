import { AGENT, ASSISTANT, type Person, type Post, type TicketState } from '../desk/desk-state.ts';
import { htmlOf } from '../desk/text-and-html.ts';

const iso = (ms: number): string => new Date(ms).toISOString();
const GROUP = { id: 3, name: 'Service Desk' };
const NOBODY = { id: 1, login: '-', email: '', firstname: '-', lastname: '', active: false };
const INBOX = 'support@example.com';

const isStaff = ({ id }: Person): boolean => id === AGENT.id || id === ASSISTANT.id;

export function userShape(person: Person) {
  const [firstname = '', ...rest] = person.name.split(' ');
  return {
    active: true,
    created_at: '2025-11-02T09:00:00.000Z',
    email: person.email,
    firstname,
    id: Number(person.id),
    lastname: rest.join(' '),
    login: person.email,
    organization_id: null,
    roles: [isStaff(person) ? 'Agent' : 'Customer'],
    updated_at: '2025-11-02T09:00:00.000Z',
    verified: false,
    vip: false,
  };
}

const articlesIn = ({ posts }: TicketState) => posts.filter(({ kind }) => kind !== 'draft');

const ticketCore = (ticket: TicketState) => ({
  id: Number(ticket.id),
  number: String(10_000 + Number(ticket.id)),
  title: ticket.subject,
  group_id: GROUP.id,
  priority_id: 2,
  state_id: 1,
  organization_id: null,
  owner_id: 1,
  customer_id: Number(ticket.customer.id),
  note: null,
  article_count: articlesIn(ticket).length,
  create_article_type_id: 1,
  create_article_sender_id: 2,
  created_by_id: Number(ticket.customer.id),
  updated_by_id: Number(ticket.customer.id),
  created_at: iso(ticket.createdAt),
  updated_at: iso(ticket.updatedAt),
  last_contact_at: iso(ticket.updatedAt),
  last_contact_customer_at: iso(ticket.createdAt),
  // Custom objects are members of the ticket.
  ...ticket.fields,
});

const ofArticles = (ticket: TicketState) => ({
  article_ids: articlesIn(ticket).map(({ id }) => Number(id)),
  create_article_sender: 'Customer',
  create_article_type: 'email',
});

/** As the API gives it; expanded, names stand beside the ids. */
export function ticketShape(ticket: TicketState, { isExpanded }: { isExpanded: boolean }) {
  return {
    ...ticketCore(ticket),
    ...(isExpanded
      ? {
          ...ofArticles(ticket),
          group: GROUP.name,
          priority: '2 normal',
          state: 'new',
          owner: '-',
          customer: ticket.customer.email,
          created_by: ticket.customer.email,
          updated_by: ticket.customer.email,
        }
      : {}),
  };
}

const articleCore = (ticket: TicketState, post: Post) => {
  const isCustomer = post.kind === 'customer';
  const isNote = post.kind === 'note';
  return {
    id: Number(post.id),
    ticket_id: Number(ticket.id),
    type_id: isNote ? 10 : 1,
    sender_id: isCustomer ? 2 : 1,
    from: isCustomer ? `${post.author.name} <${post.author.email}>` : post.author.name,
    to: isCustomer ? INBOX : null,
    cc: null,
    subject: isNote ? null : ticket.subject,
    message_id: isNote ? null : `<local-${post.id}@mail.example.net>`,
    in_reply_to: null,
    content_type: 'text/html',
    body: htmlOf(post),
    internal: isNote,
    origin_by_id: null,
    created_by_id: Number(post.author.id),
    updated_by_id: Number(post.author.id),
    created_at: iso(post.at),
    updated_at: iso(post.at),
    attachments: [],
    type: isNote ? 'note' : 'email',
    sender: isCustomer ? 'Customer' : 'Agent',
  };
};

export function articleShape(ticket: TicketState, post: Post) {
  return {
    ...articleCore(ticket, post),
    preferences: {},
    created_by: post.author.email,
    updated_by: post.author.email,
  };
}

/** As a webhook gets it: associations are written out. */
export function deliveredTicket(ticket: TicketState) {
  return {
    ...ticketCore(ticket),
    ...ofArticles(ticket),
    created_by: userShape(ticket.customer),
    customer: userShape(ticket.customer),
    group: { active: true, ...GROUP },
    organization: {},
    owner: NOBODY,
    priority: { id: 2, name: '2 normal' },
    state: 'new',
    updated_by: userShape(ticket.customer),
  };
}

export function deliveredArticle(ticket: TicketState, post: Post) {
  return {
    ...articleCore(ticket, post),
    accounted_time: 0,
    origin_by: null,
    created_by: userShape(post.author),
    updated_by: userShape(post.author),
  };
}
