import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { SyncAccepted, SyncStatus } from '../../src/contract/wire/sync.ts';
import { type ApiKeyRecord, hashApiKey } from '../../src/gateway/access/api-keys.ts';
import { ADMINISTRATOR, newApiKey } from '../new-api-key.ts';
import { type Deployment, openDeployment, Refusal } from '../transfer/deployment.ts';
import { CONTINUE, SetupFailed, type SetupRun, save, wranglerFor } from './account.ts';

/** For the people who administer the deployment; keys with fewer rights are made with `npx constellation api-key`. */
const FIRST_KEY: ApiKeyRecord = {
  name: 'administrator, made by npm run setup',
  workspaces: ['default'],
  ...ADMINISTRATOR,
  rate: 'standard',
};

/**
 * Makes the first API key and stores its record. The key itself is written to a file that only its owner may read, and printed nowhere.
 *
 * @returns The key; undefined when this machine does not have it.
 */
export async function makeFirstKey(
  run: SetupRun,
  { keyFile, namespaceId }: { keyFile: string; namespaceId: string },
): Promise<string | undefined> {
  const known = existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : undefined;
  const { api_key: stored, account_id: accountId } = run.record;
  if (stored !== undefined) {
    run.progress('looking for the first API key');
    const args = ['kv', 'key', 'get', '--remote', '--namespace-id', namespaceId, stored];
    const { status, output } = await run.wrangler(args, { accountId, signal: run.signal });
    if (status === 0)
      run.report('exists', `first API key${known === undefined ? '' : ` (${keyFile})`}`);
    else if (output.includes('404'))
      run.report(
        'skipped',
        'first API key: it was deleted, and npx constellation api-key makes others',
      );
    else throw new SetupFailed('look for the first API key', 'its record cannot be read', CONTINUE);
    return status === 0 && known !== undefined && (await hashApiKey(known)) === stored
      ? known
      : undefined;
  }
  if (run.dryRun) {
    run.report(
      'would do',
      `make the first API key, an administrator's with every right of the console, and write it to ${keyFile}`,
    );
    return undefined;
  }
  run.progress('making the first API key');
  const key = known ?? newApiKey();
  // Before its record: a key that counts is never lost.
  if (known === undefined) writeFileSync(keyFile, `${key}\n`, { mode: 0o600, flag: 'wx' });
  const hash = await hashApiKey(key);
  const folder = mkdtempSync(join(tmpdir(), 'constellation-key-'));
  try {
    const path = join(folder, 'record.json');
    writeFileSync(path, JSON.stringify(FIRST_KEY), { mode: 0o600 });
    const args = [
      'kv',
      'key',
      'put',
      '--remote',
      '--namespace-id',
      namespaceId,
      hash,
      '--path',
      path,
    ];
    await wranglerFor('store the first API key', args, run);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  run.record.api_key = hash;
  save(run);
  run.report(
    'created',
    `first API key, an administrator's, in ${keyFile}: move it to where your team keeps secrets`,
  );
  return key;
}

/** KV shows a new key everywhere after a minute, a new address answers after some seconds. */
const REACHABLE_MS = 180_000;
const PAUSE_MS = 3000;
const NOT_YET: ReadonlySet<string> = new Set([
  'UNREACHABLE',
  'UNKNOWN',
  'UNAUTHORIZED',
  'SERVICE_UNAVAILABLE',
]);

const Articles = z.object({ articles: z.array(z.object({ title: z.string() })) });
const Answer = z.object({
  answer: z.string().optional(),
  sources: z.array(z.object({ name: z.string() })).optional(),
});

/**
 * Waits until the deployment answers, starts the first sync where there is a knowledge base to read, and asks a question.
 *
 * @param question The title of an article when absent.
 */
export async function askFirstQuestion(
  run: SetupRun,
  {
    url,
    key,
    question,
    hasHost,
  }: { url: string; key: string; question: string | undefined; hasHost: boolean },
): Promise<void> {
  const deployment = openDeployment({ url, key, signal: run.signal }, run.progress);
  const status = await untilReachable(run, deployment, url);
  const edition =
    status.edition === null && hasHost ? await firstSync(run, deployment) : status.edition;
  if (edition === null) {
    const advice = hasHost
      ? CONTINUE
      : `npx constellation push-kb --folder <docs> --url ${url} fills it. ${CONTINUE}`;
    return run.report('skipped', `first question: the knowledge base is empty. ${advice}`);
  }
  const { articles } = await deployment.call('GET /api/kb/articles?limit=1', Articles);
  const query = question ?? articles[0]?.title ?? 'What can you tell me?';
  run.progress('asking the first question');
  const { answer = '', sources = [] } = await deployment.call('POST /v1/ask', Answer, { query });
  const from = sources[0] === undefined ? 'without a source' : `from “${sources[0].name}”`;
  run.report(
    'ok',
    `asked “${query}”, answered ${from}: ${answer.replace(/\s+/g, ' ').slice(0, 200)}`,
  );
}

const untilReachable = async (
  run: SetupRun,
  deployment: Deployment,
  url: string,
): Promise<SyncStatus> => {
  const end = Date.now() + REACHABLE_MS;
  for (;;) {
    run.progress(`waiting for ${url}`);
    try {
      return await deployment.call('GET /v1/sync', SyncStatus);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!NOT_YET.has(error.code) || Date.now() > end)
        throw new SetupFailed(
          `reach ${url}`,
          error.message.replace(/^Cannot reach \S+: /, ''),
          `Everything is deployed. Open ${new URL('/healthz', url).href}, which says what is wrong. ${CONTINUE}`,
        );
    }
    await sleep(PAUSE_MS, undefined, { signal: run.signal });
  }
};

const SYNC_POLL_MS = 1000;

const firstSync = async (run: SetupRun, deployment: Deployment): Promise<SyncStatus['edition']> => {
  await deployment.call('POST /v1/sync', SyncAccepted, { full: true });
  for (;;) {
    const status = await deployment.call('GET /v1/sync', SyncStatus);
    const { state, progress, last_report: report, articles, edition } = status;
    if (state === 'idle') {
      if (report?.error) run.report('skipped', `first sync: ${report.error.message}`);
      else run.report('ok', `first sync: ${articles} articles`);
      return edition;
    }
    run.progress(`syncing: ${state}, ${progress?.listed ?? 0} articles listed`);
    await sleep(SYNC_POLL_MS, undefined, { signal: run.signal });
  }
};
