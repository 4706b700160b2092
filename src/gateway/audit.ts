import type { Context, MiddlewareHandler } from 'hono';
import { namesWhere, type RouteName, routeMatcher } from '../contract/routes/http-routes.ts';
import type { AuditEntry } from '../contract/wire/audit.ts';
import { waitUntilOf } from '../platform/concurrency.ts';
import { originate } from '../platform/context/request-context.ts';
import type { SignedClient } from '../platform/context/signed-client.ts';
import { type Log, logLine } from '../platform/log.ts';
import type { GatewayEnv } from './access/request-log.ts';

const ROUTES_OF_ACTS = namesWhere(({ isAudited }) => isAudited === true).map((name) => ({
  name,
  matches: routeMatcher([name]),
}));

/** Ids that name no person: those of articles, editions and answers. */
const NAMES_A_THING = /^\w+ \/(?:api\/kb|v1\/knowledge\/editions|v1\/answers)\//;

const KEEP_MS = 5000;

/** Notes acts of administration of authenticated callers, refused ones too, after their reply. No caller can write or change what is noted. */
export function auditActs({
  client,
  now,
  log = logLine,
}: {
  client: SignedClient;
  now: () => number;
  log?: Log | undefined;
}): MiddlewareHandler<GatewayEnv> {
  return async (c, next) => {
    const { method, path } = c.req;
    const act =
      method === 'GET' ? undefined : ROUTES_OF_ACTS.find(({ matches }) => matches(method, path));
    await next();
    if (act === undefined || c.get('apiKey') === undefined) return;
    const entry = entryOf(c, act.name, now());
    waitUntilOf(c)(note(entry, { client, log, now: now(), traceId: c.get('traceId') }));
  };
}

const entryOf = (c: Context<GatewayEnv>, action: RouteName, nowMs: number): AuditEntry => {
  const { id, name, workspaces, authentication = 'key' } = c.get('apiKey');
  const { pathname, searchParams } = new URL(c.req.url);
  const named =
    /^\/v1\/workspaces\/([^/]+)\//.exec(pathname)?.[1] ?? searchParams.get('workspace_id');
  const parameters = [...new Set(searchParams.keys())]
    .filter((name) => name !== 'workspace_id')
    .slice(0, 16);
  if (c.get('isForced') === true) parameters.push('force');
  const target = NAMES_A_THING.test(action) ? targetOf(action, pathname) : undefined;
  return {
    at: new Date(nowMs).toISOString(),
    by: `user:${id}`,
    name,
    authentication: authentication === 'oidc' ? 'oidc' : 'key',
    // What a key tried in a workspace that is not its own stands in its own.
    workspace: workspaces.find((each) => each === named) ?? workspaces[0],
    action,
    ...(target === undefined ? {} : { target }),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map((name) => name.slice(0, 64)) }),
    outcome: c.get('outcome') ?? (c.res.status < 400 ? 'ok' : String(c.res.status)),
    status: c.res.status,
    request_id: c.get('traceId'),
  };
};

/** What stands in the path in place of `{id}`. */
const targetOf = (action: RouteName, pathname: string): string | undefined => {
  const [before = '', after = ''] = (action.split(' ')[1] ?? '').split('{id}');
  if (!pathname.startsWith(before)) return undefined;
  const raw = pathname.slice(before.length, pathname.length - after.length);
  try {
    return decodeURIComponent(raw).slice(0, 500) || undefined;
  } catch {
    return undefined;
  }
};

const note = async (
  entry: AuditEntry,
  { client, log, now, traceId }: { client: SignedClient; log: Log; now: number; traceId: string },
): Promise<void> => {
  const context = originate({
    self: 'gateway',
    subject: entry.by,
    workspace: entry.workspace,
    audiences: [],
    traceId,
    now,
    authentication: entry.authentication,
    capabilities: ['audit:keep:write'],
    timeoutMs: KEEP_MS,
  });
  const reply = await client.call(context, { to: 'memory', path: '/v1/audit', body: entry });
  if (reply.ok && reply.status === 201) return;
  // The log has the act even then.
  const cause = `not noted: ${entry.action} by ${entry.by} in ${entry.workspace}, ${entry.outcome}`;
  const code = reply.ok ? 'INTERNAL_ERROR' : reply.error.code;
  log({
    event: 'fault',
    time: now,
    librarian: 'gateway',
    where: 'audit',
    code,
    trace_id: traceId,
    cause,
  });
};
