import type { Context, Hono, MiddlewareHandler } from 'hono';
import { GatewayError, HttpRefusal } from './gateway-error.ts';
import type { GatewayEnv } from './request-log.ts';

/** Refuses compressed bodies: nothing here unpacks them (RFC 9110, section 15.5.16). */
export const plainBodies: MiddlewareHandler<GatewayEnv> = async (c, next) => {
  const coding = c.req.header('Content-Encoding')?.trim().toLowerCase() ?? '';
  if (c.req.raw.body === null || coding === '' || coding === 'identity') return next();
  throw new HttpRefusal(415, {
    message: `Cannot read the body: its Content-Encoding is ${coding.slice(0, 40)}, and only plain bodies are read`,
    suggestion: 'Send the body without compression, and without the header Content-Encoding',
    headers: { 'Accept-Encoding': 'identity' },
  });
};

/** Names the methods of an address to those who ask with OPTIONS; the rest of the answer is for browsers. */
export function namesMethods(app: Hono<GatewayEnv>): MiddlewareHandler<GatewayEnv> {
  return async (c, next) => {
    await next();
    const methods = c.req.method === 'OPTIONS' ? methodsOf(app, c.req.path) : [];
    if (methods.length > 0) c.res.headers.set('Allow', methods.join(', '));
  };
}

/** The error for a request that no route takes: there is no such address, or it has other methods. */
export function noRoute(app: Hono<GatewayEnv>, c: Context<GatewayEnv>): GatewayError {
  const { path } = c.req;
  const methods = methodsOf(app, path);
  return (
    (methods.length > 0 && wrongMethod(c, methods)) ||
    new GatewayError('NOT_FOUND', {
      message: 'Cannot find this address here',
      suggestion: hintFor(path),
    })
  );
}

/** Throws unless a request has one of these methods, for addresses that are answered by another function. */
export function demandMethod(c: Context<GatewayEnv>, methods: readonly string[]): void {
  const error = wrongMethod(c, methods);
  if (error !== undefined) throw error;
}

const wrongMethod = (
  { req: { method } }: Context<GatewayEnv>,
  methods: readonly string[],
): HttpRefusal | undefined =>
  methods.includes(method)
    ? undefined
    : new HttpRefusal(405, {
        message: `Cannot take the method ${method.slice(0, 20)} at this address`,
        suggestion: `Send the request with the method ${methods.join(' or ')}`,
        headers: { Allow: methods.join(', ') },
      });

const hintFor = (path: string): string => {
  if (/^\/(?:chat\/completions|responses|models|embeddings|completions)(?:\/|$)/.test(path)) {
    return 'Add /v1 to the base URL of the client';
  }
  const [, area = ''] = /^\/v1\/([a-z_]+)(?:\/|$)/.exec(path) ?? [];
  return OPENAI_HINTS[area] ?? 'docs/http-api.md lists the routes; check the path and the method';
};

const OFFERED =
  'Of the API of OpenAI there are POST /v1/chat/completions, POST /v1/responses and GET /v1/models';

/** Areas of OpenAI's API, with what to use in place of what does not exist here. */
const OPENAI_HINTS: Readonly<Record<string, string>> = {
  chat: 'Use POST /v1/chat/completions; completions are not stored',
  responses: 'Use POST /v1/responses with the earlier turns in input; responses are not stored',
  models: 'Use GET /v1/models',
  completions: 'Use POST /v1/chat/completions with messages in place of a prompt',
  embeddings:
    'Use POST /v1/knowledge/search to search articles; there are no embeddings of texts to be had here',
  ...Object.fromEntries(
    [
      ...[
        'assistants',
        'audio',
        'batches',
        'containers',
        'conversations',
        'evals',
        'files',
        'fine_tuning',
        'images',
      ],
      ...['moderations', 'realtime', 'threads', 'uploads', 'vector_stores', 'videos'],
    ].map((area) => [area, OFFERED]),
  ),
};

/** Addresses whose errors have OpenAI's form. */
export const OPENAI_PATHS: readonly string[] = [
  ...Object.keys(OPENAI_HINTS).map((area) => `/v1/${area}/*`),
  ...['/chat/completions', '/responses', '/models', '/embeddings', '/completions'],
];

/** The methods that an address has routes for; none for an address that does not exist. */
const methodsOf = (app: Hono<GatewayEnv>, path: string): string[] => {
  const known = routesOf.get(app) ?? patternsOf(app);
  routesOf.set(app, known);
  const methods = new Set(
    known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method),
  );
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
};

interface RoutePattern {
  method: string;
  pattern: RegExp;
}

const routesOf = new WeakMap<Hono<GatewayEnv>, RoutePattern[]>();

/** Made of the routes as they were added; middleware has all methods or a path with a wildcard. */
const patternsOf = (app: Hono<GatewayEnv>): RoutePattern[] =>
  app.routes
    .filter(({ method, path }) => method !== 'ALL' && !path.includes('*'))
    .map(({ method, path }) => {
      const pattern = path.replaceAll(
        /:\w+(?:\{([^}]+)\})?|\./g,
        (part, own: string | undefined) => (part === '.' ? '\\.' : `(${own ?? '[^/]+'})`),
      );
      return { method, pattern: new RegExp(`^${pattern}$`) };
    });
