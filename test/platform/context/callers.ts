import { identityFrom } from '../../../src/platform/context/identity.ts';
import { signLink } from '../../../src/platform/context/link-claims.ts';
import { type OriginContext, originate } from '../../../src/platform/context/request-context.ts';
import { signedClient, type Target } from '../../../src/platform/context/signed-client.ts';
import { utf8 } from '../../../src/platform/encoding.ts';
import type { LogLine } from '../../../src/platform/log.ts';

type SignedRequest = Parameters<ReturnType<typeof signedClient>['call']>[1];

type Origin = Parameters<typeof originate>[0];

/** Anything that answers requests in memory: a Hono app. */
export interface App {
  fetch(request: Request): Response | Promise<Response>;
}

export function identityOf(id: string) {
  return identityFrom({ ENVIRONMENT: 'development' }, id);
}

/** Collects log lines instead of printing them. */
export function notebook() {
  const lines: LogLine[] = [];
  return {
    lines,
    log: (line: LogLine) => void lines.push(line),
    text: () => JSON.stringify(lines),
  };
}

/** A target that passes requests to an app, records them, and may tamper with the answers. */
export function targetOf(
  app: App,
  tamper: (response: Response) => Response | Promise<Response> = (response) => response,
) {
  const requests: Request[] = [];
  const target: Target = {
    fetch: async (request) => {
      requests.push(request.clone());
      return tamper(await app.fetch(request));
    },
  };
  return { target, requests };
}

/** A user's context that the gateway originates. */
export function userContext(known: Partial<Origin> = {}): OriginContext {
  return originate({
    self: 'gateway',
    subject: 'user:u_secret',
    workspace: 'default',
    authentication: 'key',
    capabilities: ['kb:read'],
    budgets: { tokens: 100_000 },
    now: Date.now(),
    ...known,
  });
}

/** A request that the gateway has signed. */
export async function signedRequest(
  to: string,
  method: string,
  path: string,
  { body = '', context = userContext() } = {},
) {
  const { signer } = await identityOf('gateway');
  const call = { signer, aud: to, op: `${method} ${path}`, body: utf8(body), now: Date.now() };
  const { token } = await signLink(context, call);
  const headers = { 'Context-Token': token, 'Content-Type': 'application/json' };
  return new Request(`http://${to}${path}`, { method, headers, ...(body === '' ? {} : { body }) });
}

/** The gateway calls one librarian. */
export async function callFrom(
  id: string,
  context: Parameters<ReturnType<typeof signedClient>['call']>[0],
  { targets, request }: { targets: Record<string, Target>; request: SignedRequest },
) {
  const { log, lines } = notebook();
  const answer = await signedClient({ ...(await identityOf(id)), targets, log }).call(
    context,
    request,
  );
  return { answer, lines };
}

/** Asks over `POST /librarians/{to}/ask` as the gateway, and returns the reply. */
export async function ask(
  to: string,
  app: App,
  {
    query = 'Where is the key?',
    metadata,
    context = userContext(),
    timeoutMs,
  }: { query?: unknown; metadata?: unknown; context?: OriginContext; timeoutMs?: number } = {},
) {
  const { target, requests } = targetOf(app);
  const body = { query, ...(metadata === undefined ? {} : { metadata }) };
  const request = { to, path: `/librarians/${to}/ask`, body, timeoutMs };
  const { answer } = await callFrom('gateway', context, { targets: { [to]: target }, request });
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came back
  const reply: any = answer.ok ? answer.json() : undefined;
  return { answer, reply, requests, status: answer.ok ? answer.status : undefined };
}
