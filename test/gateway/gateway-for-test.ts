import type { KVNamespace } from '@cloudflare/workers-types';
import { type Context, Hono } from 'hono';
import { HTTP_STATUS } from '../../src/contract/core/error-info.ts';
import type {
  AIClient,
  Context as AskedContext,
  LibrarianInfo,
} from '../../src/contract/core/librarian.ts';
import { LibrarianResponse } from '../../src/contract/core/response.ts';
import { type ApiKeyRecord, hashApiKey, kvApiKeys } from '../../src/gateway/access/api-keys.ts';
import { createApp } from '../../src/gateway/app.ts';
import { createLibrarians } from '../../src/librarians/delegation/librarian-directory.ts';
import { serveLibrarian } from '../../src/librarians/serve/serve-librarian.ts';
import { contextGuard, type GuardedEnv } from '../../src/platform/context/context-guard.ts';
import { type Identity, localDirectory, localSigner } from '../../src/platform/context/identity.ts';
import { LOCAL_LIBRARIANS } from '../../src/platform/context/internal-librarians.ts';
import type { DirectoryEntry } from '../../src/platform/context/key-directory.ts';
import { originate } from '../../src/platform/context/request-context.ts';
import { signedClient, type Target } from '../../src/platform/context/signed-client.ts';
import { memoryApp } from '../memory/memory-for-test.ts';
import { embeddedStore } from '../memory/store/memory-stores.ts';
import { identityOf, notebook } from '../platform/context/callers.ts';

type ServedLibrarian = Parameters<typeof serveLibrarian>[0];

type GatewayParts = Parameters<typeof createApp>[0];

export const READER = 'ck_reader_0123456789abcdef';
const RECORD: ApiKeyRecord = {
  name: 'test',
  workspaces: ['acme', 'globex'],
  capabilities: ['kb:read'],
  rate: 'standard',
};

/** The id of an API key. */
export async function idOf(secret: string): Promise<string> {
  return (await hashApiKey(secret)).slice(0, 16);
}

/** A KV namespace in memory with the records of these keys; a string is stored as it is. */
export async function keyStore(
  keys: Record<string, Partial<ApiKeyRecord> | string>,
): Promise<KVNamespace> {
  const stored = new Map<string, string>();
  for (const [secret, record] of Object.entries(keys)) {
    const text = typeof record === 'string' ? record : JSON.stringify({ ...RECORD, ...record });
    stored.set(await hashApiKey(secret), text);
  }
  // Only `get` is used.
  return { get: async (name: string) => stored.get(name) ?? null } as unknown as KVNamespace;
}

/** A function that accepts signed calls only. */
export async function functionFor(
  self: string,
  answer: (c: Context<GuardedEnv>) => Response | Promise<Response>,
): Promise<Target> {
  const guard = contextGuard({ ...(await identityOf(self)), access: 'signed', log: () => {} });
  const app = new Hono<GuardedEnv>().use(guard).all('*', answer);
  return { fetch: async (request) => app.fetch(request) };
}

/** Identities by a directory that has further librarians. */
export function identitiesWith(more: Record<string, Omit<DirectoryEntry, 'keys'>>) {
  const directory = localDirectory({ ...LOCAL_LIBRARIANS, ...more });
  return async (self: string) => ({
    self,
    directory: await directory,
    signer: await localSigner(self),
  });
}

/** The memory function with an empty store. */
export async function memoryFunction(identity: Identity): Promise<Target> {
  const { store } = await embeddedStore();
  const app = await memoryApp({ store, guard: { ...identity, log: () => {} } });
  return { fetch: async (request) => app.request(request) };
}

interface MemoryCall {
  self?: string;
  subject?: string;
  workspace?: string;
  /** Below the memories of the workspace. */
  path?: string;
  capability?: string;
  audiences?: string[];
}
type IdentityOf = (id: string) => Promise<Identity>;

/** Calls of the memory function in the name of a user; without a body they read. */
export function memoryCaller(memory: Target, identity: IdentityOf) {
  return async (
    body: object | undefined,
    {
      self = 'gateway',
      workspace = 'acme',
      path = '',
      capability = 'memory:write',
      ...as
    }: MemoryCall = {},
  ) => {
    const user = {
      subject: 'user:eve',
      workspace,
      authentication: 'key',
      capabilities: [capability],
      ...as,
    };
    const client = signedClient({ ...(await identity(self)), targets: { memory }, log: () => {} });
    const answer = await client.call(
      originate({ self, ...user, timeoutMs: 5000, now: Date.now() }),
      {
        to: 'memory',
        path: `/v1/workspaces/${workspace}/memories${path}`,
        body: body && JSON.stringify(body),
      },
    );
    return {
      status: answer.ok ? answer.status : HTTP_STATUS[answer.error.code],
      text: answer.ok ? JSON.stringify(answer.json()) : '',
    };
  };
}

interface Options extends Partial<Omit<GatewayParts, 'keys' | 'limits'>> {
  /** Served under their ids; the others of `infos` answer with their ids. */
  librarianOf?: Record<string, ServedLibrarian>;
  infos?: readonly LibrarianInfo[];
  /** Ids of the internal librarians; all when absent. */
  own?: readonly string[];
  /** The model of the librarians. */
  librarianAi?: AIClient;
  keys?: Record<string, Partial<ApiKeyRecord> | string>;
  /** Changes the reply of a librarian. */
  onReply?: (reply: Response) => Response;
  identity?: IdentityOf;
}

/** One question as a librarian received it. */
interface Asked {
  id: string;
  query: string;
  context: AskedContext | undefined;
}

/** The gateway with a real signed client in front of real librarians; only the stores are in memory. */
export async function startGateway({
  librarianOf = {},
  infos = [{ id: 'navigator', name: 'Navigator', capabilities: ['kb:read'] }],
  own = infos.map(({ id }) => id),
  librarianAi,
  keys = { [READER]: {} },
  onReply = (reply) => reply,
  identity = identityOf,
  functions = {},
  ...parts
}: Options = {}) {
  const asked: Asked[] = [];
  const { lines, log } = notebook();
  const served: Record<string, Target> = {};
  for (const info of infos) {
    const { id } = info;
    const says: ServedLibrarian = async () => ({
      answer: id,
      confidence: 0.9,
      sources: [{ name: `Source of ${id}` }],
    });
    const librarian = librarianOf[id] ?? says;
    const recorded: ServedLibrarian = {
      forRequest: (scope) => async (query, context) => {
        asked.push({ id, query, context });
        return (typeof librarian === 'function' ? librarian : librarian.forRequest(scope))(
          query,
          context,
        );
      },
    };
    const app = serveLibrarian(recorded, info, {
      ...(await identity(id)),
      ai: librarianAi,
      log: () => {},
    });
    served[id] = { fetch: async (request) => onReply(await app.fetch(request)) };
  }
  const targets = { ...served, ...functions };
  /** Keys of the rate limiter that are over their limit. */
  const limited = new Set<string>();
  const limiter = { limit: async ({ key }: { key: string }) => ({ success: !limited.has(key) }) };
  const self = await identity('gateway');
  const app = createApp({
    keys: kvApiKeys(await keyStore(keys)),
    limits: { standard: limiter, high: limiter, anonymous: limiter },
    client: signedClient({ ...self, targets, log }),
    ...self,
    functions: targets,
    librarians: createLibrarians({ targets: served, own: [...own] }),
    corsOrigins: ['https://desk.example.com'],
    health: { status: 'ok', adapters: { knowledge: 'embedded' } },
    log,
    ...parts,
  });
  const send = (
    path: string,
    body?: unknown,
    {
      key = READER,
      method = body === undefined ? 'GET' : 'POST',
      ...headers
    }: Record<string, string> = {},
  ) =>
    app.request(path, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'cf-connecting-ip': '192.0.2.1',
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const ask = async (body: object) => {
    const reply = await replyOf(
      send('/v1/ask', { include: ['statements', 'navigator', 'trace'], ...body }),
    );
    return { ...reply, body: LibrarianResponse.parse(reply.body) };
  };
  return { app, asked, lines, limited, send, ask };
}

/** A response with its JSON. */
export async function replyOf(response: Response | Promise<Response>) {
  const { status, headers } = await response;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came back
  const body: any = await (await response).json();
  return { status, headers, body };
}
