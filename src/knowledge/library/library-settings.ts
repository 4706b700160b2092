import * as z from 'zod';
import { type Identity, identityFrom, identitySettings } from '../../platform/context/identity.ts';
import { CONTEXT_HEADER } from '../../platform/context/limits.ts';
import { mintContext } from '../../platform/context/link-claims.ts';
import { originate } from '../../platform/context/request-context.ts';
import type { Target } from '../../platform/context/signed-client.ts';
import {
  attemptSettings,
  readSettings,
  type Settings,
  type SettingsSchema,
  secretOf,
  type Variables,
} from '../../platform/settings/settings.ts';
import { json, list, oneOf, text, token, wholeNumber } from '../../platform/settings/values.ts';
import { HostKbError } from './fetch-host-listing.ts';
import { hostKbClient, type LibrarySource } from './host-kb-client.ts';

const Sources = z.record(
  z.string().min(1).max(128),
  z.strictObject({ url: z.string().max(2048), tokenSecret: z.string().max(100).optional() }),
);

/** Which hosts the library reads from, and how long it keeps what it has read. */
export const hostSettings = {
  ...identitySettings,
  KB_URL: text({
    what: 'The host knowledge base of the workspace `default`; `sources`: that of a helpdesk ([helpdesks](helpdesks.md))',
    allowed: 'the address of `GET /api/kb/articles`, or `sources`',
    doctor: 'hosts',
  }),
  KB_TOKEN: token({ what: 'Sent to `KB_URL` as a bearer token', doctor: 'hosts' }),
  KB_ALLOWED_HOSTS: list({
    what: 'Hosts that may be read from; in development with a port',
    doctor: 'hosts',
  }),
  KB_FRESHNESS: oneOf(['synced', 'live'], {
    what: '`live`: before an answer the host is asked what it has changed ([sources](sources.md#asking-before-each-answer))',
    usual: 'synced',
    otherwise: '`synced`: answers are as of the last sync',
    doctor: 'hosts',
  }),
  EDITION_HISTORY: wholeNumber({
    from: 0,
    to: 20,
    usual: (isLocal) => (isLocal ? 5 : 0),
    otherwise: '0; in development 5',
    what: 'Earlier editions that are kept, with their texts up to 30 days ([editions](edition-format.md#history))',
  }),
  PUBLIC_URL: text({
    what: 'Where the gateway is reached, for articles without an address of their own',
    usual: (isLocal) => (isLocal ? 'http://localhost:8787' : undefined),
    otherwise: '`http://localhost:8787` in development; needed for `npm run deploy`',
  }),
} satisfies SettingsSchema;

/** The hosts of further workspaces, apart: when they cannot be read, only syncs fail. */
export const workspaceSettings = {
  KB_SOURCES: json(Sources, {
    what: 'Hosts of further workspaces',
    example:
      '{"acme": {"url": "https://…", "tokenSecret": "ACME_KB_TOKEN"}, "beta": {"url": "sources"}}',
    usual: {},
    otherwise: 'none',
    doctor: 'hosts',
  }),
} satisfies SettingsSchema;

/** The variables of the library function, the secrets that its sources name, and the function that reads helpdesk tools. */
export interface LibraryVariables
  extends Variables<typeof hostSettings & typeof workspaceSettings> {
  SOURCES?: Target | undefined;
}

interface LibrarySettings {
  /** Throws `HostKbError` when the workspace has no host, or `KB_SOURCES` is invalid. */
  sourceOf(workspace: string): LibrarySource;
  /** Workspaces that have a host. Throws `HostKbError` when `KB_SOURCES` is invalid. */
  workspaces(): string[];
  articleUrl(id: string): string;
  /** How many earlier editions are kept. */
  history: number;
  /** Whether the host is asked before answers. */
  isLive: boolean;
}

/** @throws {SettingRefused} For an invalid variable but `KB_SOURCES`, without which what is synced is still served. */
export function readLibrarySettings(variables: LibraryVariables): LibrarySettings {
  const values = readSettings(hostSettings, variables);
  const { value: named, problem } = attemptSettings(
    () => readSettings(workspaceSettings, variables).KB_SOURCES,
  );
  const sources = () => {
    if (named === undefined) throw new HostKbError(problem);
    return sourcesIn(values, { named, variables });
  };
  return {
    sourceOf: (workspace) => {
      const source = sources()[workspace];
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
          allowed: isBound
            ? { hosts: [new URL(url).host], allowsLocal: false }
            : allowedHosts(values),
          now: Date.now,
          random: Math.random,
        },
      );
      return { url, client };
    },
    workspaces: () => Object.keys(sources()),
    history: values.EDITION_HISTORY,
    isLive: values.KB_FRESHNESS === 'live',
    articleUrl: (id) => {
      // In production it has no default: an address on this machine would reach customers.
      if (values.PUBLIC_URL === undefined)
        throw new HostKbError('PUBLIC_URL is not set, and an article has no address of its own');
      return `${values.PUBLIC_URL}/kb/${id.split('/').map(encodeURIComponent).join('/')}`;
    },
  };
}

interface Source {
  url: string;
  token?: string | undefined;
}

/** What `sources` in place of an address stands for: the binding, which no name leads to. */
const BOUND: Source = { url: 'https://sources.invalid/api/kb/articles' };

const sourcesIn = (
  { KB_URL, KB_TOKEN }: Settings<typeof hostSettings>,
  { named, variables }: { named: z.infer<typeof Sources>; variables: LibraryVariables },
): Record<string, Source> => {
  const entries = Object.entries(named).map(([workspace, { url, tokenSecret }]) => {
    const secret = tokenSecret === undefined ? undefined : secretOf(variables, tokenSecret);
    return [workspace, { url, token: secret }] as const;
  });
  const host = KB_URL === undefined ? {} : { default: { url: KB_URL, token: KB_TOKEN } };
  return { ...host, ...Object.fromEntries(entries) };
};

const allowedHosts = ({ KB_ALLOWED_HOSTS, ENVIRONMENT }: Settings<typeof hostSettings>) => ({
  hosts: KB_ALLOWED_HOSTS.map((host) => host.toLowerCase()),
  allowsLocal: ENVIRONMENT === 'development',
});

/**
 * A `fetch` through a service binding in the library's own name: signed, read-only, for one workspace. The receipt is not checked, since the binding
 * leads to that function only.
 */
const boundFetch =
  (
    target: Target,
    { workspace, identity }: { workspace: string; identity: () => Promise<Identity> },
  ): typeof fetch =>
  async (input, init) => {
    const { self, signer } = await identity();
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const now = Date.now();
    const { token } = await mintContext(
      originate({
        self,
        subject: `svc:${self}`,
        workspace,
        authentication: 'none',
        capabilities: ['kb:read'],
        now,
      }),
      { signer, aud: 'sources', op: `GET ${pathname}${search}`, body: new Uint8Array(), now },
    );
    request.headers.set(CONTEXT_HEADER, token);
    return target.fetch(request);
  };
