import type { Context, Hono, MiddlewareHandler } from 'hono';
import type * as z from 'zod';
import { describeIssues, readAs } from '../../contract/core/error-info.ts';
import type * as contract from '../../contract/index.ts';
import { honoPath, type ServedRoute } from '../../contract/routes/http-route.ts';
import {
  contextGuard,
  type GuardedEnv,
  type GuardOptions,
  refuse,
  requireCapability,
} from '../context/context-guard.ts';
import { readJson } from '../http/json-http.ts';
import { inAddress, suggestForm } from '../http/suggest-form.ts';

/** The schema that a definition names. */
type SchemaOf<Name> = Name extends keyof typeof contract
  ? Extract<(typeof contract)[Name], z.ZodType>
  : never;
type QueryOf<Route> = Route extends { query: infer Name } ? SchemaOf<Name> : never;
type BodyOf<Route> = Route extends { body: infer Name } ? SchemaOf<Name> : never;

/** `/v1/knowledge/gaps/{id}` -> `id` */
type ParameterOf<Name extends string> = Name extends `${string}{${infer Parameter}}${infer Rest}`
  ? Parameter | ParameterOf<Rest>
  : never;

/** The schemas of a request. What is absent is not read: the handler does it. */
interface Taken<Query, Body> {
  query?: Query;
  /** What the caller of a faulty query cannot do: `list gaps`. */
  purpose?: string;
  /** What to send in place of a faulty query; by its schema when absent. */
  suggestion?: string;
  body?: Body;
  /** The value of an empty body; it is no JSON when absent. */
  whenEmpty?: unknown;
}

interface Sent<Name extends string, Query, Body> {
  query: z.output<Query>;
  body: z.output<Body>;
  /** The parameters of the path, decoded. */
  path: Record<ParameterOf<Name>, string>;
}

/**
 * Adds routes to the app of a function by their definitions: the path, the guard, the capabilities, and reading query and body. A request
 * that does not fit is refused before the handler.
 *
 * @param routes Definitions by method and path. Fixed parts of a path are added before parameters, which would match them.
 * @param guard For all routes that are added with what is returned.
 * @param further Run behind the guard.
 */
export function mountRoutes<const Routes extends Readonly<Record<string, ServedRoute>>>(
  app: Hono<GuardedEnv>,
  routes: Routes,
  guard: GuardOptions,
  ...further: MiddlewareHandler<GuardedEnv>[]
) {
  const guarded = contextGuard(guard);
  return <
    Name extends keyof Routes & string,
    Query extends QueryOf<Routes[Name]> = never,
    Body extends BodyOf<Routes[Name]> = never,
  >(
    name: Name,
    taken: Taken<Query, Body>,
    handle: (c: Context<GuardedEnv>, sent: Sent<Name, Query, Body>) => Promise<Response> | Response,
  ): void => {
    const route: ServedRoute | undefined = routes[name];
    const { capability, grants = capability, alsoNeeds } = route ?? {};
    const rights = [grants, alsoNeeds].filter((right) => right !== undefined);
    const [method = '', path = ''] = name.split(' ');
    const handler = readFirst(taken, (c, sent) => handle(c, sent as Sent<Name, Query, Body>)); // by the schemas of this route
    const required = rights.map(requireCapability);
    app.on(method, honoPath(path, route), guarded, ...required, ...further, handler);
  };
}

/** Reads query and body, and refuses a request that does not fit. */
const readFirst =
  (
    { query, body, whenEmpty, purpose, suggestion }: Taken<z.ZodType, z.ZodType>,
    handle: (c: Context<GuardedEnv>, sent: object) => Promise<Response> | Response,
  ) =>
  (c: Context<GuardedEnv>): Promise<Response> | Response => {
    const sentQuery = query === undefined ? NOTHING : readAs(query, c.req.query());
    if (!sentQuery.ok) {
      return refuse(c, 'INVALID_QUERY', {
        message: `Cannot ${purpose}: ${describeIssues(sentQuery.issues)}`,
        suggestion: suggestion ?? (query && suggestForm(query, sentQuery.issues, inAddress)),
      });
    }
    const sentBody = body === undefined ? NOTHING : readJson(c.get('body'), body, { whenEmpty });
    if (!sentBody.ok) {
      const { problem: message, suggestion } = sentBody;
      return refuse(c, 'INVALID_QUERY', { message, suggestion });
    }
    return handle(c, { query: sentQuery.value, body: sentBody.value, path: c.req.param() });
  };

const NOTHING = { ok: true, value: undefined } as const;
