import { ASKED, type HttpRoute, type RouteDescription } from './http-route.ts';

export const LIBRARIAN_ROUTES = {
  'GET /v1/access': {},
  'GET /v1/librarians': {},
  'GET /librarians/{id}': {
    access: 'public',
  },
  'POST /librarians/{id}/ask': {
    access: 'signed',
    body: 'LibrarianAskRequest',
  },
} as const satisfies Record<string, HttpRoute>;

export const LIBRARIAN_DESCRIPTIONS = {
  'GET /v1/access': {
    tag: 'Operations',
    summary: 'Show what the key or token of the request may do',
    reply: 'CallerAccess',
  },
  'GET /v1/librarians': {
    tag: 'Librarians',
    summary: 'List the librarians with their health',
    reply: 'LibrarianDirectory',
    client: 'librarians()',
  },
  'GET /librarians/{id}': {
    tag: 'Librarians',
    summary: 'Describe a librarian and its keys',
    reply: 'LibrarianDescription',
    errors: ['NOT_FOUND'],
  },
  'POST /librarians/{id}/ask': {
    tag: 'Librarians',
    summary: 'Ask a librarian as another librarian, in a signed context',
    reply: 'LibrarianResponse',
    error: 'LibrarianResponse',
    errors: ASKED,
  },
} as const satisfies Record<keyof typeof LIBRARIAN_ROUTES, RouteDescription>;
