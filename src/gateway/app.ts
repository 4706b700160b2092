import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { secureHeaders } from 'hono/secure-headers';
import { ErrorBody } from '../contract/core/error-info.ts';
import { type AIClient, Healthz, type ProtectedResource } from '../contract/core/librarian.ts';
import { LibrarianId } from '../contract/core/names.ts';
import type { HttpRoute } from '../contract/routes/http-route.ts';
import { honoRoute, namesWhere, ROUTES, type RouteName } from '../contract/routes/http-routes.ts';
import type { A2aFunction } from '../contract/wire/a2a.ts';
import type { CallerAccess } from '../contract/wire/access.ts';
import { AgentRequest } from '../contract/wire/agent-response.ts';
import type { HostErrorBody } from '../contract/wire/host-article.ts';
import { unavailableRetrieval } from '../contract/wire/knowledge.ts';
import type { AnswerMcp } from '../contract/wire/mcp.ts';
import { SupportRequest } from '../contract/wire/support-response.ts';
import { SyncRequest } from '../contract/wire/sync.ts';
import { HandoverRequest } from '../contract/wire/tickets.ts';
import { readingCapabilities } from '../librarians/delegation/call.ts';
import type { Librarians } from '../librarians/delegation/librarian-directory.ts';
import type { Signer } from '../platform/context/compact-jws.ts';
import type { KeyDirectory } from '../platform/context/key-directory.ts';
import { type Amounts, CONTEXT_HEADER, EXPIRY_WARNING_MS } from '../platform/context/limits.ts';
import type { TokenPrice } from '../platform/context/model-budget.ts';
import type { OriginContext } from '../platform/context/request-context.ts';
import type { SignedClient, Target } from '../platform/context/signed-client.ts';
import { sha256, utf8 } from '../platform/encoding.ts';
import { waitAtMost } from '../platform/http/deadline.ts';
import { acceptsEvents } from '../platform/http/event-stream.ts';
import { readJson } from '../platform/http/json-http.ts';
import { type Log, logLine } from '../platform/log.ts';
import type { CounterStore } from '../platform/metrics.ts';
import { type ApiKey, type ApiKeys, PUBLISHABLE_PREFIX } from './access/api-keys.ts';
import {
  authenticate,
  demand,
  isPublishable,
  limitAddress,
  limitLibrarians,
  workspaceOf,
} from './access/authenticate.ts';
import { forward, jsonBytes, pathOf } from './access/forward.ts';
import { faultResponse, GatewayError, type RateLimits } from './access/gateway-error.ts';
import type { Provider, Tokens } from './access/oidc.ts';
import {
  demandMethod,
  namesMethods,
  noRoute,
  OPENAI_PATHS,
  plainBodies,
} from './access/refuse-requests.ts';
import { type GatewayEnv, requestLog } from './access/request-log.ts';
import {
  createAnswerList,
  createAnswerReader,
  createFeedback,
  createReplay,
} from './answer-routes.ts';
import { answerOrStream, CONCIERGE, createAsk, createAsking } from './ask/ask.ts';
import { fixedReply, type PersonWays } from './ask/small-talk.ts';
import { bodiesWithFacts } from './ask/talk.ts';
import { auditActs } from './audit.ts';
import { type DiskIsFull, namesFullDisk } from './disk.ts';
import { createKeepAnswers } from './history/keep-answers.ts';
import { createReportGaps } from './history/report-gaps.ts';
import {
  AGENT,
  type KeptRoute,
  keepForwarded,
  keepReply,
  NAVIGATE,
  questionOfTicket,
  TICKET,
} from './keep-forwarded.ts';
import { createKnowledgeStats } from './knowledge-stats.ts';
import { createMetricsRoute } from './metrics.ts';
import { createOverview } from './overview.ts';
import { createPages } from './pages.ts';
import {
  a2aErrors,
  createA2a,
  createCard,
  createTaskErasure,
  gatewayKeys,
} from './protocols/a2a-routes.ts';
import { createMcp, mcpErrors, withinOrigins } from './protocols/mcp-routes.ts';
import { createChat, createModels } from './protocols/openai/chat-completions.ts';
import { openAIErrors } from './protocols/openai/openai-errors.ts';
import { createResponses } from './protocols/openai/openai-responses.ts';
import { asAgent, asNavigator, type ReplyForm } from './reply-forms.ts';
import { createSignIn } from './sign-in.ts';
import {
  consoleFile,
  consolePage,
  docsFile,
  opensPage,
  panelPage,
  staticFile,
  widgetFile,
} from './static-files.ts';

interface GatewayParts {
  keys: ApiKeys;
  /** Tokens of identity providers; absent when none is configured. */
  tokens?: Tokens | undefined;
  /** Those whose tokens are accepted. */
  providers?: readonly Provider[] | undefined;
  limits: RateLimits;
  client: SignedClient;
  /** Functions that a partner's librarian reaches at `/librarians/{id}`, by id. */
  functions: Readonly<Record<string, Target>>;
  /** Translates MCP to routes of this gateway; without it there is no `POST /mcp`. */
  mcp?: AnswerMcp | undefined;
  /** Holds the tasks of agents that speak A2A; without it there is no `POST /a2a`. */
  a2a?: A2aFunction | undefined;
  /** The key of this gateway, for the agent card; without it there is no card. */
  signer?: Signer | undefined;
  directory: KeyDirectory;
  /** Librarians that answer questions, internal and of partners. */
  librarians: Librarians;
  ai?: AIClient | undefined;
  aiPrice?: TokenPrice | undefined;
  /** Upper bounds for all model calls of one request: `tokens`, `cost_micros`. Absent members are unlimited. */
  budgets?: Amounts | undefined;
  /** As in `AskParts`. */
  factTokens?: number | undefined;
  /** How a person is reached, by workspace; unknown when absent. */
  personWays?: PersonWays | undefined;
  /** Whether the answers of a workspace are kept; none when absent. */
  keepsAnswers?: ((workspace: string) => boolean) | undefined;
  /** A gateway on a developer's machine answers for loopback names only, so that no web page reaches it under a name of its own. */
  isLocal?: boolean | undefined;
  /** As in `PagesParts`. */
  publicWorkspace?: string | undefined;
  /** The static files of `npm run build`. */
  assets?: Target | undefined;
  /** Origins that may call from a browser; `*` for all; empty for none. */
  corsOrigins: readonly string[];
  /** Helpdesks that may show the panel for agents in a frame: `https://acme.zendesk.com`; none by default. */
  panelOrigins?: readonly string[] | undefined;
  health: Healthz;
  /** Whether the disk of this machine is full; it never is when absent. */
  diskIsFull?: DiskIsFull | undefined;
  /** The counters of all functions; without them there are no metrics. */
  counters?: Pick<CounterStore, 'read'> | undefined;
  log?: Log | undefined;
  now?: (() => number) | undefined;
}

/** The public HTTP surface. Callers are authenticated here; behind it only signed contexts count. */
export function createApp(parts: GatewayParts) {
  const {
    client,
    directory,
    functions,
    librarians,
    limits,
    budgets,
    health,
    log = logLine,
    now = Date.now,
  } = parts;
  // Some clients end every address with a slash.
  const app = new Hono<GatewayEnv>({ strict: false });
  app.use(requestLog({ log, now }));
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(c.get('headersOfFile') ?? NOT_A_FILE))
      c.res.headers.set(name, value);
  });
  app.use(secureHeaders(HEADERS));
  if (parts.isLocal === true) app.use(loopbackOnly);
  app.use(namesMethods(app));
  app.use(corsFor(parts.corsOrigins));
  for (const path of OPENAI_PATHS) app.use(path, openAIErrors);
  app.use('/api/kb/*', hostErrors);
  app.use('/v1/knowledge/retrieve', retrievalFailures);
  app.use('/mcp', mcpErrors);
  app.use('/a2a', a2aErrors);
  app.use(plainBodies);
  const { diskIsFull } = parts;
  if (diskIsFull !== undefined) app.use(namesFullDisk(diskIsFull));

  const answered = new Set<RouteName>();
  /** Only routes that the description of the API has can be added, by the types. */
  const on = (
    name: RouteName,
    handler: (c: Context<GatewayEnv>) => Promise<Response> | Response,
  ): void => {
    const [method, path] = honoRoute(name);
    answered.add(name);
    app.on(method, path, handler);
  };
  on('GET /healthz', async (c) => {
    const [helpdesks, isFull = false] = await Promise.all([
      helpdesksOf(functions.webhooks),
      diskIsFull?.(),
    ]);
    return c.json(withParts(health, { directory, now: now(), helpdesks, isFull }));
  });
  const { tokens } = parts;
  if (tokens !== undefined) app.use(namesMetadata);
  on('GET /.well-known/oauth-protected-resource', (c) => protectedResource(c, tokens));
  on('GET /.well-known/oauth-protected-resource/mcp', (c) => protectedResource(c, tokens));
  const signIn = createSignIn(parts);
  on('GET /v1/sign-in', signIn.options);
  on('POST /v1/sign-in', signIn.redeem);
  const { a2a, signer } = parts;
  on('GET /.well-known/agent-card.json', createCard({ a2a, librarians, signer, tokens, now }));
  // The address that clients of A2A before version 0.3.1 read.
  app.get('/.well-known/agent.json', (c) => c.redirect('/.well-known/agent-card.json', 308));
  on('GET /.well-known/jwks.json', gatewayKeys({ directory, now }));
  on('GET /openapi.json', (c) => staticFile(c, parts.assets));
  app.get('/docs', (c) => docsFile(c, parts.assets));
  app.get('/docs/:file', (c) => docsFile(c, parts.assets));
  const pages = createPages({ ...parts, now });
  app.get('/search', pages.search);
  app.get('/kb/:id{.+}', pages.article);
  app.get('/pages.css', (c) => staticFile(c, parts.assets));
  app.get('/', (c) => consolePage(c, parts.assets));
  app.get('/console/:file', (c) => consoleFile(c, parts.assets));
  app.get('/panel/:helpdesk{chatwoot|zendesk}', (c) =>
    panelPage(c, parts.assets, parts.panelOrigins ?? []),
  );
  for (const path of ['/widget.js', '/widget-markdown.js'])
    app.get(path, (c) => widgetFile(c, parts.assets));
  app.all('/librarians/:id{[^/]+}/*', (c) =>
    passOn(c, { functions, limits, directory, now: now() }),
  );
  app.all('/librarians/:id', (c) => passOn(c, { functions, limits, directory, now: now() }));
  const { webhooks } = functions;
  // Helpdesks sign their deliveries: body and headers stay unchanged, their own credentials too.
  app.all('/webhooks/*', async (c) => {
    // Some helpdesks look with HEAD whether the address exists.
    demandMethod(c, ['HEAD', 'POST']);
    // The edge names every address; on one machine there is none to count.
    const address = c.req.header('CF-Connecting-IP');
    if (address !== undefined) await limitAddress(address, limits);
    return handOn(c, webhooks);
  });

  app.use('/mcp', withinOrigins(parts.corsOrigins));
  app.use('/mcp', authenticate(parts));
  app.use('/a2a', authenticate(parts));
  app.use('/v1/*', authenticate(parts));
  app.use('/api/*', authenticate(parts));
  app.use('/metrics', authenticate(parts));
  app.use('/v1/*', auditActs({ client, now, log }));
  app.use('/api/*', auditActs({ client, now, log }));
  on('GET /metrics', createMetricsRoute({ counters: parts.counters, client, now }));
  on('GET /v1/access', (c) => c.json(accessOf(c.get('apiKey'))));
  on('GET /v1/librarians', async (c) => c.json(await librarians.list()));
  const { keepsAnswers: keeps } = parts;
  const reportGaps = createReportGaps({ client, log, now });
  const keepAnswers = keeps && createKeepAnswers({ client, keeps, reportGaps, log, now });
  const asking = createAsking({ ...parts, keepAnswers });
  on('POST /v1/ask', createAsk(asking));
  on('POST /v1/chat/completions', createChat({ librarians, asking }));
  on('POST /v1/responses', createResponses({ librarians, asking }));
  const calls = { app, asking, limits };
  on('POST /mcp', createMcp({ mcp: parts.mcp, ...calls }));
  const toA2a = createA2a({ a2a, ...calls });
  on('POST /a2a', toA2a);
  // Other methods get an error that names the right one.
  app.all('/a2a', toA2a);
  on('DELETE /v1/a2a/tasks', createTaskErasure({ a2a }));
  const models = createModels({ librarians });
  on('GET /v1/models', models.list);
  on('GET /v1/models/{id}', models.one);

  /** Forwards requests of the key's holder to the function that answers them, at the same path. */
  const forwardTo = (name: RouteName, { bodyOf, route, form }: ForwardOptions = {}): void => {
    const {
      function: to = '',
      capability,
      alsoNeeds,
      grants,
      streams,
      maxBytes,
    }: HttpRoute = ROUTES[name];
    on(name, async (c) => {
      const key = c.get('apiKey');
      if (capability !== undefined) demand(key, capability);
      if (alsoNeeds !== undefined) demand(key, alsoNeeds);
      const url = new URL(c.req.url);
      const namedWorkspace = url.searchParams.get('workspace_id') ?? undefined;
      const workspace = workspaceOf(key, c.req.param('workspace_id'), namedWorkspace);
      const hasBody = c.req.method === 'POST' || c.req.method === 'PUT';
      const body = hasBody
        ? await (bodyOf?.(c, workspace, maxBytes) ?? jsonBytes(c, maxBytes))
        : undefined;
      url.searchParams.delete('workspace_id');
      const granted = grants ?? capability;
      const capabilities =
        granted !== undefined && (grants !== undefined || granted.endsWith(':write'))
          ? [granted, ...(alsoNeeds === undefined ? [] : [alsoNeeds])]
          : (readingCapabilities(key.capabilities) ?? key.capabilities);
      if (
        c.req.path.startsWith('/v1/agents/') &&
        url.searchParams.has('format') &&
        acceptsEvents(c.req.raw.headers)
      ) {
        throw new GatewayError('INVALID_QUERY', {
          message: 'Cannot stream the answer in a format: the events of a stream carry JSON',
          suggestion: 'Omit format, or the header Accept: text/event-stream',
        });
      }
      const path = `${pathOf(c)}${url.search}`;
      const isStream = streams === true && acceptsEvents(c.req.raw.headers);
      const question = form && body && route?.questionOf(body);
      const fixed = question && fixedReply(question.query, parts.personWays?.(workspace));
      const replied = fixed && form?.(c, question.query, fixed);
      if (question !== undefined && fixed !== undefined && replied !== undefined) {
        c.set('answeredBy', CONCIERGE);
        keepReply(
          c,
          { keepAnswers, now },
          { question, reply: fixed.response, workspace, isStream },
        );
        return answerOrStream(c, async () => replied);
      }
      const keep = (context: OriginContext) =>
        keepAnswers && route && body
          ? keepForwarded(c, { keepAnswers, route, now }, { to, body, context, isStream })
          : undefined;
      const forwarding = {
        to,
        path,
        workspace,
        namedWorkspace,
        capabilities,
        budgets,
        body,
        keep,
      };
      return streams === true
        ? answerOrStream(c, (reporting) => forward(c, client, { ...forwarding, ...reporting }))
        : forward(c, client, { ...forwarding, signal: c.req.raw.signal });
    });
  };
  on('GET /v1/answers', createAnswerList({ client }));
  on('GET /v1/overview', createOverview({ client, keeps, log, now }));
  on('GET /v1/knowledge/stats', createKnowledgeStats({ client }));
  const options = forwardOptions(bodiesWithFacts({ ...parts, now }));
  const forwardOthers = (isFixed: (path: string) => boolean): void => {
    for (const name of FORWARDED)
      if (isFixed(name) && !answered.has(name)) forwardTo(name, options[name]);
  };
  // A path with a parameter would match them as well.
  forwardOthers((path) => !path.includes('{'));
  on('POST /v1/answers/{id}/feedback', createFeedback({ client, reportGaps }));
  on('POST /v1/answers/{id}/replay', createReplay({ client, asking, librarians, now }));
  on('GET /v1/answers/{id}', createAnswerReader({ client }));
  forwardOthers(() => true);

  app.get('*', (c, next) => (opensPage(c) ? consolePage(c, parts.assets) : next()));
  app.notFound((c) => faultResponse(c, noRoute(app, c), { log, now }));
  app.onError((error, c) => faultResponse(c, error, { log, now }));
  return app;
}

/** Notes whether a sync is to apply all deletions; the library checks the request. */
const syncOf = async (c: Context<GatewayEnv>): Promise<Uint8Array> => {
  const bytes = await jsonBytes(c);
  const request = readJson(bytes, SyncRequest, { whenEmpty: {} });
  c.set('isForced', request.ok && request.value.force === true);
  return bytes;
};

const accessOf = ({
  workspaces,
  capabilities,
  rate,
  authentication,
  expires_at,
}: ApiKey): CallerAccess => ({
  workspaces,
  capabilities,
  rate,
  authentication: authentication ?? 'key',
  ...(expires_at === undefined ? {} : { expires_at }),
});

/** Tells a client that was refused whose tokens are accepted (RFC 9728, section 5.1). */
const namesMetadata: MiddlewareHandler<GatewayEnv> = async (c, next) => {
  await next();
  if (c.res.status !== 401) return;
  const path = c.req.path === '/mcp' ? '/mcp' : '';
  const address = new URL(`/.well-known/oauth-protected-resource${path}`, c.req.url);
  c.res.headers.set(
    'WWW-Authenticate',
    `Bearer realm="constellation", resource_metadata="${address}"`,
  );
};

/** Metadata of this gateway as a protected resource (RFC 9728, section 2); for the path behind the well-known one, where it has one. */
const protectedResource = (
  c: Context<GatewayEnv>,
  tokens: Tokens | undefined,
): Response | Promise<Response> => {
  if (tokens === undefined) return c.notFound();
  const { origin } = new URL(c.req.url);
  return c.json({
    resource: `${origin}${pathOf(c).slice('/.well-known/oauth-protected-resource'.length)}`,
    authorization_servers: [...tokens.issuers],
    bearer_methods_supported: ['header'],
    resource_name: 'Constellation',
  } satisfies ProtectedResource);
};

const NOT_A_FILE = { 'Cache-Control': 'no-store' };

/** Errors of the host API have their own form: `{error, message, info}` (docs/contract.md#knowledge-host). */
const hostErrors: MiddlewareHandler<GatewayEnv> = async (c, next) => {
  await next();
  const { status } = c.res;
  if (status < 400) return;
  const { error: info } = ErrorBody.parse(await c.res.json());
  const body: HostErrorBody = { error: info.code, message: info.message, info };
  const headers = new Headers(c.res.headers);
  headers.delete('Content-Length');
  // Without this line Hono would keep the headers of the old body.
  c.res = undefined;
  c.res = Response.json(body, { status, headers });
};

/** Retrieval never fails: a body that cannot be read, or a function that does not answer, is the documented block with its reason. */
const retrievalFailures: MiddlewareHandler<GatewayEnv> = async (c, next) => {
  await next();
  const isInvalid = c.get('outcome') === 'INVALID_QUERY';
  if (c.req.method !== 'POST' || !(isInvalid || c.res.status >= 500) || c.res.status < 400) return;
  const { error } = ErrorBody.parse(await c.res.json());
  const why = isInvalid ? 'invalid_query' : error.code === 'TIMEOUT' ? 'timeout' : 'unavailable';
  c.res = undefined;
  c.res = Response.json(
    unavailableRetrieval(why, isInvalid ? error.message.slice(0, 1000) : undefined),
  );
};

/** Health with the state of the key directory, which fails everything when it expires, of the connections to helpdesks and of the disk. */
const withParts = (
  health: Healthz,
  {
    directory,
    now,
    helpdesks,
    isFull,
  }: { directory: KeyDirectory; now: number; helpdesks: Healthz['helpdesks']; isFull: boolean },
): Healthz => {
  const { sequence, expiresAtMs } = directory;
  const isDegraded =
    expiresAtMs - now < EXPIRY_WARNING_MS || (helpdesks?.misconfigured.length ?? 0) > 0 || isFull;
  return {
    ...health,
    status: isDegraded ? 'degraded' : health.status,
    directory: { sequence, expires_at: new Date(expiresAtMs).toISOString() },
    ...(helpdesks && { helpdesks }),
    ...(isFull && { storage: 'full' as const }),
  };
};

const HEALTH_MS = 1000;

/** As the webhooks function reports them; undefined when there is none, or it does not answer. */
const helpdesksOf = async (webhooks: Target | undefined): Promise<Healthz['helpdesks']> => {
  if (webhooks === undefined) return undefined;
  try {
    const request = new Request('https://webhooks/healthz');
    const response = await waitAtMost(webhooks.fetch(request), HEALTH_MS, undefined);
    return Healthz.parse(await response?.json()).helpdesks;
  } catch {
    return undefined;
  }
};

interface ForwardOptions {
  /** Reads the body and completes it; as it was sent when absent. */
  bodyOf?: (c: Context<GatewayEnv>, workspace: string, maxBytes?: number) => Promise<Uint8Array>;
  /** How its reply is kept as an answer; it is not when absent. */
  route?: KeptRoute;
  /** Form of a reply to a message that reports danger or asks nothing, which the function is then not asked about. */
  form?: ReplyForm;
}

/** What a function answers at the same path. Fixed parts of a path go before parameters, which would match them. */
const FORWARDED = namesWhere((route) => route.function !== undefined).toSorted(
  (one, other) => one.split('{').length - other.split('{').length,
);

/** What the gateway itself does with a route that a function answers. */
const forwardOptions = (
  withFacts: ReturnType<typeof bodiesWithFacts>,
): Partial<Record<RouteName, ForwardOptions>> => {
  const bodyOf = withFacts({ schema: AgentRequest, textOf: ({ query }) => query });
  return {
    'POST /v1/navigate': { route: NAVIGATE, form: asNavigator },
    'POST /v1/agents/analytics': { route: AGENT, form: asAgent('analytics') },
    'POST /v1/agents/semantic': { bodyOf, route: AGENT, form: asAgent('semantic') },
    'POST /v1/agents/web_search': { route: AGENT, form: asAgent('web_search') },
    'POST /v1/agents/hybrid': { bodyOf, route: AGENT, form: asAgent('hybrid') },
    'POST /v1/support/analyze': {
      bodyOf: withFacts({ schema: SupportRequest, textOf: questionOfTicket }),
      route: TICKET,
    },
    'POST /v1/support/requests': { bodyOf: handoverOf },
    'POST /v1/sync': { bodyOf: syncOf },
  };
};

/** The request of a visitor with a hash of the address that sent it, by which the function counts. */
const handoverOf = async (
  c: Context<GatewayEnv>,
  workspace: string,
  maxBytes?: number,
): Promise<Uint8Array> => {
  const request = readJson(await jsonBytes(c, maxBytes), HandoverRequest);
  if (!request.ok)
    throw new GatewayError('INVALID_QUERY', {
      message: request.problem,
      suggestion: request.suggestion,
    });
  const address = c.req.header('CF-Connecting-IP');
  const sender = address === undefined ? undefined : await sha256(utf8(`${workspace} ${address}`));
  return utf8(JSON.stringify({ request: request.value, sender }));
};

/** Credentials of a caller. They are not forwarded; behind the gateway only signed contexts count. */
const CREDENTIALS = ['Authorization', 'Cookie'];

/** Forwards body and headers without credentials: the librarian checks the context itself. */
const passOn = async (
  c: Context<GatewayEnv>,
  {
    functions,
    ...parts
  }: Pick<GatewayParts, 'functions' | 'limits' | 'directory'> & { now: number },
): Promise<Response> => {
  await limitLibrarians(
    { address: c.req.header('CF-Connecting-IP'), token: c.req.header(CONTEXT_HEADER) },
    parts,
  );
  const id = LibrarianId.safeParse(c.req.param('id'));
  const target = id.success && Object.hasOwn(functions, id.data) ? functions[id.data] : undefined;
  if (target === undefined) {
    throw new GatewayError('NOT_FOUND', {
      message: 'Cannot ask this librarian: there is none of that id',
      suggestion: 'GET /v1/librarians lists those that there are',
    });
  }
  c.set('answeredBy', id.data);
  const [, , , action] = pathOf(c).split('/');
  if (action === undefined) demandMethod(c, ['GET', 'HEAD']);
  if (action === 'ask') demandMethod(c, ['POST']);
  const request = new Request(c.req.raw);
  for (const name of CREDENTIALS) request.headers.delete(name);
  const response = await target.fetch(request);
  return new Response(response.body, response);
};

const handOn = async (c: Context<GatewayEnv>, webhooks: Target | undefined): Promise<Response> => {
  if (webhooks === undefined) return c.notFound();
  c.set('answeredBy', 'webhooks');
  const response = await webhooks.fetch(new Request(c.req.raw));
  return new Response(response.body, response);
};

/**
 * Refuses other host names (DNS rebinding: a page whose name resolves to 127.0.0.1 is of the same origin). Calls between librarians, which no
 * page can sign, may come under any name; a tunnel for a helpdesk has to send `Host: localhost`.
 */
export const loopbackOnly: MiddlewareHandler<GatewayEnv> = async (c, next) => {
  const { hostname } = new URL(c.req.url);
  const isSigned = c.req.path.startsWith('/librarians/');
  if (isSigned || LOOPBACK.has(hostname) || hostname.endsWith('.localhost')) return next();
  throw new GatewayError('INVALID_QUERY', {
    message: `Cannot answer for the host name ${hostname.slice(0, 100)}: a local gateway answers for loopback names only`,
    suggestion: 'Use http://127.0.0.1 or http://localhost with its port',
  });
};

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** For an API that only programs read: no framing, sniffing, embedding or scripts. */
const HEADERS = {
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};

/**
 * Any header may be sent: clients add their own, and only `Authorization` means anything here. A publishable key decides itself which
 * pages it answers, so any page may try one, and read why it was refused.
 */
const corsFor = (origins: readonly string[]) =>
  cors({
    origin: (origin, c) => {
      if (origins.includes('*')) return '*';
      return origins.includes(origin) || mayBePublishable(c) ? origin : undefined;
    },
    allowMethods: ['GET', 'POST', 'PUT', 'DELETE'],
    exposeHeaders: ['X-Request-Id', 'Retry-After', 'Link'],
    maxAge: 600,
  });

/** A request with a publishable key, or the browser asking ahead (Fetch standard, CORS-preflight) whether one may be sent. */
const mayBePublishable = (c: Context): boolean =>
  c.req.method === 'OPTIONS'
    ? isPublishable(c.req.header('Access-Control-Request-Method') ?? '', c.req.path)
    : c.req.header('Authorization')?.startsWith(`Bearer ${PUBLISHABLE_PREFIX}`) === true;
