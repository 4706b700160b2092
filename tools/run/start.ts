/** `npm start`: the product on this machine. */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { relative } from 'node:path';
import { watch } from 'chokidar';
import { type AdapterVariables, readAdapters } from '../../src/ai/adapters/settings.ts';
import { describeIssues } from '../../src/contract/core/error-info.ts';
import type { SyncReport } from '../../src/contract/wire/sync.ts';
import {
  describeScan,
  isWatched,
  scanFolder,
} from '../../src/documents/node/folder/scan-folder.ts';
import { type DirectoryEntry, openDirectory } from '../../src/platform/context/key-directory.ts';
import { readTaxonomy } from '../../src/support/intents/current-taxonomy.ts';
import { type HelpdeskVariables, readConnections } from '../../src/support/tools/connections.ts';
import { helpdeskTools } from '../../src/support/tools/helpdesk-tools.ts';
import { builds } from '../build/build-cache.ts';
import { fail, helpIfAsked, orFail, orUsageError, startCommand } from '../command-line.ts';
import { isRunning } from '../is-running.ts';
import { newApiKey } from '../new-api-key.ts';
import { secretsNamedFor } from '../release/named-secrets.ts';
import { deskVariables } from '../stand-ins/helpdesks/desk-variables.ts';
import { forgetDesks, rememberDesks } from '../stand-ins/helpdesks/running-desks.ts';
import type { LocalHelpdesks } from '../stand-ins/helpdesks/start-helpdesks.ts';
import { chooseModels, contextNote } from './choose-models.ts';
import { modelNotes } from './model-notes.ts';
import type { Product } from './product.ts';
import { HELP, type StartOptions, sourceOf, startOptions } from './start-options.ts';
import { freshAdvice, isState, openState } from './state-folder.ts';
import { clearProgress, showProgress, summariseSync } from './sync-progress.ts';

const WATCH_DELAY_MS = 250;
const RETRY_MS = 10_000;
const HOST_SYNC_MS = 15 * 60_000;
const PARENT_MS = 500;
/** npm hands on what the terminal has sent to both: a signal that comes sooner is the same one. */
const AGAIN_MS = 1000;

await main().catch((error: unknown) => fail(messageOf(error)));

async function main(): Promise<void> {
  helpIfAsked(HELP);
  const options = orUsageError(readOptions);
  // Before anything is made or emptied.
  if (await isInUse(options.port)) fail(portInUse(options.port));
  // Before the local runtime loads, which would keep the answer waiting.
  const models = await chooseModels(process.env, { isOff: !options.model }).catch(
    (error: unknown) => fail(messageOf(error)),
  );
  const source = sourceOf(options.kb);
  for (const line of earlierLayout(options)) console.log(line);
  const state = orFail(() => openState({ ...options, source }));
  if (state.exposure !== undefined) console.error(`WARNING ${state.exposure}`);
  // However it ends: what else listens to signals may be faster.
  process.once('exit', () => forgetDesks(options.state));
  forgetDesks(options.state);
  const controlToken = newApiKey();
  const helpdesks =
    options.helpdesk && !process.env.HELPDESKS ? await startDesks(controlToken) : undefined;
  console.log('starting the local runtime');
  const announced = new Set<string>();
  builds.on('begin', (what) => {
    if (!announced.has(what)) console.log(`building ${what}`);
    announced.add(what);
  });
  // Loaded late: what is wrong with the command line is said without it, and the local runtime takes seconds to load.
  const { startProduct } = await import('./product.ts');
  const product = await startProduct({
    onDatabaseRestart: endRuntimeWithUs,
    kb: options.kb,
    port: options.port,
    state: state.data,
    privateHosts: process.env.PRIVATE_HOSTS,
    key: state.key,
    allVars: {
      CONTEXT_KEY_SEED: state.signingSeed,
      CORS_ORIGINS: process.env.CORS_ORIGINS ?? '',
      PANEL_ORIGINS: process.env.PANEL_ORIGINS ?? '',
      OIDC_PROVIDERS: process.env.OIDC_PROVIDERS ?? '',
      CONTACT_URL: process.env.CONTACT_URL ?? '',
    },
    webSearch: options.webSearch ?? providerKeys(),
    partners: orFail(() => readPartners(options)),
    taxonomy: orFail(() => checkTaxonomy(options)),
    helpdesks: helpdesks
      ? {
          ...deskVariables({ default: Object.values(helpdesks.desks) }),
          HANDOVER: '{"default": "zendesk"}',
        }
      : helpdeskVariables(),
    adapters: models.variables,
    onLog: options.verbose ? (line) => console.log(line) : () => {},
  }).catch((error: unknown) => fail(startFailure(error, options)));
  stopOnSignal(product);
  stopWithNpm();
  endRuntimeWithUs();
  console.log(`reading ${product.folder ?? source}`);
  if (product.folder !== undefined && typeof options.kb === 'object' && 'folder' in options.kb)
    for (const line of describeScan(await scanFolder(await realpath(product.folder), options.kb)))
      console.log(line);
  console.log(adaptersLine(models.variables));
  console.log(models.line);
  for (const line of wrongHelpdesks(process.env)) console.log(line);
  // Asked while the first sync runs.
  const notes = modelNotes(models.variables).then(async (lines) => [
    ...lines,
    ...(models.ollama === undefined ? [] : await contextNote(models.ollama)),
  ]);
  const report = await firstSync(product).catch((error: unknown) =>
    fail(`${messageOf(error)}\nIf the state is damaged: ${freshAdvice(options.state)}`),
  );
  for (const line of await notes) console.log(line);
  await openStores(product);
  // Before the line: what changes once it is there must be seen.
  await keepInSync(product, report);
  if (helpdesks) {
    openDesks(helpdesks, product);
    const productUrl = product.url.origin;
    rememberDesks(options.state, { productUrl, desksUrl: helpdesks.url, token: controlToken });
  }
  const { serveDemoPage } = await import('./demo-page.ts');
  const demo = await serveDemoPage(product, options.kb === 'sample' ? 'sample' : 'own');
  console.log(`a web page with the answer box at ${demo.url}`);
  console.log(`ready ${product.url.origin} key ${product.key}`);
  // In the fragment, which a browser sends to no one; the page removes it at once.
  console.log(`open ${product.url.origin}/#key=${encodeURIComponent(product.key)}`);
}

/** Earlier versions had one state, in the folder that holds the states now. */
function earlierLayout({ keyFolder, state }: StartOptions): string[] {
  if (keyFolder === state || !isState(keyFolder)) return [];
  return [
    `${keyFolder} also holds a state of an earlier version, which is not used: --state ${keyFolder} --moved uses it`,
  ];
}

function readOptions(): StartOptions {
  const options = startOptions(process.argv.slice(2));
  if (typeof options.kb === 'object' && 'folder' in options.kb) {
    const problem = problemOfFolder(options.kb.folder);
    if (problem !== undefined) throw new Error(`Cannot use --kb ${options.kb.folder}: ${problem}`);
  }
  return options;
}

/** What the file of `--partners` says; the functions check it when they start. */
function readPartners({ partners }: StartOptions): Record<string, DirectoryEntry> | undefined {
  if (partners === undefined) return undefined;
  try {
    const claims = JSON.parse(readFileSync(partners, 'utf8')) as Record<string, DirectoryEntry>;
    openDirectory(
      { v: 1, env: 'development', seq: 0, exp: 0, librarians: claims },
      { version: 'partners' },
    );
    return claims;
  } catch (error) {
    throw new Error(`Cannot use --partners ${partners}: ${messageOf(error)}`);
  }
}

/** The file of `--taxonomy`, once it is known to be one that the support desk takes. */
function checkTaxonomy({ taxonomy }: StartOptions): string | undefined {
  if (taxonomy === undefined) return undefined;
  try {
    const read = readTaxonomy(JSON.parse(readFileSync(taxonomy, 'utf8')));
    if (!read.ok) throw new Error(describeIssues(read.issues));
    return taxonomy;
  } catch (error) {
    throw new Error(`Cannot use --taxonomy ${taxonomy}: ${messageOf(error)}`);
  }
}

/** `running on Upstash Vector, Upstash Redis, text-embedding-3-small and gpt-4.1-mini`. */
function adaptersLine(variables: AdapterVariables): string {
  const { vector, hybrid, redis, embedding, chat } = readAdapters({
    ...variables,
    ENVIRONMENT: 'development',
  });
  const parts = [
    vector && 'Upstash Vector',
    hybrid && `a hybrid index from ${hybrid.fromPassages} passages on`,
    redis && 'Upstash Redis',
    embedding?.model,
    chat?.model,
  ];
  const used = parts.filter((part) => part !== undefined);
  return used.length === 0
    ? 'running on this machine alone: no model, no other service'
    : `running on ${used.join(', ')}`;
}

/** Uses a new range of ids at every start, since the product stores the tickets that it has seen. */
async function startDesks(controlToken: string): Promise<LocalHelpdesks> {
  const { startHelpdesks } = await import('../stand-ins/helpdesks/start-helpdesks.ts');
  return startHelpdesks({
    controlToken,
    idOffset: Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / 1000),
  });
}

/** The notes that we write come back to the webhook, as they do from the real tools. */
function openDesks({ url, desks }: LocalHelpdesks, product: Product): void {
  for (const desk of Object.values(desks)) {
    desk.deliverTo(new URL(`/webhooks/${desk.id}`, product.url).href, { only: 'notes' });
  }
  console.log(
    `local helpdesks at ${url}: ${Object.keys(desks).join(', ')}; write into one with npx constellation ticket`,
  );
}

/** The connections that the environment holds, and the secrets that they name. */
function helpdeskVariables(): Record<string, string> {
  const names = ['HELPDESKS', 'HANDOVER', ...secretsNamedFor('webhooks', process.env)];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}

/** What is wrong with the connections that the environment holds; the others work. */
function wrongHelpdesks(variables: HelpdeskVariables): string[] {
  const connections = readConnections({ ...variables, ENVIRONMENT: 'development' }).list(
    helpdeskTools,
  );
  return connections.flatMap(({ workspace, helpdesk, problem }) =>
    problem === undefined ? [] : [`WRONG ${helpdesk} (${workspace}): ${problem}`],
  );
}

/** The keys of web search providers that the environment holds. */
function providerKeys(): Record<string, string> {
  const names = ['SERPAPI_KEY', 'BRAVE_SEARCH_KEY'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}

/** Syncs until there is something to answer from: a host that is down now may be up in ten seconds. */
async function firstSync(product: Product): Promise<SyncReport | null> {
  let before: SyncReport | null = null;
  for (;;) {
    const startedAt = performance.now();
    const status = await product.sync({ full: true }, showProgress);
    const report = status.last_report;
    if (report !== null) {
      const milliseconds = performance.now() - startedAt;
      console.log(clearProgress() + summariseSync(report, status, { milliseconds, before }));
    }
    before = report;
    if (status.edition !== null) return report;
    console.error(`nothing to answer from yet; trying again in ${RETRY_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** A store is made when it is first used, which a full disk prevents: made now, it can be read then. */
async function openStores(product: Product): Promise<void> {
  const ofSupport = ['/v1/knowledge/gaps', '/v1/support/taxonomy', '/v1/support/tickets'];
  const paths = [...ofSupport, '/v1/answers', '/v1/workspaces/default/memories'];
  await Promise.all(
    paths.map((path) => product.fetch(path).then((response) => response.arrayBuffer())),
  );
}

/** A folder is watched; a host API is asked for changes every quarter of an hour. */
async function keepInSync(product: Product, first: SyncReport | null): Promise<void> {
  let before = first;
  const sync = inTurn(async (full: boolean) => {
    const status = await product.sync({ full });
    const report = status.last_report;
    if (report !== null && isWorthTelling(report)) {
      console.log(clearProgress() + summariseSync(report, status, { before }));
    }
    before = report;
  });
  if (product.folder === undefined) {
    setInterval(() => sync(false), HOST_SYNC_MS);
    return;
  }
  // The folder itself may be a link; those in it are not followed.
  const root = await realpath(product.folder);
  let timer: NodeJS.Timeout | undefined;
  // Editors and git replace files by renaming others, after which the watcher of Node sees no further change.
  const watcher = watch(root, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => !isWatched(relative(root, path)),
  });
  watcher.on('all', () => {
    clearTimeout(timer);
    timer = setTimeout(() => sync(true), WATCH_DELAY_MS);
  });
  // What has no permission was named when it was not read.
  watcher.on('error', (error) => {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EACCES', 'EPERM'].includes(code))
      console.error(`Cannot watch all of the folder: ${messageOf(error)}`);
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
}

/** A sync without changes is not reported, unless it held back deletions. */
function isWorthTelling({ outcome, held_deletions: held }: SyncReport): boolean {
  return outcome !== 'unchanged' || held !== null;
}

/** One at a time; a call that comes during another is run after it, several such calls once. */
function inTurn(run: (full: boolean) => Promise<void>): (full: boolean) => void {
  let running = false;
  let again = false;
  const start = async (full: boolean): Promise<void> => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    await run(full).catch((error: unknown) => console.error(messageOf(error)));
    running = false;
    if (again) {
      again = false;
      await start(full);
    }
  };
  return (full) => void start(full);
}

/**
 * npm does not tell us that it was killed: its shell ends without us, or npm ends without its shell. Then there is no one left to stop the
 * product.
 */
function stopWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const ps =
    spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(parent)], { encoding: 'utf8' }).stdout ?? '';
  const [, above, command = ''] = /^\s*(\d+)\s+(\S+)/.exec(ps) ?? [];
  const npm = command.endsWith('sh') ? Number(above) : parent;
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === parent || isRunning(npm))) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_MS);
}

function stopOnSignal(product: Product): void {
  let since: number | undefined;
  const stop = (): void => {
    if (since !== undefined) {
      if (performance.now() - since > AGAIN_MS) process.exit(1);
      return;
    }
    since = performance.now();
    console.log('\nstopping');
    product.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM']) {
    // What the local runtime registers ends the process at once; what it does then `product.stop` does too.
    process.removeAllListeners(signal);
    process.on(signal, stop);
  }
}

/** A process that is killed cannot end the local runtime: a shell that waits for our end of a pipe to close does it then. */
function endRuntimeWithUs(): void {
  const children =
    spawnSync('pgrep', ['-P', String(process.pid), 'workerd'], { encoding: 'utf8' }).stdout ?? '';
  const ids = children.split('\n').filter((id) => /^\d+$/.test(id));
  if (ids.length === 0) return;
  const script = `cat > /dev/null; kill -9 ${ids.join(' ')}`;
  const watcher = spawn('sh', ['-c', script], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.on('error', () => undefined);
  watcher.unref();
  // It must keep neither us nor the pipe's other end alive.
  (watcher.stdin as Socket | null)?.unref();
}

function startFailure(error: unknown, { port, state }: StartOptions): string {
  const message = messageOf(error);
  if (/EADDRINUSE|Address already in use/i.test(message)) return portInUse(port);
  if (/ENOSPC|SQLITE_FULL|no space left|disk is full/i.test(message))
    return `Cannot start: the disk is full. Free some space, or choose a folder on another disk: ${startCommand('--state <folder>')}`;
  return `Cannot start: ${message}\nIf the state is damaged: ${freshAdvice(state)}`;
}

function portInUse(port: number): string {
  return `Cannot start: port ${port} is in use. Stop what uses it, or choose another: ${startCommand('--port 0')}`;
}

/** Whether something listens on the port of this machine's loopback address; never for 0, which picks a free one. */
function isInUse(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EADDRINUSE'));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(false)));
  });
}

/** Why a folder cannot be read; undefined when it can. */
function problemOfFolder(path: string): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return 'it is no folder';
    readdirSync(path);
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such folder';
    if (code === 'ELOOP') return 'it is a symbolic link that leads back to itself';
    return `it cannot be read (${code || messageOf(error)})`;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
