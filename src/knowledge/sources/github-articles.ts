import * as z from 'zod';
import { isDraft } from '../../documents/front-matter.ts';
import { decodeText } from '../../language/decode-text.ts';
import {
  type ArticleApi,
  type ArticleSource,
  callApi,
  callApiIfFound,
  positionIn,
  readArticleInTime,
  type SourceArticle,
  SourceFailed,
  type UnreadableArticle,
} from './article-source.ts';
import { defineSource, type Opened, Text, Url } from './define-source.ts';

const OPTIONS = {
  repository: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'is not owner/name'),
  /** Branch, tag or commit; `HEAD` is the default branch. */
  ref: Text.default('HEAD'),
  /** Empty for all of the repository. */
  folder: z
    .string()
    .max(500)
    .regex(/^(?:[^/]+\/)*$/, 'is no folder: docs/, with a slash at its end')
    .default(''),
  /** Address below which the pages are published, by their paths without extensions; if unset, articles link to the files on GitHub. */
  publicUrl: Url.optional(),
};

const Sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const Commit = z.object({
  sha: Sha,
  commit: z.object({ tree: z.object({ sha: Sha }), committer: z.object({ date: z.string() }) }),
});
const Tree = z.object({
  truncated: z.boolean(),
  tree: z
    .array(
      z.object({
        path: z.string().max(4096),
        type: z.string(),
        sha: z.string(),
        size: z.int().optional(),
      }),
    )
    .max(200_000),
});
const Blob = z.object({ content: z.string(), encoding: z.literal('base64') });
const Comparison = z.object({
  files: z
    .array(z.object({ filename: z.string().max(4096) }))
    .max(1000)
    .default([]),
});

const Position = z.object({
  tree: Sha,
  after: z.string().max(300),
  since: Sha.optional(),
  head: Sha,
});

/** GitHub lists at most 300 files per comparison (REST API, "Compare two commits"). */
const MAX_COMPARED = 300;
/** Each file is a call of its own. */
const MAX_FILES_AT_ONCE = 25;
const MAX_FILE_BYTES = 1_500_000;
const ARTICLE = /\.(?:md|mdx|markdown|html|htm|txt)$/i;

/**
 * Markdown, HTML and text files in a GitHub repository, at one commit. Changes are the diff against the last commit before
 * `updatedSinceMs`.
 * Files whose front matter says `draft: true` or `published: false` are no articles, nor are hidden ones.
 */
const githubArticles = (
  api: ArticleApi,
  { repository, ref, folder, publicUrl }: Opened<typeof OPTIONS>,
): ArticleSource => {
  const at = `/repos/${repository}`;
  // The last tree and comparison: pages of one listing read them again.
  let tree: { sha: string; files: ReadonlyMap<string, { sha: string; size: number }> } | undefined;
  let changes: { key: string; paths: ReadonlySet<string> | undefined } | undefined;

  const filesOf = async (sha: string, signal: AbortSignal) => {
    if (tree?.sha === sha) return tree.files;
    const listed = await callApi(api, {
      path: `${at}/git/trees/${sha}?recursive=1`,
      reply: Tree,
      signal,
    });
    if (listed.truncated)
      throw new SourceFailed(
        'DATA_SOURCE_ERROR',
        'the repository has more files than GitHub lists at once: name a smaller folder',
      );
    const files = new Map(
      listed.tree
        .filter(
          ({ path, type }) =>
            type === 'blob' &&
            path.startsWith(folder) &&
            ARTICLE.test(path) &&
            !/(?:^|\/)\./.test(path),
        )
        .map(({ path, sha: blob, size = 0 }) => [path.slice(folder.length), { sha: blob, size }]),
    );
    tree = { sha, files };
    return files;
  };

  /** Paths that differ between two commits; undefined when there are too many to tell. */
  const changedSince = async (since: string, head: string, signal: AbortSignal) => {
    const key = `${since}...${head}`;
    if (changes?.key === key) return changes.paths;
    const compared = await callApiIfFound(api, {
      path: `${at}/compare/${key}`,
      reply: Comparison,
      signal,
    });
    const files = compared?.files ?? [];
    const isComplete = compared !== undefined && files.length < MAX_COMPARED;
    const inFolder = files.filter(({ filename }) => filename.startsWith(folder));
    const paths = isComplete
      ? new Set(inFolder.map(({ filename }) => filename.slice(folder.length)))
      : undefined;
    changes = { key, paths };
    return paths;
  };

  /** The last commit before `sinceMs`, and the newest one. */
  const begin = async (
    sinceMs: number | undefined,
    signal: AbortSignal,
  ): Promise<z.infer<typeof Position>> => {
    const name = encodeURIComponent(ref);
    const head = await callApi(api, { path: `${at}/commits/${name}`, reply: Commit, signal });
    const start = { tree: head.commit.tree.sha, after: '', head: head.sha };
    if (sinceMs === undefined) return start;
    const until = new Date(sinceMs).toISOString();
    const path = `${at}/commits?sha=${name}&until=${until}&per_page=1`;
    const [before] = await callApi(api, {
      path,
      reply: z.array(z.object({ sha: Sha })).max(1),
      signal,
    });
    return before === undefined ? start : { ...start, since: before.sha };
  };

  const read = async (
    path: string,
    { sha, size }: { sha: string; size: number },
    signal: AbortSignal,
  ) => {
    if (size > MAX_FILE_BYTES) return [{ unreadableId: path }];
    const readBlob = (inTime: AbortSignal) =>
      callApi(api, { path: `${at}/git/blobs/${sha}`, reply: Blob, signal: inTime });
    const blob = await readArticleInTime<z.infer<typeof Blob> | undefined>(readBlob, {
      signal,
      late: undefined,
    });
    const body = blob === undefined ? undefined : decodeText(bytesOf(blob.content));
    if (body === undefined) return [{ unreadableId: path }];
    if (isDraft(body)) return [];
    // The title is that of the front matter or the first heading; Markdown may hold HTML.
    const article: SourceArticle = {
      id: path,
      title: '',
      url: urlOf(path),
      body,
      labels: [],
      locale: undefined,
      updatedAtMs: undefined,
      format: /\.html?$/i.test(path) ? 'html' : 'markdown',
    };
    return [article];
  };

  const urlOf = (path: string): string => {
    const encoded = (each: string) => each.split('/').map(encodeURIComponent).join('/');
    if (publicUrl === undefined)
      return `https://github.com/${repository}/blob/${encoded(ref)}/${encoded(folder + path)}`;
    const page = path.replace(/\.[^./]+$/, '').replace(/(^|\/)(?:index|readme)$/i, '$1');
    return `${publicUrl.replace(/\/+$/, '')}/${encoded(page)}`;
  };

  return {
    readPage: async ({ updatedSinceMs, limit, position, signal }) => {
      const here = positionIn(position, Position) ?? (await begin(updatedSinceMs, signal));
      const files = await filesOf(here.tree, signal);
      const changed =
        here.since === undefined ? undefined : await changedSince(here.since, here.head, signal);
      const waiting = [...files.keys()]
        .filter((path) => path > here.after && (changed === undefined || changed.has(path)))
        .sort();
      const paths = waiting.slice(0, Math.min(limit, MAX_FILES_AT_ONCE));
      const articles: (SourceArticle | UnreadableArticle)[] = [];
      for (const path of paths) {
        const file = files.get(path);
        if (file !== undefined) articles.push(...(await read(path, file, signal)));
      }
      const last = paths.at(-1);
      return {
        articles,
        next:
          last === undefined || waiting.length === paths.length
            ? undefined
            : { ...here, after: last },
      };
    },
  };
};

const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64.replaceAll(/\s+/g, '')), (each) => each.charCodeAt(0));

export const github = defineSource({
  tool: 'github',
  hasPathsAsIds: true,
  apiUrl: 'https://api.github.com',
  options: OPTIONS,
  headers: (token) => ({ Authorization: `Bearer ${token}`, 'X-GitHub-Api-Version': '2022-11-28' }),
  open: githubArticles,
});
