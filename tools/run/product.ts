import { resolve } from 'node:path';
import type { Miniflare } from 'miniflare';
import * as z from 'zod';
import {
  type AdapterVariables,
  adapterSettings,
  languageSettings,
  readAdapters,
  readQuestionLimits,
} from '../../src/ai/adapters/settings.ts';
import { ErrorInfo } from '../../src/contract/core/error-info.ts';
import { SyncAccepted, SyncStatus } from '../../src/contract/wire/sync.ts';
import type { FolderOptions } from '../../src/documents/node/folder/scan-folder.ts';
import {
  type ApiKeyRecord,
  hashApiKey,
  PUBLISHABLE_PREFIX,
} from '../../src/gateway/access/api-keys.ts';
import type { DirectoryEntry } from '../../src/platform/context/key-directory.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { ADMINISTRATOR, newApiKey } from '../new-api-key.ts';
import { SAMPLE_KNOWLEDGE_BASE, SAMPLE_TAXONOMY } from '../sample/files.ts';
import { seedShop } from '../sample/shop/seed-shop.ts';
import { storeCatalogue } from '../sample/shop/shop-catalogue.ts';
import { type FolderKb, serveFolder } from './folder-kb.ts';
import { type LocalCloud, type LocalCloudOptions, startLocalCloud } from './local-cloud.ts';
import { type LocalWebSearch, serveLocalWebSearch } from './local-web-search.ts';
import { seedTaxonomy } from './seed-taxonomy.ts';
import { type StartOptions, siteVariables } from './start-options.ts';

export interface ProductOptions {
  kb: StartOptions['kb'];
  /** 0 picks a free one. */
  port: number;
  state?: string | undefined;
  /** 16 to 200 visible ASCII characters; a random one when absent. */
  key?: string | undefined;
  moreWorkers?: LocalCloudOptions['moreWorkers'];
  moreServices?: LocalCloudOptions['moreServices'];
  mains?: LocalCloudOptions['mains'];
  functions?: LocalCloudOptions['functions'];
  /** Text variables of all functions. */
  allVars?: Record<string, string> | undefined;
  /** Partner librarians by id, as entries of a key directory: keys, host (`127.0.0.1:9000`), rights. */
  partners?: Readonly<Record<string, DirectoryEntry>> | undefined;
  /** Partners that questions may be routed to. */
  routedPartners?: readonly string[] | undefined;
  /** `local`: a web of invented shops on this machine, with the sample knowledge base only. Otherwise the variables of a provider (docs/web-search.md). */
  webSearch?: 'local' | Record<string, string> | undefined;
  /** A JSON file: the intents of the default workspace. Absent: those of the sample knowledge base with it, none without. */
  taxonomy?: string | undefined;
  /** Variables of the webhooks function: HELPDESKS, and the secrets that it names. */
  helpdesks?: Record<string, string> | undefined;
  /** Which adapters run: variables of docs/configuration.md; the embedded ones when absent. */
  adapters?: AdapterVariables | undefined;
  /** Beside the host of `kb`. */
  privateHosts?: LocalCloudOptions['privateHosts'];
  workersAI?: LocalCloudOptions['workersAI'];
  inspectorPort?: LocalCloudOptions['inspectorPort'];
  onLog?: (line: string) => void;
  onDatabaseRestart?: LocalCloudOptions['onDatabaseRestart'];
}

/** All functions on this machine, with a knowledge base to sync from and a key that may do everything. */
export interface Product {
  url: URL;
  key: string;
  miniflare: Miniflare;
  databases: LocalCloud['databases'];
  /** The folder that the knowledge base is read from, when it is one. */
  folder: string | undefined;
  /** Sends a request with the key. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** A publishable key for pages of these origins; the same one at every start with the same key. */
  publish(origins: string[]): Promise<string>;
  /** Starts a sync, waits for its end, and returns the status then. */
  sync(
    request: { full?: boolean; force?: boolean },
    onProgress?: (status: SyncStatus) => void,
  ): Promise<SyncStatus>;
  stop(): Promise<void>;
}

const POLL_MS = 100;

export async function startProduct(options: ProductOptions): Promise<Product> {
  const key = options.key ?? newApiKey();
  const gateway = { url: '' };
  const folder = folderOf(options.kb);
  // The address is known only once the gateway listens; articles are listed later than that.
  const served =
    folder === undefined
      ? undefined
      : await serveFolder(folder, (id) => articleUrl(gateway.url, id), folderOptionsOf(options.kb));
  const isSample = options.kb === 'sample';
  const web = options.webSearch === 'local' && isSample ? await serveLocalWebSearch() : undefined;
  const library = kbVars(options, served);
  const cloud = await startLocalCloud({
    ...options,
    privateHosts: [options.privateHosts, library.KB_ALLOWED_HOSTS].filter(Boolean).join(','),
    vars: {
      'constellation-library': library,
      'constellation-web-search': webVars(options, web),
      'constellation-sources':
        typeof options.kb === 'object' && 'site' in options.kb
          ? siteVariables(options.kb.site)
          : {},
      'constellation-webhooks': options.helpdesks ?? {},
      'constellation-gateway': {
        ROUTED_PARTNERS: (options.routedPartners ?? []).join(','),
        PUBLIC_WORKSPACE: 'default',
        HANDOVER: options.helpdesks?.HANDOVER ?? '',
      },
    },
    // The sample shop belongs to the sample knowledge base.
    withoutBindings: isSample
      ? {}
      : { 'constellation-analytics': ['SHOP_DB'], 'constellation-web-search': ['SHOP_DB'] },
    allVars: {
      ...adapterVars(options.adapters),
      ...options.allVars,
      ...(options.partners === undefined
        ? {}
        : { CONTEXT_PARTNERS: JSON.stringify(options.partners) }),
    },
  });
  gateway.url = cloud.url.origin;
  await storeKey(cloud.miniflare, key, OWNER);
  const runs = (id: string) => options.functions?.includes(id) !== false;
  const taxonomy = options.taxonomy ?? { unlessKept: isSample ? SAMPLE_TAXONOMY : undefined };
  if (runs('support')) await seedTaxonomy(cloud.miniflare, taxonomy);
  if (isSample && runs('analytics')) await seedSampleShop(cloud);
  const send: Product['fetch'] = (path, init = {}) =>
    fetch(new URL(path, cloud.url), {
      ...init,
      headers: {
        'content-type': 'application/json',
        ...Object.fromEntries(new Headers(init.headers)),
        authorization: `Bearer ${key}`,
      },
    });
  return {
    url: cloud.url,
    key,
    miniflare: cloud.miniflare,
    databases: cloud.databases,
    folder,
    fetch: send,
    publish: async (origins) => {
      const published = `${PUBLISHABLE_PREFIX}${await hashApiKey(`publishable ${key}`)}`;
      await storeKey(cloud.miniflare, published, { ...OWNER, name: 'web pages', origins });
      return published;
    },
    sync: (request, onProgress) => syncAndWait(send, request, onProgress),
    stop: async () => {
      await cloud.stop();
      await served?.close();
      await web?.close();
    },
  };
}

/** Checked before anything starts, so that the error names a wrong variable. */
const adapterVars = (variables: AdapterVariables = {}): Record<string, string> => {
  const local = { ...variables, ENVIRONMENT: 'development' };
  readQuestionLimits(local, readAdapters(local));
  readSettings(languageSettings, local);
  const names = Object.keys(adapterSettings) as (keyof typeof adapterSettings)[];
  return Object.fromEntries(
    names.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])),
  );
};

const OWNER: ApiKeyRecord = {
  name: 'owner of this machine',
  workspaces: ['default'],
  ...ADMINISTRATOR,
  rate: 'unlimited',
};

/** The id of its database in the configuration of the analytics function. */
const SHOP = 'constellation-shop';

const seedSampleShop = async ({ databases }: LocalCloud): Promise<void> => {
  if (databases === undefined)
    throw new Error('Cannot fill the sample shop: no function has a database');
  const database = await databases.database(SHOP);
  await seedShop(database);
  await storeCatalogue(database);
};

const storeKey = async (miniflare: Miniflare, key: string, record: ApiKeyRecord): Promise<void> => {
  const keys = await miniflare.getKVNamespace('API_KEYS', 'constellation-gateway');
  await keys.put(await hashApiKey(key), JSON.stringify(record));
};

const folderOf = (kb: StartOptions['kb']): string | undefined => {
  if (kb === 'sample') return SAMPLE_KNOWLEDGE_BASE;
  return 'folder' in kb ? resolve(kb.folder) : undefined;
};

const folderOptionsOf = (kb: ProductOptions['kb']): FolderOptions =>
  typeof kb === 'object' && 'folder' in kb ? kb : {};

const kbVars = (
  { kb, port }: ProductOptions,
  served: FolderKb | undefined,
): Record<string, string> => {
  const publicUrl = port === 0 ? {} : { PUBLIC_URL: `http://127.0.0.1:${port}` };
  if (typeof kb === 'object' && 'site' in kb) return { KB_URL: 'sources', ...publicUrl };
  const url = served?.url ?? (typeof kb === 'object' && 'url' in kb ? kb.url : '');
  return { KB_URL: url, KB_ALLOWED_HOSTS: new URL(url).host, ...publicUrl };
};

const webVars = (
  { webSearch = {} }: ProductOptions,
  web: LocalWebSearch | undefined,
): Record<string, string> => {
  if (web !== undefined) return { SERPAPI_URL: web.url, SERPAPI_KEY: 'local' };
  return webSearch === 'local' ? {} : webSearch;
};

const articleUrl = (origin: string, id: string): string =>
  `${origin}/kb/${id.split('/').map(encodeURIComponent).join('/')}`;

const syncAndWait = async (
  send: Product['fetch'],
  request: { full?: boolean; force?: boolean },
  onProgress: (status: SyncStatus) => void = () => {},
): Promise<SyncStatus> => {
  for (;;) {
    const response = await send('/v1/sync', { method: 'POST', body: JSON.stringify(request) });
    if (!response.ok) throw new Error(`Cannot start the sync: ${await problemOf(response)}`);
    const { started } = SyncAccepted.parse(await response.json());
    const ended = await untilIdle(send, onProgress);
    // A sync that ran already may have read the knowledge base before the change that this call is for.
    if (started) return ended;
  }
};

const untilIdle = async (
  send: Product['fetch'],
  onProgress: (status: SyncStatus) => void,
): Promise<SyncStatus> => {
  for (;;) {
    const response = await send('/v1/sync');
    if (!response.ok) throw new Error(`Cannot read the sync's state: ${await problemOf(response)}`);
    const status = SyncStatus.parse(await response.json());
    if (status.state === 'idle') return status;
    onProgress(status);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
};

/** What an error of the product says, with what to do. */
const problemOf = async (response: Response): Promise<string> => {
  const text = await response.text();
  try {
    const { message, suggestion = '' } = z
      .object({ error: ErrorInfo })
      .parse(JSON.parse(text)).error;
    return `${message}. ${suggestion}`;
  } catch {
    return `status is ${response.status}, ${text}`;
  }
};
