import * as z from 'zod';
import { parseJson } from '../../contract/core/json-object.ts';
import { type Identity, type IdentityVariables, identityFrom } from '../../platform/context/identity.ts';
import { CONTEXT_HEADER } from '../../platform/context/limits.ts';
import { mintContext } from '../../platform/context/link-claims.ts';
import { originate } from '../../platform/context/request-context.ts';
import type { Target } from '../../platform/context/signed-client.ts';
import { HostKbError } from './fetch-host-listing.ts';
import { hostKbClient, type LibrarySource } from './host-kb-client.ts';

/** The variables of the library function, and the secrets that its sources name. */
export interface LibraryVariables extends IdentityVariables {
  /** Reads the articles of helpdesk tools. */
  SOURCES?: Target | undefined;
  /** Host knowledge base of the workspace `default`: the address of `GET /api/kb/articles`, or `sources`. Empty: none. */
  KB_URL?: string | undefined;
  /** Secret: sent to `KB_URL` as a bearer token. */
  KB_TOKEN?: string | undefined;
  /** Hosts that may be read from, separated by commas: `docs.example.com`; in development with a port. */
  KB_ALLOWED_HOSTS?: string | undefined;
  /** Further workspaces, as JSON: `{"acme": {"url": "https://…", "tokenSecret": "ACME_KB_TOKEN"}, "beta": {"url": "sources"}}`. */
  KB_SOURCES?: string | undefined;
  /** Address of the gateway, for the addresses of articles that have none of their own. */
  PUBLIC_URL?: string | undefined;
  /** How many earlier editions are kept, 0 to 20; 0 when empty, in development 5. */
  EDITION_HISTORY?: string | undefined;
  /** `live`: the host is asked before answers what has changed; `synced` or empty: answers are as of the last sync. */
  KB_FRESHNESS?: string | undefined;
}

const Sources = z.record(
  z.string().min(1).max(128),
  z.strictObject({ url: z.string().max(2048), tokenSecret: z.string().max(100).optional() }),
);

export interface LibrarySettings {
  /** Throws `HostKbError` when the workspace has no host, or the settings do not read. */
  sourceOf(workspace: string): LibrarySource;
  /** Workspaces that have a host. */
  workspaces(): string[];
  articleUrl(id: string): string;
  /** How many earlier editions are kept. Throws `HostKbError` when the variable is out of range. */
  history(): number;
  /** Whether the host is asked before answers. Throws `HostKbError` when the variable is neither. */
  isLive(): boolean;
}

export const librarySettings = (variables: LibraryVariables): LibrarySettings => ({
  sourceOf: (workspace) => {
    const source = sourcesOf(variables)[workspace];
    if (!source) throw new HostKbError('no host knowledge base is set up for this workspace');
    const { SOURCES } = variables;
    const isBound = source.url === 'sources' && SOURCES !== undefined;
    const { url, token } = isBound ? BOUND : source;
    const client = hostKbClient(
      { url, token },
      {
        fetch: isBound
          ? boundFetch(SOURCES, { workspace, identity: () => identityFrom(variables, 'library') })
          : (input, init) => fetch(input, init),
        allowed: isBound ? { hosts: [new URL(url).host], allowsLocal: false } : allowedHosts(variables),
        now: Date.now,
        random: Math.random,
        sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      },
    );
    return { url, client };
  },
  workspaces: () => Object.keys(sourcesOf(variables)),
  history: () => {
    const { EDITION_HISTORY = '', ENVIRONMENT } = variables;
    if (EDITION_HISTORY === '') return ENVIRONMENT === 'development' ? LOCAL_HISTORY : 0;
    if (/^(?:1?\d|20)$/.test(EDITION_HISTORY)) return Number(EDITION_HISTORY);
    throw new HostKbError('the variable EDITION_HISTORY is not a number from 0 to 20');
  },
  isLive: () => {
    const { KB_FRESHNESS = '' } = variables;
    if (KB_FRESHNESS !== '' && KB_FRESHNESS !== 'live' && KB_FRESHNESS !== 'synced')
      throw new HostKbError('the variable KB_FRESHNESS is neither live nor synced');
    return KB_FRESHNESS === 'live';
  },
  articleUrl: (id) => `${publicUrl(variables)}/kb/${id.split('/').map(encodeURIComponent).join('/')}`,
});

const LOCAL_HISTORY = 5;

/** Throws in production when it is not set: an address on this machine would reach customers. */
const publicUrl = ({ PUBLIC_URL = '', ENVIRONMENT }: LibraryVariables): string => {
  if (PUBLIC_URL !== '') return PUBLIC_URL;
  if (ENVIRONMENT === 'development') return 'http://localhost:8787';
  throw new HostKbError('PUBLIC_URL is not set, and an article has no address of its own');
};

interface Source {
  url: string;
  token?: string | undefined;
}

/** What `sources` in place of an address stands for: the binding, which no name leads to. */
const BOUND: Source = { url: 'https://sources.invalid/api/kb/articles' };

const sourcesOf = (variables: LibraryVariables): Record<string, Source> => {
  const { KB_URL, KB_TOKEN, KB_SOURCES } = variables;
  const named = Sources.safeParse(parseJson(KB_SOURCES || '{}'));
  if (!named.success) throw new HostKbError('the variable KB_SOURCES does not read');
  const entries = Object.entries(named.data).map(([workspace, { url, tokenSecret }]) => {
    // Secrets stand beside the variables, under names that only the setting knows.
    const token = tokenSecret === undefined ? undefined : (variables as Record<string, unknown>)[tokenSecret];
    return [workspace, { url, token: typeof token === 'string' ? token : undefined }] as const;
  });
  return {
    ...(KB_URL ? { default: { url: KB_URL, token: KB_TOKEN || undefined } } : {}),
    ...Object.fromEntries(entries),
  };
};

const allowedHosts = ({ KB_ALLOWED_HOSTS = '', ENVIRONMENT }: LibraryVariables) => ({
  hosts: KB_ALLOWED_HOSTS.split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== ''),
  allowsLocal: ENVIRONMENT === 'development',
});

/**
 * A `fetch` through a service binding in the library's own name: signed, read-only, for one workspace. The receipt is not checked, since the binding
 * leads to that function only.
 */
const boundFetch =
  (target: Target, { workspace, identity }: { workspace: string; identity: () => Promise<Identity> }): typeof fetch =>
  async (input, init) => {
    const { self, signer } = await identity();
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const now = Date.now();
    const { token } = await mintContext(
      originate({ self, subject: `svc:${self}`, workspace, authentication: 'none', capabilities: ['kb:read'], now }),
      { signer, aud: 'sources', op: `GET ${pathname}${search}`, body: new Uint8Array(), now },
    );
    request.headers.set(CONTEXT_HEADER, token);
    return target.fetch(request);
  };
