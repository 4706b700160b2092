import { LibrarianDirectory } from '../../src/contract/core/librarian.ts';
import { DelegationTrace, LibrarianResponse } from '../../src/contract/core/response.ts';
import { MemoryPage } from '../../src/contract/wire/memory.ts';
import { type ApiKeyRecord, hashApiKey } from '../../src/gateway/access/api-keys.ts';
import { type Product, type ProductOptions, startProduct } from '../../tools/run/product.ts';
import { quotingModel } from '../../tools/stand-ins/quoting-model.ts';
import { type LocalServices, startServices } from '../../tools/stand-ins/start-services.ts';

/** The product on its built-in stores and models. */
export function startEmbedded(options: Partial<ProductOptions> = {}): Promise<Product> {
  return startProduct({ kb: 'sample', port: 0, ...options });
}

/** Upstash Vector, Upstash Redis and an OpenAI-compatible model, by three variables; the model answers by quoting. */
export async function startOnServices(
  options: Partial<ProductOptions> = {},
  token?: string,
): Promise<{ product: Product; services: LocalServices; stop(): Promise<void> }> {
  const services = await startServices(token === undefined ? {} : { token });
  services.openai.answerWith(quotingModel);
  try {
    const adapters = { ...services.variables, ...options.adapters };
    const product = await startEmbedded({ ...options, adapters });
    const stop = async () => {
      await product.stop();
      await services.stop();
    };
    return { product, services, stop };
  } catch (error) {
    await services.stop();
    throw error;
  }
}

/** Sends a request, by default with the key of the owner; a string body is sent unchanged. */
export function send(
  { url, key }: Product,
  route: string,
  body?: unknown,
  as = key,
): Promise<Response> {
  const [method = 'GET', path = ''] = route.split(' ');
  return fetch(new URL(path, url), {
    method,
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** Registers a key with these rights in these workspaces. */
export async function grant(
  { miniflare }: Product,
  key: string,
  { capabilities, workspaces = ['default'], audiences, origins }: Partial<ApiKeyRecord>,
): Promise<void> {
  const keys = await miniflare.getKVNamespace('API_KEYS', 'constellation-gateway');
  const record = {
    name: key.slice(3, 9),
    workspaces,
    capabilities,
    audiences,
    rate: 'unlimited',
    origins,
  };
  await keys.put(await hashApiKey(key), JSON.stringify(record));
}

/** Sends a question to `/v1/ask`, for a reply with every detail. */
export async function ask(product: Product, query: string, more: object = {}) {
  const include = ['statements', 'navigator', 'trace'];
  const response = await send(product, 'POST /v1/ask', { query, include, ...more });
  const body: unknown = await response.json();
  const reply = LibrarianResponse.parse(body);
  const { hops } = DelegationTrace.parse(reply.metadata?.trace);
  return {
    status: response.status,
    id: response.headers.get('X-Request-Id') ?? '',
    body,
    reply,
    hops,
  };
}

export async function directoryOf(product: Product) {
  return LibrarianDirectory.parse(await (await send(product, 'GET /v1/librarians')).json())
    .librarians;
}

const MEMORIES = '/v1/workspaces/default/memories';

export async function memoriesOf(product: Product, conversation: string) {
  return MemoryPage.parse(
    await (await send(product, `GET ${MEMORIES}?conversation_id=${conversation}`)).json(),
  ).memories;
}
