import { RpcTarget } from 'cloudflare:workers';
import { adapterHealth, chatModelOf } from '../../src/ai/adapters/models.ts';
import { readModels, readQuestionLimits } from '../../src/ai/adapters/settings.ts';
import type { LibrarianResponse } from '../../src/contract/core/response.ts';
import type { A2aFunction } from '../../src/contract/wire/a2a.ts';
import type { GatewayCall } from '../../src/contract/wire/gateway-call.ts';
import { kvApiKeys } from '../../src/gateway/access/api-keys.ts';
import type { RateLimit } from '../../src/gateway/access/gateway-error.ts';
import { oidcTokens, readProviders } from '../../src/gateway/access/oidc.ts';
import { createApp } from '../../src/gateway/app.ts';
import { readPersonWays } from '../../src/gateway/ask/small-talk.ts';
import { diskOf } from '../../src/gateway/disk.ts';
import { readKeepAnswers } from '../../src/gateway/history/keep-answers.ts';
import { answerMcp } from '../../src/gateway/protocols/mcp/serve.ts';
import {
  createLibrarians,
  httpsTargets,
  serviceTargets,
} from '../../src/librarians/delegation/librarian-directory.ts';
import { identityFrom } from '../../src/platform/context/identity.ts';
import { signedClient } from '../../src/platform/context/signed-client.ts';
import { counterStoreOf, type MetricsBindings } from '../../src/platform/metrics.ts';
import type { ObjectNamespace } from '../../src/platform/rpc/remote-store.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import {
  isDevelopment,
  readSettings,
  type Variables,
} from '../../src/platform/settings/settings.ts';
import { gatewaySettings, type settings } from './settings.ts';

/** Every further service binding is a function, reachable under its id (`WEB_SEARCH` is `web-search`). */
interface Env extends Variables<typeof settings>, MetricsBindings {
  API_KEYS: KVNamespace;
  RATE_STANDARD: RateLimit;
  RATE_HIGH: RateLimit;
  RATE_STRANGER: RateLimit;
  ASSETS: Fetcher;
  A2A: Pick<A2aFunction, 'card'>;
  A2A_TASKS: ObjectNamespace<Omit<A2aFunction, 'card'>>;
  /** Bound by the local runner. */
  LOCAL_DISK?: Fetcher;
}

/** Functions that answer no questions. */
const NO_LIBRARIANS = new Set(['library', 'webhooks', 'memory', 'support']);

const fetch = serveApp('gateway', async (env: Env) => {
  const isLocal = isDevelopment(env);
  const values = readSettings(gatewaySettings, env);
  const models = readModels(env);
  const limits = readQuestionLimits(env, models);
  const identity = await identityFrom(env, 'gateway');
  const { ASSETS: assets, A2A: agent, A2A_TASKS: tasks, LOCAL_DISK: disk, ...services } = env;
  const functions = serviceTargets(services);
  const partners = httpsTargets(identity.directory);
  const providers = readProviders(env);
  const librarians = Object.fromEntries(
    Object.entries(functions).filter(([id]) => !NO_LIBRARIANS.has(id)),
  );
  return createApp({
    keys: kvApiKeys(env.API_KEYS),
    providers,
    tokens: providers.length === 0 ? undefined : oidcTokens(providers),
    limits: { standard: env.RATE_STANDARD, high: env.RATE_HIGH, anonymous: env.RATE_STRANGER },
    client: signedClient({ ...identity, targets: { ...partners, ...functions } }),
    directory: identity.directory,
    functions,
    mcp: answerMcp,
    a2a: { card: (deployment) => agent.card(deployment), ...tasksIn(tasks) },
    signer: identity.signer,
    librarians: createLibrarians({
      targets: { ...partners, ...librarians },
      own: Object.keys(librarians),
      routed: values.ROUTED_PARTNERS,
    }),
    ...chatModelOf(models),
    ...limits,
    personWays: readPersonWays(env),
    keepsAnswers: readKeepAnswers(env),
    isLocal,
    assets,
    publicWorkspace: values.PUBLIC_WORKSPACE,
    corsOrigins: values.CORS_ORIGINS,
    panelOrigins: values.PANEL_ORIGINS,
    health: { status: 'ok', adapters: adapterHealth(env, models) },
    diskIsFull: disk && diskOf({ fetch: (request) => disk.fetch(request) }),
    // A stub belongs to one request, so each request gets its own.
    counters: env.COUNTERS && { read: async () => (await counterStoreOf(env)?.read()) ?? {} },
  });
});

/** The tasks of each workspace, called without a function between: a task goes on when the request that began it has ended. */
const tasksIn = (
  objects: ObjectNamespace<Omit<A2aFunction, 'card'>>,
): Omit<A2aFunction, 'card'> => ({
  answer: (request, caller, call) =>
    objects.getByName(caller.workspace).answer(request, caller, new CallTarget(call)),
  erase: (workspace, about, owner) => objects.getByName(workspace).erase(workspace, about, owner),
});

/** What a task may call, as one object of remote procedure calls: each member by itself would be one more to hold and to release. */
class CallTarget extends RpcTarget implements GatewayCall {
  readonly #call: GatewayCall;

  constructor(call: GatewayCall) {
    super();
    this.#call = call;
  }

  route(request: Request): Promise<Response> {
    return this.#call.route(request);
  }

  ask(...asked: Parameters<GatewayCall['ask']>): Promise<LibrarianResponse> {
    return this.#call.ask(...asked);
  }

  stop(): Promise<void> {
    return this.#call.stop();
  }
}

export default {
  fetch,
} satisfies ExportedHandler<Env>;
