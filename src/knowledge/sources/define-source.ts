import * as z from 'zod';
import { describeIssues, readAs } from '../../contract/core/error-info.ts';
import { Audience, Audiences } from '../../contract/core/names.ts';
import { SettingRefused, serviceAddress } from '../../platform/settings/settings.ts';
import type { ArticleApi, ArticleSource, LabelMeanings } from './article-source.ts';

export const Text = z.string().min(1).max(200);
export const Url = z.string().min(1).max(2048);

/** Options of every source. */
const Common = {
  /** Who may read articles that the tool shows to everybody; everybody of the workspace when absent. */
  audience: Audiences.optional(),
  /** Meaning of the tool's labels: `{"apollo-2": {"device": "Apollo II"}}`. */
  labels: z
    .record(
      z.string().max(200),
      z.strictObject({
        intent: Text.optional(),
        device: Text.optional(),
        audience: Audience.optional(),
      }),
    )
    .default({}),
};

/** Name of the secret that holds the token for reading articles. */
const TokenSecret = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'is not a name of a secret: capitals, digits and _');

/** Options that hold addresses: nothing is called but public hosts. */
const ADDRESSES = ['apiUrl', 'publicUrl', 'sitemap', 'url'] as const;

/** What `open` gets: the options of the definition, and the address that is called. */
export type Opened<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>> & { apiUrl: string };

interface SourceDefinition<Shape extends z.ZodRawShape> {
  /** Name in `ARTICLE_SOURCES`, and prefix of the ids of its articles. */
  tool: string;
  /** Whether ids are paths, which have no prefix. */
  hasPathsAsIds?: boolean;
  /** Options besides those of every source. */
  options: Shape;
  /** Address of the API where the entry names none; absent: it has to. */
  apiUrl?: string;
  /** Authentication of each call; absent: the source has no token, and its option `url` is the address. */
  headers?: (token: string, options: Opened<Shape>) => Record<string, string>;
  open(api: ArticleApi, options: Opened<Shape>): ArticleSource;
}

/** An entry of `ARTICLE_SOURCES` that can be used. */
export interface ConfiguredSource {
  /** Prefix of the ids of its articles; none for ids that are paths. */
  prefix: string;
  labels: LabelMeanings;
  audience: readonly string[] | undefined;
  /** Undefined where none is needed. */
  tokenSecret: string | undefined;
  open(tools: { token: string } & Pick<ArticleApi, 'fetch' | 'now'>): ArticleSource;
}

export interface SourceKind {
  tool: string;
  /** @throws {SettingRefused} Says what is wrong with the entry. */
  read(entry: unknown, options: { isLocal: boolean }): ConfiguredSource;
}

/**
 * A source of articles by what it has of its own: its options, its authentication, and how its pages are read. Addresses, secrets and labels
 * are read the same way for all of them.
 *
 * @example
 * export const faq = defineSource({
 *   tool: 'faq',
 *   options: { section: Text },
 *   headers: (token) => ({ Authorization: `Bearer ${token}` }),
 *   open: ({ apiUrl, fetch }, { section }) => ({
 *     readPage: async ({ signal }) => {
 *       const reply = await fetch(`${apiUrl}/sections/${section}`, { signal });
 *       return { articles: await reply.json(), next: undefined };
 *     },
 *   }),
 * });
 */
export function defineSource<Shape extends z.ZodRawShape>(
  definition: SourceDefinition<Shape>,
): SourceKind {
  const { tool, hasPathsAsIds = false, options, apiUrl, headers, open } = definition;
  const access = {
    apiUrl: apiUrl === undefined ? Url : Url.default(apiUrl),
    tokenSecret: TokenSecret,
  };
  const Entry = z.strictObject({
    tool: z.literal(tool),
    ...Common,
    ...(headers === undefined ? {} : access),
    ...options,
  });
  return {
    tool,
    read: (entry, { isLocal }) => {
      const result = readAs(Entry, entry);
      if (!result.ok)
        throw new SettingRefused('an entry of ARTICLE_SOURCES', describeIssues(result.issues));
      // The schema is put together from parts, of which the compiler sees none.
      const setting = result.value as z.output<z.ZodObject<typeof Common>> &
        Record<string, unknown>;
      const addresses = ADDRESSES.flatMap((name) => {
        const text = setting[name];
        if (typeof text !== 'string') return [];
        return [
          [name, serviceAddress(text, { name: 'an address in ARTICLE_SOURCES', isLocal })] as const,
        ];
      });
      const { apiUrl: called, url } = Object.fromEntries(addresses);
      const opened = { ...setting, apiUrl: called ?? url } as unknown as Opened<Shape>;
      return {
        prefix: hasPathsAsIds ? '' : `${tool}-`,
        labels: setting.labels,
        audience: setting.audience,
        tokenSecret: typeof setting.tokenSecret === 'string' ? setting.tokenSecret : undefined,
        open: ({ token, ...tools }) =>
          open(
            { ...tools, apiUrl: opened.apiUrl, headers: headers?.(token, opened) ?? {} },
            opened,
          ),
      };
    },
  };
}

/** Address at which readers find what an API gives, without a trailing slash. */
export function publicUrlOf({
  publicUrl,
  apiUrl,
}: {
  publicUrl?: string | undefined;
  apiUrl: string;
}): string {
  return (publicUrl ?? apiUrl).replace(/\/+$/, '');
}
