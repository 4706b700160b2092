/** `npx constellation import`: restores what `npx constellation export` has written. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { WorkspaceId } from '../../src/contract/core/names.ts';
import { ArticleListing, HostArticle } from '../../src/contract/wire/host-article.ts';
import { type ContextSetting, type ExportLine, Restored } from '../../src/contract/wire/moving.ts';
import {
  type Taxonomy,
  type TaxonomyPut,
  TaxonomyWritten,
} from '../../src/contract/wire/taxonomy.ts';
import { encodeBase64url } from '../../src/platform/encoding.ts';
import { sha256Hex } from '../../src/platform/storage/edition-storage.ts';
import { isTrainedAtLoad } from '../../src/support/intents/current-taxonomy.ts';
import { fail, orUsageError, readCommandLine } from '../command-line.ts';
import { trainAhead } from '../release/train-ahead.ts';
import {
  articlePath,
  DEPLOYMENT_HELP,
  DEPLOYMENT_OPTIONS,
  type Deployment,
  openDeployment,
  progressLine,
  Refusal,
  readSettings,
  readTaxonomy,
} from './deployment.ts';
import { PARTS_HELP, type Part, partsOf, readExport } from './export-file.ts';

const HELP = `Restores what npx constellation export has written. Run again it changes nothing, and goes on where it was interrupted.

  npx constellation import --from <file or folder> [options]

  --from <path>       the file, or a folder that holds <workspace>.jsonl
  --workspace <id>    the workspace to restore into (default that of the file)
${PARTS_HELP}
${DEPLOYMENT_HELP}
  --help              this text

The whole file is checked before anything is sent. Articles, the taxonomy, templates and rankers take the place of those with their name;
memories, gaps and tickets that are there already stay as they are. Restored articles belong to the library: a sync with
a knowledge host no longer changes them, so leave them out where one fills the library (--only). Tickets are restored as
history: nothing is written into a helpdesk for them. Tickets that were open are not restored.

The key needs kb:read and kb:write, memory:read, memory:write and memory:restore, support:analyze and helpdesk:write.
`;

const { values } = readCommandLine(HELP, {
  options: { ...DEPLOYMENT_OPTIONS, from: { type: 'string' }, only: { type: 'string' } },
});
const parts = orUsageError(() => {
  if (!values.from) throw new Error('Cannot import: --from is missing');
  if (values.workspace !== undefined && !WorkspaceId.safeParse(values.workspace).success)
    throw new Error('Cannot import: --workspace is no workspace id');
  return partsOf(values.only);
});
const { show, say } = progressLine();
/** Below what the gateway reads of one request; a single record always fits. */
const MAX_BATCH_BYTES = 200_000;
const MAX_NAMED = 20;
const KINDS = {
  articles: 'article',
  taxonomy: 'taxonomy',
  memories: 'memory',
  settings: 'setting',
  gaps: 'gap',
  tickets: 'ticket',
} as const;

/** Lines that could not be restored, with the reason. */
const refused: string[] = [];

await main().catch((error: unknown) =>
  fail(error instanceof Error ? error.message : String(error)),
);

async function main(): Promise<void> {
  const file = fileOf(values.from ?? '');
  const counts: Partial<Record<ExportLine['kind'], number>> = {};
  let written = '';
  for await (const { line } of readExport(file)) {
    if (line.kind === 'export') written = line.workspace;
    counts[line.kind] = (counts[line.kind] ?? 0) + 1;
  }
  const workspace = values.workspace ?? written;
  const deployment = openDeployment({ ...values, workspace }, say);
  for (const part of parts) {
    const total = counts[KINDS[part]] ?? 0;
    const done = await restore(part, { file, deployment, workspace, total });
    say(
      `${part}: ${total} in the file, ${done.restored} restored, ${done.unchanged} unchanged${done.more ?? ''}`,
    );
  }
  for (const line of refused.slice(0, MAX_NAMED)) say(line);
  if (refused.length > MAX_NAMED) say(`and ${refused.length - MAX_NAMED} more`);
  if (refused.length > 0)
    fail(`Cannot restore everything: ${refused.length} lines of ${file} were refused`);
}

interface Done {
  restored: number;
  unchanged: number;
  more?: string;
}

interface Restoring {
  file: string;
  deployment: Deployment;
  workspace: string;
  total: number;
}

function restore(part: Part, restoring: Restoring): Promise<Done> {
  if (part === 'articles') return restoreArticles(restoring);
  if (part === 'taxonomy') return restoreTaxonomy(restoring);
  if (part === 'memories') return restoreMemories(restoring);
  if (part === 'settings') return restoreSettings(restoring);
  return part === 'gaps' ? restoreGaps(restoring) : restoreTickets(restoring);
}

async function restoreArticles({ file, deployment, total }: Restoring): Promise<Done> {
  const done = { restored: 0, unchanged: 0 };
  if (total === 0) return done;
  const known = new Map<string, string>();
  for await (const { articles } of deployment.pages('/api/kb/articles?limit=500', ArticleListing)) {
    for (const article of articles) known.set(article.id, await digestOf(article));
    show(`articles: compared with ${known.size}`);
  }
  for await (const { number, data } of linesOf(file, 'article')) {
    const { id, url, ...rest } = data;
    const article = isOwnAddress(data) ? rest : { ...rest, url };
    if (known.get(id) === (await digestOf(data))) done.unchanged += 1;
    else if (
      await accepted(`line ${number}, ${id}`, () =>
        deployment.call(`PUT ${articlePath(id)}`, HostArticle, article),
      )
    )
      done.restored += 1;
    show(`articles: ${done.restored + done.unchanged} of ${total}`);
  }
  return done;
}

async function restoreTaxonomy({ file, deployment }: Restoring): Promise<Done> {
  const done = { restored: 0, unchanged: 0 };
  for await (const { number, data } of linesOf(file, 'taxonomy')) {
    if (isDeepStrictEqual(await readTaxonomy(deployment), data)) done.unchanged += 1;
    else if (
      await accepted(`line ${number}`, () =>
        deployment.call('PUT /v1/support/taxonomy', TaxonomyWritten, bodyOf(data)),
      )
    )
      done.restored += 1;
  }
  return done;
}

/** With a model where there are too many examples to train in a function. */
function bodyOf(taxonomy: Taxonomy): TaxonomyPut {
  if (isTrainedAtLoad(taxonomy)) return { taxonomy };
  say('taxonomy: training its classifier');
  return { taxonomy, model: encodeBase64url(trainAhead(taxonomy).packed) };
}

/** The oldest, which are last in the file, first: a memory may be related to older ones. */
async function restoreMemories({ file, deployment, workspace, total }: Restoring): Promise<Done> {
  const records = (await collected(linesOf(file, 'memory'))).toReversed();
  const path = `PUT /v1/workspaces/${workspace}/memories`;
  return inBatches(records, {
    send: (memories) => deployment.call(path, Restored, { memories }),
    name: 'memories',
    most: 20,
    total,
  });
}

async function restoreSettings({ file, deployment, workspace, total }: Restoring): Promise<Done> {
  const done = { restored: 0, unchanged: 0 };
  if (total === 0) return done;
  const known = await readSettings(deployment, workspace);
  for await (const { number, data } of linesOf(file, 'setting')) {
    if (known.some((each) => isDeepStrictEqual(each, data))) done.unchanged += 1;
    else if (await accepted(`line ${number}`, () => putSetting(deployment, workspace, data)))
      done.restored += 1;
  }
  return done;
}

function putSetting(
  deployment: Deployment,
  workspace: string,
  setting: ContextSetting,
): Promise<unknown> {
  const path = `PUT /v1/workspaces/${workspace}`;
  if ('ranker' in setting) {
    const { name, weights } = setting.ranker;
    return deployment.call(`${path}/context-rankers/${name}`, z.unknown(), weights);
  }
  const { name, ...template } = setting.template;
  return deployment.call(`${path}/context-templates/${name}`, z.unknown(), template);
}

async function restoreGaps({ file, deployment, total }: Restoring): Promise<Done> {
  return inBatches(await collected(linesOf(file, 'gap')), {
    send: (gaps) => deployment.call('PUT /v1/knowledge/gaps/records', Restored, { gaps }),
    name: 'gaps',
    most: 20,
    total,
  });
}

async function restoreTickets({ file, deployment, total }: Restoring): Promise<Done> {
  const records = await collected(linesOf(file, 'ticket'));
  const ended = records.filter(({ data }) => data.state !== 'open');
  const open = records.length - ended.length;
  const done = await inBatches(ended, {
    send: (tickets) => deployment.call('PUT /v1/support/tickets', Restored, { tickets }),
    name: 'tickets',
    most: 50,
    total,
  });
  return open === 0
    ? done
    : { ...done, more: `; ${open} were open and stay with the deployment that works on them` };
}

interface Batches<T> {
  send(batch: T[]): Promise<Restored>;
  name: string;
  /** Records in one request. */
  most: number;
  total: number;
}

async function inBatches<T extends { id: string }>(
  records: readonly { number: number; data: T }[],
  { send, name, most, total }: Batches<T>,
): Promise<Done> {
  const done = { restored: 0, unchanged: 0 };
  const numbers = new Map(records.map(({ number, data }) => [data.id, number]));
  let batch: T[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    const { restored, unchanged, refused: those } = await send(batch);
    done.restored += restored;
    done.unchanged += unchanged;
    for (const { id, reason } of those) refused.push(`line ${numbers.get(id)}, ${id}: ${reason}`);
    batch = [];
    bytes = 0;
    show(`${name}: ${done.restored + done.unchanged} of ${total}`);
  };
  for (const { data } of records) {
    const size = Buffer.byteLength(JSON.stringify(data));
    if (batch.length >= most || bytes + size > MAX_BATCH_BYTES) await flush();
    batch.push(data);
    bytes += size;
  }
  await flush();
  return done;
}

type Numbered<Kind extends ExportLine['kind']> = {
  number: number;
  data: Extract<ExportLine, { kind: Kind; data: unknown }>['data'];
};

async function* linesOf<Kind extends (typeof KINDS)[Part]>(
  file: string,
  kind: Kind,
): AsyncGenerator<Numbered<Kind>> {
  // The kind of a line is that of its data, which the compiler does not follow through a type parameter.
  for await (const { number, line } of readExport(file))
    if (line.kind === kind && 'data' in line)
      yield { number, data: line.data } as unknown as Numbered<Kind>;
}

async function collected<T>(items: AsyncGenerator<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Whether the deployment took it; what it refuses as wrong is named at the end, and the rest goes on. */
async function accepted(name: string, send: () => Promise<unknown>): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'INVALID_QUERY') throw error;
    refused.push(`${name}: ${error.message}`);
    return false;
  }
}

function fileOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return fail(`Cannot read ${path}: there is no such file`);
  if (!found.isDirectory()) return path;
  if (values.workspace === undefined)
    return fail(`Cannot choose a file of ${path}: name it, or a --workspace`);
  return join(path, `${values.workspace}.jsonl`);
}

/** An address at the deployment itself, which is another one there: the library gives its own. */
function isOwnAddress({ id, url }: HostArticle): boolean {
  return new URL(url).pathname === articlePath(id);
}

function digestOf(article: HostArticle): Promise<string> {
  const { id, title, url, content, metadata } = article;
  const { intent, device, last_updated, author = null } = metadata;
  const address = isOwnAddress(article) ? null : url;
  const text = JSON.stringify([id, title, address, content, intent, device, last_updated, author]);
  return sha256Hex(new TextEncoder().encode(text));
}
