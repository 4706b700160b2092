import type { NewTicket } from './local-desk.ts';

/** Somebody who writes in a ticket. */
export interface Person {
  id: string;
  name: string;
  email: string;
}

/** What stands in a ticket. */
export interface Post {
  id: string;
  kind: 'customer' | 'reply' | 'note' | 'draft';
  body: string;
  format: 'text' | 'html';
  author: Person;
  /** Whether it came over the API. */
  isOurs: boolean;
  /** Milliseconds since 1970. */
  at: number;
  /** What came with it and is given back: `content_attributes`. */
  attributes?: Readonly<Record<string, unknown>> | undefined;
}

export interface TicketState {
  id: string;
  subject: string;
  customer: Person;
  tags: readonly string[];
  fields: Readonly<Record<string, string>>;
  posts: Post[];
  createdAt: number;
  updatedAt: number;
}

/** Whose token the product has. */
export const ASSISTANT: Person = {
  id: '17',
  name: 'Support Assistant',
  email: 'assistant@support.example.com',
};
export const AGENT: Person = {
  id: '11',
  name: 'Ines Moreau',
  email: 'ines.moreau@support.example.com',
};
const CUSTOMER = { name: 'Dana Ortiz', email: 'dana.ortiz@example.net' };

export interface DeskState {
  /** The first post is the customer's message, unless `opening` says otherwise. */
  create(ticket: NewTicket, opening?: Partial<Post>): { ticket: TicketState; post: Post };
  /** The customer with that address, who is made if there is none. */
  customer(person: { name: string; email: string }): Person;
  add(ticketId: string, post: Pick<Post, 'kind' | 'body'> & Partial<Post>): Post;
  find(ticketId: string): TicketState | undefined;
  /** Throws when there is none. */
  get(ticketId: string): TicketState;
  all(): TicketState[];
  people(): Person[];
}

export interface FirstIds {
  ticket: number;
  post: number;
  customer: number;
}

/** The tickets of one stand-in, in memory. A post is announced to `onPost` once it stands in its ticket. */
export function createDeskState({
  now,
  first,
  onPost,
}: {
  now: () => number;
  first: FirstIds;
  onPost: (ticket: TicketState, post: Post) => void;
}): DeskState {
  const tickets = new Map<string, TicketState>();
  const customers = new Map<string, Person>();
  let posts = 0;

  const customerOf = ({ name, email }: { name: string; email: string }): Person => {
    const known = customers.get(email) ?? {
      id: String(first.customer + customers.size),
      name,
      email,
    };
    customers.set(email, known);
    return known;
  };

  const get = (ticketId: string): TicketState => {
    const ticket = tickets.get(ticketId);
    if (ticket === undefined) throw new Error(`Cannot find ticket ${ticketId}`);
    return ticket;
  };

  const add: DeskState['add'] = (ticketId, given) => {
    const ticket = get(ticketId);
    const author = given.author ?? (given.kind === 'customer' ? ticket.customer : AGENT);
    const post: Post = {
      format: 'text',
      isOurs: false,
      ...given,
      author,
      id: String(first.post + posts),
      at: now(),
    };
    posts += 1;
    ticket.posts.push(post);
    // Never the same twice, so that a write between two others is noticed.
    ticket.updatedAt = Math.max(now(), ticket.updatedAt + 1);
    onPost(ticket, post);
    return post;
  };

  return {
    customer: customerOf,
    create: (
      { message, subject = 'A question', customer = CUSTOMER, tags = [], fields = {} },
      opening = {},
    ) => {
      const id = String(first.ticket + tickets.size);
      const at = now();
      const ticket = {
        id,
        subject,
        customer: customerOf(customer),
        tags,
        fields,
        posts: [],
        createdAt: at,
        updatedAt: at,
      };
      tickets.set(id, ticket);
      return { ticket, post: add(id, { kind: 'customer', body: message, ...opening }) };
    },
    add,
    find: (ticketId) => tickets.get(ticketId),
    get,
    all: () => [...tickets.values()],
    people: () => [...customers.values(), AGENT, ASSISTANT],
  };
}
