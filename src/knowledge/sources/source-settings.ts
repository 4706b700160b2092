import * as z from 'zod';
import {
  attemptSettings,
  environmentSettings,
  isDevelopment,
  readSettings,
  SettingRefused,
  type SettingsSchema,
  secretOf,
  type Variables,
} from '../../platform/settings/settings.ts';
import { json } from '../../platform/settings/values.ts';
import { type ArticleSource, type LabelMeanings, SourceFailed } from './article-source.ts';
import { chatwoot } from './chatwoot-articles.ts';
import { confluence } from './confluence-articles.ts';
import type { ConfiguredSource, SourceKind } from './define-source.ts';
import { github } from './github-articles.ts';
import { helpScout } from './help-scout-articles.ts';
import { intercom } from './intercom-articles.ts';
import { notion } from './notion-articles.ts';
import { website } from './website-articles.ts';
import { zammad } from './zammad-articles.ts';
import { zendesk } from './zendesk-articles.ts';

/** Every kind of source, by the `tool` of an entry. */
const SOURCES: ReadonlyMap<unknown, SourceKind> = new Map(
  [zendesk, intercom, chatwoot, zammad, helpScout, github, notion, confluence, website].map(
    (kind) => [kind.tool, kind],
  ),
);

export const articleSettings = {
  ...environmentSettings,
  ARTICLE_SOURCES: json(z.record(z.string(), z.unknown()), {
    what: 'Web sites, GitHub, Notion, Confluence and [helpdesks](helpdesks.md) to read articles from, by workspace ([sources](sources.md))',
    example:
      '{"default": {"tool": "zendesk", "apiUrl": "https://…", "tokenSecret": "ZENDESK_ARTICLES_TOKEN"}}',
    usual: {},
    otherwise: 'none',
    doctor: 'articles',
  }),
} satisfies SettingsSchema;
/** The secrets named in ARTICLE_SOURCES are further ones. */
export type SourceVariables = Variables<typeof articleSettings>;

interface OpenSource extends Pick<ConfiguredSource, 'prefix' | 'audience'> {
  labels: LabelMeanings;
  source: ArticleSource;
}

export interface ArticleSources {
  /** Undefined when the workspace has none. Throws `SourceFailed` when its entry is wrong or its secret is not set. */
  find(workspace: string): OpenSource | undefined;
  /** The workspaces whose source cannot be used, and why, in one sentence without values of secrets. */
  problems(): { workspace: string; problem: string }[];
}

/** Reads the article source of each workspace. A wrong entry leaves only its own workspace without a source. */
export function readSources(
  variables: SourceVariables,
  tools: { fetch: typeof globalThis.fetch; now: () => number },
): ArticleSources {
  const { value: entries = {}, problem: unread } = attemptSettings(
    () => readSettings(articleSettings, variables).ARTICLE_SOURCES,
  );
  const isLocal = isDevelopment(variables);
  const settings = new Map(
    Object.entries(entries).map(([workspace, entry]) => [
      workspace,
      attemptSettings(() => readEntry(entry, isLocal)),
    ]),
  );
  const sources = new Map<string, ArticleSource>();
  const find = (workspace: string): OpenSource | undefined => {
    const { value: configured, problem = unread } = settings.get(workspace) ?? {};
    if (problem !== undefined) throw new SourceFailed('SERVICE_UNAVAILABLE', problem);
    if (configured === undefined) return undefined;
    const { prefix, labels, audience, tokenSecret } = configured;
    const token = tokenSecret === undefined ? '' : secretOf(variables, tokenSecret);
    if (token === undefined)
      throw new SourceFailed(
        'SERVICE_UNAVAILABLE',
        'a secret that ARTICLE_SOURCES names is not set',
      );
    // It remembers what it has read between two pages of a listing.
    const source = sources.get(workspace) ?? configured.open({ ...tools, token });
    sources.set(workspace, source);
    return { prefix, labels, audience, source };
  };
  return {
    find,
    problems: () =>
      (unread === undefined ? [...settings.keys()].slice(0, 1000) : ['?']).flatMap((workspace) => {
        try {
          find(workspace);
          return [];
        } catch (error) {
          return [
            {
              workspace,
              problem: error instanceof Error ? error.message.slice(0, 300) : String(error),
            },
          ];
        }
      }),
  };
}

const Named = z.object({ tool: z.unknown() });

const readEntry = (entry: unknown, isLocal: boolean): ConfiguredSource => {
  const named = Named.safeParse(entry);
  const kind = SOURCES.get(named.data?.tool);
  if (kind !== undefined) return kind.read(entry, { isLocal });
  throw new SettingRefused(
    'an entry of ARTICLE_SOURCES',
    `its tool is none of ${[...SOURCES.keys()].join(', ')}`,
  );
};
