import { realpathSync, statSync } from 'node:fs';
import { describeIssues, readAs } from '../../src/contract/core/error-info.ts';
import {
  ARTICLE_CONTENT_MAX_LENGTH,
  ArticlePut,
  HostArticle,
} from '../../src/contract/wire/host-article.ts';
import { Inventory } from '../../src/contract/wire/moving.ts';
import { documentReader } from '../../src/documents/node/document-reader.ts';
import { openFolder } from '../../src/documents/node/folder/open-folder.ts';
import type { FolderArticle } from '../../src/documents/node/folder/read-article.ts';
import { describeScan, filesOf } from '../../src/documents/node/folder/scan-folder.ts';
import { hashArticle } from '../../src/knowledge/articles/normalise-article.ts';
import { DELETION_LIMIT } from '../../src/knowledge/library/sync-driver.ts';
import { mapBounded } from '../../src/platform/concurrency.ts';
import { FOLDER_HELP, FOLDER_OPTIONS, folderOptions } from '../folder-options.ts';
import { articlePath, type Deployment, NoContent, Refusal } from './deployment.ts';

/** Options of the commands that push a folder, for `readCommandLine`. */
export const PUSH_OPTIONS = {
  under: { type: 'string' },
  'allow-deletions': { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  ...FOLDER_OPTIONS,
} as const;

export const PUSH_HELP = `  --under <path>      where they stand in the knowledge base, for instance handbook: only articles there are compared and
                      deleted. Without it the folder is compared with all articles that were written over HTTP
${FOLDER_HELP}
  --workspace <id>    the workspace (default the first of the key)
  --allow-deletions   delete even more than 30 % of the articles that are there
  --dry-run           print what would be done, and do nothing`;

interface PushOptions {
  under?: string | undefined;
  'allow-deletions': boolean;
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  'public-url'?: string | undefined;
  'dry-run': boolean;
  /** How far it has come. */
  show(line: string): void;
  /** What is worth a line, and what would be done. */
  say(line: string): void;
  plan(line: string): void;
}

/** The folder's real path. Throws when there is no such folder. */
export function folderToPush(folder: string | undefined): string {
  if (!folder) throw new Error('Cannot push: the folder is missing');
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`Cannot push ${folder}: there is no such folder`);
  return realpathSync(folder);
}

type Known = Inventory['articles'][number];

/**
 * Makes the articles of a deployment what a folder is: writes what is new or differs, deletes what the folder no longer has.
 *
 * @returns False when a file was refused or deletions were held back.
 */
export async function pushFolder(
  deployment: Deployment,
  folder: string,
  options: PushOptions,
): Promise<boolean> {
  const { under, 'dry-run': isDryRun, show, say, plan } = options;
  const prefix = under === undefined ? '' : `${under.replace(/^\/+|\/+$/g, '')}/`;
  const opened = openFolder(folder, folderOptions(options));
  const scan = await opened.scan();
  const files = filesOf(folder, scan);
  for (const line of describeScan(scan)) say(line);
  if (files.length === 0)
    throw new Error(`Cannot push ${folder}: an empty folder would delete every article`);
  const known = new Map<string, Known>();
  for await (const { articles } of deployment.pages('/api/kb/inventory?limit=1000', Inventory))
    for (const article of articles)
      if (article.id.startsWith(prefix)) known.set(article.id, article);
  const counts = { created: 0, updated: 0, deleted: 0, unchanged: 0 };
  const refused: string[] = [];
  let compared = 0;
  const documents = documentReader();
  const inFolder = new Set(files.map(({ path }) => prefix + path));
  /** Files that cannot be read: what they held before stays. */
  const unread: string[] = [];
  const write = async (article: FolderArticle, isDated: boolean): Promise<void> => {
    const id = prefix + article.id;
    const there = known.get(id);
    const read = await readFor(article, { id, there, isDated });
    if ('problem' in read) return void refused.push(`${article.id}: ${read.problem}`);
    if (there?.owner === 'local' && there.hash === read.hash) {
      counts.unchanged += 1;
      return;
    }
    if (isDryRun) plan(`${there === undefined ? 'create' : 'update'} ${id}`);
    else {
      try {
        await deployment.call(`PUT ${articlePath(id)}`, HostArticle, read.put);
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'INVALID_QUERY') throw error;
        return void refused.push(`${article.id}: ${error.message}`);
      }
    }
    counts[there === undefined ? 'created' : 'updated'] += 1;
  };
  await mapBounded(files, async (found) => {
    const { path } = found;
    show(`${++compared} of ${files.length}`);
    const file = await opened.read(found, documents);
    if ('problem' in file) {
      unread.push(`${prefix}${path}/`);
      return void refused.push(`${path}: not readable: ${file.problem}`);
    }
    for (const article of [file.article, ...(file.others ?? [])]) {
      inFolder.add(prefix + article.id);
      for (const warning of article.warnings ?? []) say(`${article.id}: ${warning}`);
      await write(article, file.isDated);
    }
  });
  await documents.close();
  const own = [...known.values()].filter(({ owner }) => owner === 'local');
  const gone = own.filter(
    ({ id }) => !inFolder.has(id) && !unread.some((path) => id.startsWith(path)),
  );
  const areHeld = gone.length > own.length * DELETION_LIMIT && !options['allow-deletions'];
  for (const { id } of areHeld ? [] : gone) {
    if (isDryRun) plan(`delete ${id}`);
    else await deleteArticle(deployment, id);
    counts.deleted += 1;
    show(`deleted ${counts.deleted} of ${gone.length}`);
  }
  const { created, updated, deleted, unchanged } = counts;
  say(
    `${isDryRun ? 'would be: ' : ''}${created} created, ${updated} updated, ${deleted} deleted, ${unchanged} unchanged`,
  );
  for (const line of refused) say(`not taken: ${line}`);
  if (areHeld)
    say(
      `${gone.length} of ${own.length} articles are not in the folder and were kept (${gone
        .slice(0, 3)
        .map(({ id }) => id)
        .join(
          ', ',
        )}${gone.length > 3 ? ' …' : ''}). Run it again with --allow-deletions to delete them`,
    );
  return !areHeld && refused.length === 0;
}

const deleteArticle = async (deployment: Deployment, id: string): Promise<void> => {
  try {
    await deployment.call(`DELETE ${articlePath(id)}`, NoContent);
  } catch (error) {
    // Another run, or an attempt whose reply was lost, has deleted it.
    if (!(error instanceof Refusal) || error.code !== 'NOT_FOUND') throw error;
  }
};

/** The article of a file and its hash; the time of the file itself does not make it another article. */
async function readFor(
  { warnings: _, ...article }: FolderArticle,
  { id, there, isDated }: { id: string; there: Known | undefined; isDated: boolean },
): Promise<{ put: ArticlePut; hash: string } | { problem: string }> {
  if (article.content.length > ARTICLE_CONTENT_MAX_LENGTH)
    return { problem: `it is longer than ${ARTICLE_CONTENT_MAX_LENGTH} characters` };
  const read = readAs(ArticlePut, { ...article, id });
  if (!read.ok) return { problem: describeIssues(read.issues) };
  const put = read.value;
  const {
    intent = [],
    device = [],
    last_updated,
    author,
    format,
    audience,
    language,
  } = put.metadata ?? {};
  const time = isDated ? last_updated : (there?.last_updated ?? last_updated);
  const metadata = { intent, device, last_updated: time, author, format, audience, language };
  return { put, hash: await hashArticle({ ...put, id, metadata }) };
}
