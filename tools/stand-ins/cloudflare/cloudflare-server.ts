import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A function as wrangler uploaded it. */
interface UploadedScript {
  metadata: UploadMetadata;
  modules: { name: string; type: string; bytes: Uint8Array<ArrayBuffer> }[];
  secrets: Record<string, string>;
  crons: string[];
  workersDev: boolean;
  versions: number;
}

interface UploadMetadata {
  main_module: string;
  compatibility_date: string;
  compatibility_flags?: string[];
  bindings: { type: string; name: string; [field: string]: unknown }[];
  migrations?: { new_tag?: string; steps?: { new_sqlite_classes?: string[] }[] };
}

/** What an account holds. */
interface CloudflareAccount {
  id: string;
  subdomain: string;
  namespaces: { id: string; title: string; values: Map<string, string> }[];
  databases: { uuid: string; name: string }[];
  scripts: Map<string, UploadedScript>;
}

export interface CloudflareServer {
  /** For CLOUDFLARE_API_BASE_URL. */
  url: string;
  token: string;
  account: CloudflareAccount;
  /** Requests so far, oldest first: `POST /storage/kv/namespaces`, without the account. */
  calls: string[];
  /** Called before each request; what it returns is sent in place of the reply: status, code and message of an error. */
  refuse: (call: string) => [status: number, code: number, message: string] | undefined;
  stop(): Promise<void>;
}

const MAX_BODY_BYTES = 40 * 1024 * 1024;

interface Call {
  method: string;
  /** Below the account, decoded. */
  path: string[];
  query: URLSearchParams;
  body: Buffer<ArrayBuffer>;
  type: string;
}

class Refused extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** A local server that speaks as much of Cloudflare's REST API as wrangler needs to create what we use and to deploy. */
export async function startCloudflareServer(): Promise<CloudflareServer> {
  const account: CloudflareAccount = {
    id: randomBytes(16).toString('hex'),
    subdomain: 'example',
    namespaces: [],
    databases: [],
    scripts: new Map(),
  };
  const token = randomBytes(20).toString('hex');
  const calls: string[] = [];
  const standIn: Pick<CloudflareServer, 'refuse'> = { refuse: () => undefined };

  const answer = async (incoming: IncomingMessage): Promise<unknown> => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://local');
    const [, , , first = '', accountId = '', ...path] = pathname.split('/').map(decodeURIComponent);
    const body = await readBody(incoming);
    if (
      incoming.headers.authorization !== `Bearer ${token}` &&
      !pathname.includes('/assets/upload')
    )
      throw new Refused(403, 10000, 'Authentication error');
    const call = `${incoming.method} /${(first === 'accounts' ? path : [first, accountId, ...path]).join('/')}`;
    calls.push(call);
    const refused = standIn.refuse(call);
    if (refused !== undefined) throw new Refused(...refused);
    if (first !== 'accounts' || accountId !== account.id) return answerOutside(pathname, account);
    const type = incoming.headers['content-type'] ?? '';
    return answerCall(account, {
      method: incoming.method ?? 'GET',
      path,
      query: searchParams,
      body,
      type,
    });
  };

  const server = createServer((incoming, response) => {
    answer(incoming)
      .then((result) => {
        if (result instanceof Uint8Array || typeof result === 'string')
          return void response.writeHead(200).end(result);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({ success: true, errors: [], messages: [], ...pageOf(result, incoming) }),
        );
      })
      .catch((error: unknown) => {
        const { status, code, message } =
          error instanceof Refused ? error : new Refused(500, 10001, String(error));
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({
            success: false,
            errors: [{ code, message }],
            messages: [],
            result: null,
          }),
        );
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  return Object.assign(standIn, {
    url: `http://127.0.0.1:${port}/client/v4`,
    token,
    account,
    calls,
    stop: async () => {
      const closed = once(server, 'close');
      server.close().closeAllConnections();
      await closed;
    },
  });
}

const answerOutside = (pathname: string, { id }: CloudflareAccount): unknown => {
  if (pathname.endsWith('/accounts')) return [{ id, name: 'Example' }];
  if (pathname.endsWith('/memberships'))
    return [{ id, account: { id, name: 'Example' }, roles: [] }];
  if (pathname.endsWith('/user')) return { id: 'user', email: 'operator@example.com' };
  if (pathname.endsWith('/tokens/verify')) return { id: 'token', status: 'active' };
  throw new Refused(404, 7003, `Could not route to ${pathname}`);
};

const answerCall = (account: CloudflareAccount, call: Call): Promise<unknown> | unknown => {
  const [area, ...rest] = call.path;
  const inside = { ...call, path: rest };
  if (area === 'storage') return answerKv(account, { ...call, path: rest.slice(2) });
  if (area === 'd1') return answerD1(account, { ...call, path: rest.slice(1) });
  if (area === 'workers') return answerWorkers(account, inside);
  throw notFound(call);
};

const notFound = ({ method, path }: Call): Refused =>
  new Refused(404, 7003, `Could not route to ${method} ${path.join('/')}`);

const json = <T>({ body }: Call): T => JSON.parse(body.toString('utf8') || '{}') as T; // what wrangler sends

const answerKv = ({ namespaces }: CloudflareAccount, call: Call): unknown => {
  const { method, path } = call;
  const [id, part, key = ''] = path;
  if (id === undefined) {
    if (method === 'GET')
      return namespaces.map(({ id, title }) => ({ id, title, supports_url_encoding: true }));
    const { title } = json<{ title: string }>(call);
    if (namespaces.some((namespace) => namespace.title === title))
      throw new Refused(400, 10014, 'a namespace with this account ID and title already exists');
    const made = { id: randomBytes(16).toString('hex'), title, values: new Map<string, string>() };
    namespaces.push(made);
    return { id: made.id, title };
  }
  const namespace = namespaces.find((one) => one.id === id);
  if (namespace === undefined) throw new Refused(404, 10013, 'namespace not found');
  if (part !== 'values') throw notFound(call);
  if (method === 'PUT') {
    namespace.values.set(key, call.body.toString('utf8'));
    return {};
  }
  const value = namespace.values.get(key);
  if (value === undefined) throw new Refused(404, 10009, "get: 'key not found'");
  return value;
};

const answerD1 = ({ databases }: CloudflareAccount, call: Call): unknown => {
  const { method, path, query } = call;
  if (path.length > 0) throw notFound(call);
  if (method === 'GET') {
    const name = query.get('name');
    return databases.filter((one) => name === null || one.name === name);
  }
  const { name } = json<{ name: string }>(call);
  if (databases.some((one) => one.name === name))
    throw new Refused(400, 7502, `Database with name '${name}' already exists`);
  const made = { uuid: randomUUID(), name };
  databases.push(made);
  return made;
};

const answerWorkers = async (account: CloudflareAccount, call: Call): Promise<unknown> => {
  const { method, path } = call;
  const [kind, name = '', part, more] = path;
  const script = account.scripts.get(name);
  if (kind === 'subdomain') return { subdomain: account.subdomain };
  if (kind === 'services') {
    if (script === undefined) throw new Refused(404, 10090, 'workers.api.error.service_not_found');
    return {
      default_environment: { script: { id: name, tag: name, last_deployed_from: 'wrangler' } },
    };
  }
  if (kind === 'assets') return { jwt: 'done' };
  if (kind === 'workers' && script !== undefined)
    return { id: name, name, subdomain: subdomainOf(script) };
  if (kind !== 'scripts') throw notFound(call);
  if (part === 'assets-upload-session') return { jwt: 'done', buckets: [] };
  const isVersion = part === 'versions' && method === 'POST';
  if ((part === undefined && method === 'PUT') || isVersion) return upload(account, call);
  if (script === undefined)
    throw new Refused(404, 10007, 'This Worker does not exist on your account.');
  if (part === 'secrets')
    return Object.keys(script.secrets).map((one) => ({ name: one, type: 'secret_text' }));
  if (part === 'subdomain') {
    if (method === 'POST') script.workersDev = json<{ enabled: boolean }>(call).enabled;
    return subdomainOf(script);
  }
  if (part === 'schedules') {
    if (method === 'PUT') script.crons = json<{ cron: string }[]>(call).map(({ cron }) => cron);
    return { schedules: script.crons.map((cron) => ({ cron })) };
  }
  if (part === 'deployments') return { deployments: [deploymentOf(script, name)] };
  if (part === 'versions' && more !== undefined) return versionOf(script, name);
  if (part === 'settings' || part === 'script-settings')
    return { bindings: script.metadata.bindings };
  throw notFound(call);
};

const subdomainOf = ({ workersDev }: UploadedScript) => ({
  enabled: workersDev,
  previews_enabled: false,
});

const deploymentOf = ({ versions }: UploadedScript, name: string) => ({
  id: `${name}-${versions}`,
  source: 'wrangler',
  strategy: 'percentage',
  author_email: 'operator@example.com',
  created_on: '2026-01-01T00:00:00Z',
  annotations: {},
  versions: [{ version_id: `${name}-${versions}`, percentage: 100 }],
});

const versionOf = ({ versions, metadata }: UploadedScript, name: string) => ({
  id: `${name}-${versions}`,
  number: versions,
  metadata: { created_on: '2026-01-01T00:00:00Z' },
  resources: { bindings: metadata.bindings, script: {}, script_runtime: {} },
});

/** Stores an upload. A binding to a function or a namespace that does not exist is refused, as the platform does. */
const upload = async (account: CloudflareAccount, { path, body, type }: Call): Promise<unknown> => {
  const [, name = ''] = path;
  const form = await new Response(body, { headers: { 'content-type': type } }).formData();
  const metadata = JSON.parse(String(form.get('metadata'))) as UploadMetadata; // what wrangler sends
  refuseDangling(account, name, metadata);
  const files = [...form].flatMap(([part, value]) =>
    part === 'metadata' || typeof value === 'string' ? [] : [value],
  );
  const modules = await Promise.all(
    files.map(async (file) => ({
      name: file.name,
      type: file.type,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
  const old = account.scripts.get(name);
  const secrets = metadata.bindings.flatMap(({ type, name: secret, text }) =>
    type === 'secret_text' ? [[secret, String(text)] as const] : [],
  );
  account.scripts.set(name, {
    metadata,
    modules,
    crons: old?.crons ?? [],
    workersDev: old?.workersDev ?? false,
    secrets: { ...old?.secrets, ...Object.fromEntries(secrets) },
    versions: (old?.versions ?? 0) + 1,
  });
  const stored = account.scripts.get(name);
  if (stored === undefined) throw new Error('Cannot find what was just stored');
  const deployment_id = `${name}-${stored.versions}`;
  const isVersion = path[2] === 'versions';
  const upload = {
    etag: deployment_id,
    pipeline_hash: '',
    deployment_id,
    startup_time_ms: 1,
    has_preview: false,
  };
  return { ...versionOf(stored, name), ...upload, ...(isVersion ? {} : { id: name }) };
};

const refuseDangling = (
  account: CloudflareAccount,
  own: string,
  { bindings }: UploadMetadata,
): void => {
  for (const binding of bindings) {
    const { type, service, script_name, namespace_id, id, database_id } = binding;
    const called =
      type === 'service' ? service : type === 'durable_object_namespace' ? script_name : undefined;
    if (called !== undefined && called !== own && !account.scripts.has(String(called)))
      throw new Refused(
        400,
        10143,
        `Could not resolve binding '${binding.name}': ${String(called)} was not found`,
      );
    if (type === 'kv_namespace' && !account.namespaces.some((one) => one.id === namespace_id))
      throw new Refused(400, 10041, `KV namespace '${String(namespace_id)}' not found`);
    if (type === 'd1' && !account.databases.some(({ uuid }) => uuid === id || uuid === database_id))
      throw new Refused(
        400,
        10181,
        `D1 binding '${binding.name}' references a database that does not exist`,
      );
  }
};

/** A list is sent page by page; clients read on until a page is empty or the counts say that it was the last. */
const pageOf = (result: unknown, { url = '' }: IncomingMessage) => {
  if (!Array.isArray(result)) return { result };
  const { searchParams } = new URL(url, 'http://local');
  const [page, per_page] = [
    Number(searchParams.get('page') ?? 1),
    Number(searchParams.get('per_page') ?? 100),
  ];
  const shown: unknown[] = result.slice((page - 1) * per_page, page * per_page);
  const total_pages = Math.ceil(result.length / per_page);
  return {
    result: shown,
    result_info: { page, per_page, total_pages, count: shown.length, total_count: result.length },
  };
};

const readBody = async (incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Refused(413, 10027, 'The upload is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
