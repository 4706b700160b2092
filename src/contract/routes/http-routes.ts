import { ANSWER_ROUTES } from './answers.ts';
import { ARTICLE_ROUTES } from './articles.ts';
import { ASK_ROUTES } from './ask.ts';
import { CHECK_ROUTES } from './checks.ts';
import { EDITION_ROUTES } from './editions.ts';
import { GAP_ROUTES } from './gaps.ts';
import { type HttpRoute, honoPath } from './http-route.ts';
import { KNOWLEDGE_ROUTES } from './knowledge.ts';
import { LIBRARIAN_ROUTES } from './librarians.ts';
import { MEMORY_ROUTES } from './memory.ts';
import { OPERATIONS_ROUTES } from './operations.ts';
import { PROTOCOL_ROUTES } from './protocols.ts';
import { SUPPORT_ROUTES } from './support.ts';
import { TICKET_ROUTES } from './tickets.ts';

/**
 * All routes of the gateway, as method and path, in the order of the description of the API (OpenAPI 3.1, section 4.8.8).
 */
export const ROUTES = {
  ...ASK_ROUTES,
  ...ANSWER_ROUTES,
  ...PROTOCOL_ROUTES,
  ...LIBRARIAN_ROUTES,
  ...KNOWLEDGE_ROUTES,
  ...GAP_ROUTES,
  ...CHECK_ROUTES,
  ...EDITION_ROUTES,
  ...SUPPORT_ROUTES,
  ...TICKET_ROUTES,
  ...ARTICLE_ROUTES,
  ...MEMORY_ROUTES,
  ...OPERATIONS_ROUTES,
} as const satisfies Record<string, HttpRoute>;

/** Method and path of a route: `POST /v1/ask`. */
export type RouteName = keyof typeof ROUTES;

/** The names of the routes that have something. */
export function namesWhere(has: (route: HttpRoute) => boolean): RouteName[] {
  return (Object.keys(ROUTES) as RouteName[]).filter((name) => has(ROUTES[name])); // the keys of a constant
}

/** Method and path as Hono takes them: `['GET', '/api/kb/articles/:id{.+}']`. */
export function honoRoute(name: RouteName): [method: string, path: string] {
  const [method = '', path = ''] = name.split(' ');
  const route: HttpRoute = ROUTES[name];
  return [method, honoPath(path, route)];
}

/** Tells whether a request is for one of these routes. */
export function routeMatcher(
  names: readonly RouteName[],
): (method: string, path: string) => boolean {
  const routes = names.map(honoRoute).map(([method, path]) => ({
    method,
    path: new RegExp(`^${path.replaceAll(/:\w+\{\.\+\}/g, '.+').replaceAll(/:\w+/g, '[^/]+')}$`),
  }));
  return (method, path) => routes.some((route) => route.method === method && route.path.test(path));
}
