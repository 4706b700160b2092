import * as z from 'zod';
import { describeIssues, readAs } from '../../contract/core/error-info.ts';
import { Audience, Audiences } from '../../contract/core/names.ts';
import { basicAuth } from '../../platform/http/fetch-json.ts';
import {
  attemptSettings,
  environmentSettings,
  isDevelopment,
  readSettings,
  type SettingsSchema,
  secretOf,
  serviceAddress,
  type Variables,
} from '../../platform/settings/settings.ts';
import { json } from '../../platform/settings/values.ts';
import { type ArticleSource, type LabelMeanings, Locale, SourceFailed } from './article-source.ts';
import { chatwootArticles } from './chatwoot-articles.ts';
import { confluenceArticles } from './confluence-articles.ts';
import { githubArticles } from './github-articles.ts';
import { helpScoutArticles } from './help-scout-articles.ts';
import { intercomArticles } from './intercom-articles.ts';
import { notionArticles } from './notion-articles.ts';
import { websiteArticles } from './website-articles.ts';
import { zammadArticles } from './zammad-articles.ts';
import { zendeskArticles } from './zendesk-articles.ts';

const Text = z.string().min(1).max(200);
const Url = z.string().min(1).max(2048);

/** Who may read articles that the tool shows to everybody; everybody of the workspace when absent. */
const audience = Audiences.optional();

const common = {
  audience,
  apiUrl: Url,
  /** Name of the secret that holds the token for reading articles. */
  tokenSecret: z.string().regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'is not a name of a secret: capitals, digits and _'),
  /** Meaning of the tool's labels: `{"apollo-2": {"device": "Apollo II"}}`. */
  labels: z
    .record(
      z.string().max(200),
      z.strictObject({ intent: Text.optional(), device: Text.optional(), audience: Audience.optional() }),
    )
    .default({}),
};

const Locales = z.array(Locale).max(20);

const Source = z.discriminatedUnion('tool', [
  z.strictObject({
    tool: z.literal('zendesk'),
    ...common,
    /** Owner of the API token; without it the token is an OAuth token. */
    email: Text.optional(),
    locales: Locales.default([]),
    /** Audiences by user segment: `{"360001": "staff"}`. Articles for other segments are left out. */
    segments: z.record(z.string().regex(/^\d{1,30}$/), Audience).default({}),
  }),
  z.strictObject({ tool: z.literal('intercom'), ...common, apiUrl: Url.default('https://api.intercom.io') }),
  z.strictObject({
    tool: z.literal('chatwoot'),
    ...common,
    accountId: Text,
    portal: Text,
    locales: Locales.min(1).default(['en']),
    publicUrl: Url.optional(),
  }),
  z.strictObject({ tool: z.literal('zammad'), ...common, publicUrl: Url.optional() }),
  z.strictObject({ tool: z.literal('help-scout'), ...common, apiUrl: Url.default('https://docsapi.helpscout.net') }),
  z.strictObject({
    tool: z.literal('github'),
    ...common,
    apiUrl: Url.default('https://api.github.com'),
    repository: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'is not owner/name'),
    ref: Text.default('HEAD'),
    folder: z
      .string()
      .max(500)
      .regex(/^(?:[^/]+\/)*$/, 'is no folder: docs/, with a slash at its end')
      .default(''),
    publicUrl: Url.optional(),
  }),
  z.strictObject({
    tool: z.literal('notion'),
    ...common,
    apiUrl: Url.default('https://api.notion.com'),
    onlyPublished: z.boolean().default(false),
  }),
  z.strictObject({
    tool: z.literal('confluence'),
    ...common,
    /** Owner of the API token. */
    email: Text,
    space: z.string().regex(/^[\w~-]{1,255}$/, 'is not the key of a space'),
  }),
  z.strictObject({
    tool: z.literal('website'),
    audience,
    labels: common.labels,
    url: Url,
    sitemap: Url.optional(),
    exclude: z.array(z.string().startsWith('/').max(500)).max(100).default([]),
    maxPages: z.int().min(1).max(10_000).default(2000),
    pauseMs: z.int().min(0).max(10_000).default(200),
  }),
]);
type Source = z.infer<typeof Source>;

export const articleSettings = {
  ...environmentSettings,
  ARTICLE_SOURCES: json(z.record(z.string(), z.unknown()), {
    what: 'Web sites, GitHub, Notion, Confluence and [helpdesks](helpdesks.md) to read articles from, by workspace ([sources](sources.md))',
    example: '{"default": {"tool": "zendesk", "apiUrl": "https://…", "tokenSecret": "ZENDESK_ARTICLES_TOKEN"}}',
    usual: {},
    otherwise: 'none',
    doctor: 'articles',
  }),
} satisfies SettingsSchema;
/** The secrets named in ARTICLE_SOURCES are further ones. */
export type SourceVariables = Variables<typeof articleSettings>;

interface OpenSource {
  /** Prefix of the ids of its articles; none for a web site, whose ids are paths. */
  prefix: string;
  labels: LabelMeanings;
  audience: readonly string[] | undefined;
  source: ArticleSource;
}

export interface ArticleSources {
  /** Undefined when the workspace has none. Throws `SourceFailed` when its entry is wrong or its secret is not set. */
  find(workspace: string): OpenSource | undefined;
  /** The workspaces whose source cannot be used, and why, in one sentence without values of secrets. */
  problems(): { workspace: string; problem: string }[];
}

/** Reads the article source of each workspace. A wrong entry leaves only its own workspace without a source. */
export const readSources = (
  variables: SourceVariables,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): ArticleSources => {
  const { value: entries, problem: unread } = attemptSettings(
    () => readSettings(articleSettings, variables).ARTICLE_SOURCES,
  );
  const isLocal = isDevelopment(variables);
  const settings = new Map(
    Object.entries(entries ?? {}).map(([workspace, entry]) => [workspace, readSource(entry, isLocal)]),
  );
  const sources = new Map<string, ArticleSource>();
  const find = (workspace: string): OpenSource | undefined => {
    if (unread !== undefined) throw new SourceFailed('SERVICE_UNAVAILABLE', unread);
    const setting = settings.get(workspace);
    if (setting === undefined) return undefined;
    if ('problem' in setting) throw new SourceFailed('SERVICE_UNAVAILABLE', setting.problem);
    const { source, apiUrl } = setting;
    const token = 'tokenSecret' in source ? secretOf(variables, source.tokenSecret) : 'none';
    if (token === undefined)
      throw new SourceFailed('SERVICE_UNAVAILABLE', 'a secret that ARTICLE_SOURCES names is not set');
    // It remembers what it has read between two pages of a listing.
    const opened = sources.get(workspace) ?? open(source, { apiUrl, token, fetch, now });
    sources.set(workspace, opened);
    const prefix = PATHS_AS_IDS.has(source.tool) ? '' : `${source.tool}-`;
    return { prefix, labels: source.labels, audience: source.audience, source: opened };
  };
  return {
    find,
    problems: () =>
      (unread === undefined ? [...settings.keys()].slice(0, 1000) : ['?']).flatMap((workspace) => {
        try {
          find(workspace);
          return [];
        } catch (error) {
          return [{ workspace, problem: error instanceof Error ? error.message.slice(0, 300) : String(error) }];
        }
      }),
  };
};

type Setting = { source: Source; apiUrl: string } | { problem: string };

const readSource = (entry: unknown, isLocal: boolean): Setting => {
  const source = readAs(Source, entry);
  if (!source.ok) return { problem: `Cannot use an entry of ARTICLE_SOURCES: ${describeIssues(source.issues)}` };
  const address = (text: string) => serviceAddress(text, { name: 'an address in ARTICLE_SOURCES', isLocal });
  const { value: apiUrl, problem } = attemptSettings(() => {
    if ('publicUrl' in source.value && source.value.publicUrl) address(source.value.publicUrl);
    if ('sitemap' in source.value && source.value.sitemap) address(source.value.sitemap);
    return address('url' in source.value ? source.value.url : source.value.apiUrl);
  });
  return problem === undefined ? { source: source.value, apiUrl } : { problem };
};

/** Sources whose ids are paths. */
const PATHS_AS_IDS: ReadonlySet<Source['tool']> = new Set(['github', 'website']);

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const open = (
  source: Source,
  { token, ...at }: { apiUrl: string; token: string; fetch: typeof globalThis.fetch; now: () => number },
): ArticleSource => {
  switch (source.tool) {
    case 'zendesk': {
      const { email, locales, segments } = source;
      const authorization = email === undefined ? `Bearer ${token}` : basicAuth(`${email}/token`, token);
      return zendeskArticles({ ...at, headers: { Authorization: authorization } }, { locales, segments });
    }
    case 'intercom':
      return intercomArticles({ ...at, headers: { Authorization: `Bearer ${token}`, 'Intercom-Version': '2.16' } });
    case 'chatwoot':
      return chatwootArticles(
        { ...at, headers: { api_access_token: token } },
        { ...source, publicUrl: publicUrlOf(source, at) },
      );
    case 'zammad':
      return zammadArticles(
        { ...at, headers: { Authorization: `Token token=${token}` } },
        { publicUrl: publicUrlOf(source, at) },
      );
    case 'github':
      return githubArticles(
        { ...at, headers: { Authorization: `Bearer ${token}`, 'X-GitHub-Api-Version': '2022-11-28' } },
        { ...source, publicUrl: source.publicUrl },
      );
    case 'notion':
      return notionArticles(
        { ...at, headers: { Authorization: `Bearer ${token}`, 'Notion-Version': '2025-09-03' } },
        source,
      );
    case 'confluence':
      return confluenceArticles({ ...at, headers: { Authorization: basicAuth(source.email, token) } }, source);
    case 'website':
      return websiteArticles(source, { ...at, sleep });
    case 'help-scout':
      return helpScoutArticles({ ...at, headers: { Authorization: basicAuth(token, 'X') } });
  }
};

const publicUrlOf = ({ publicUrl }: { publicUrl?: string | undefined }, { apiUrl }: { apiUrl: string }): string =>
  (publicUrl ?? apiUrl).replace(/\/+$/, '');
