import * as z from 'zod';
import { readAs } from '../../src/contract/core/error-info.ts';
import { type DeploymentRecord, writeRecord } from '../release/deployment-record.ts';
import type { neededResources } from '../release/function-config.ts';
import type { runWrangler, WranglerResult } from '../release/wrangler.ts';

/** What became of a step. */
export type Outcome = 'exists' | 'created' | 'changed' | 'deployed' | 'skipped' | 'ok' | 'would do';

export interface SetupRun {
  /** What is recorded; written to `file` after each step that changes it, so that an interrupted run continues. */
  record: DeploymentRecord;
  file: string;
  dryRun: boolean;
  /** Reports a step that has ended. */
  report(outcome: Outcome, step: string): void;
  /** Says on a line of its own what is going on; undefined when it has ended. */
  progress(doing: string): void;
  signal: AbortSignal;
  wrangler: typeof runWrangler;
}

/** A step could not be done: what, why, and what to do. */
export class SetupFailed extends Error {
  override readonly name = 'SetupFailed';

  constructor(step: string, reason: string, advice: string) {
    super(`Cannot ${step}: ${reason.replace(/\.$/, '')}. ${advice}`);
  }
}

export const CONTINUE = 'Then run npm run setup again: it continues where it stopped.';

/** Runs wrangler for a step, and fails with its reason. */
export async function wranglerFor(
  step: string,
  args: readonly string[],
  { record, signal, wrangler }: Pick<SetupRun, 'record' | 'signal' | 'wrangler'>,
): Promise<WranglerResult> {
  const result = await wrangler(args, { accountId: record.account_id, signal });
  if (result.status !== 0) throw wranglerFailure(step, result.output);
  return result;
}

export function wranglerFailure(step: string, output: string): SetupFailed {
  return new SetupFailed(step, reasonOf(output), `${adviceFor(output)} ${CONTINUE}`);
}

/** The lines of an error of wrangler that say something: what failed, and what the platform replied. */
const reasonOf = (output: string): string => {
  const lines = output.split('\n').map((line) => line.trim());
  const at = lines.findIndex((line) => line.includes('[ERROR]'));
  const own = lines
    .slice(at < 0 ? -3 : at)
    .filter(
      (line) =>
        line !== '' &&
        !/think this is a bug|open an issue|create an issue|Logs were written/.test(line),
    )
    .map((line) => line.replace(/^.*\[ERROR\]\s*/, ''));
  return own.slice(0, 4).join(' ').slice(0, 600) || 'wrangler said nothing';
};

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /code: 10000\b|Authentication|not authenticated|403 Forbidden/i,
    'Give the API token the rights to edit Workers scripts, KV and D1, or run npx wrangler login.',
  ],
  [
    /code: 10(?:063|034)\b|workers\.dev subdomain/i,
    'Open Workers in the dashboard once, which registers a subdomain.',
  ],
  [
    /code: 100(?:26|27)\b|limit|quota|paid plan/i,
    'Raise the limit or change the plan of the account.',
  ],
  [
    /fetch failed|ECONNREFUSED|ENOTFOUND|ETIMEDOUT|network/i,
    'Check the connection to api.cloudflare.com.',
  ],
];

const adviceFor = (output: string): string =>
  ADVICE.find(([pattern]) => pattern.test(output))?.[1] ?? 'Mend what the message names.';

const WhoAmI = z.object({
  loggedIn: z.boolean(),
  accounts: z.array(z.object({ id: z.string(), name: z.string().optional() })).optional(),
});

/** Signs in, and settles which account it is. @returns False when a dry run has no account to look at. */
export async function chooseAccount(run: SetupRun): Promise<boolean> {
  run.progress('signing in');
  const { output, stdout, status } = await run.wrangler(['whoami', '--json'], {
    signal: run.signal,
  });
  const who = readAs(WhoAmI, jsonIn(stdout));
  if (!who.ok || !who.value.loggedIn) {
    if (run.dryRun) {
      run.report('skipped', 'not signed in: the steps are those of an empty account');
      return false;
    }
    if (who.ok || /not (?:logged|authenticated)/i.test(output))
      throw new SetupFailed(
        'sign in',
        'wrangler has no account',
        'Run npx wrangler login, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID. Then run npm run setup again.',
      );
    throw status === 0
      ? new SetupFailed('sign in', 'wrangler cannot be read', CONTINUE)
      : wranglerFailure('sign in', output);
  }
  const { account_id: recorded } = run.record;
  const chosen = process.env.CLOUDFLARE_ACCOUNT_ID || recorded || onlyOne(who.value.accounts ?? []);
  if (recorded !== undefined && recorded !== chosen)
    throw new SetupFailed(
      'use this account',
      `${run.file} is of the account ${recorded}, CLOUDFLARE_ACCOUNT_ID names ${chosen}`,
      'Give each account a file of its own with --deployment.',
    );
  if (!/^[0-9a-f]{32}$/.test(chosen))
    throw new SetupFailed(
      'use this account',
      `${chosen} is no account id`,
      'Set CLOUDFLARE_ACCOUNT_ID to one.',
    );
  run.record.account_id = chosen;
  save(run);
  run.report('ok', `signed in to the account ${chosen}`);
  return true;
}

const onlyOne = (accounts: readonly { id: string; name?: string | undefined }[]): string => {
  const [only] = accounts;
  if (only !== undefined && accounts.length === 1) return only.id;
  const listed = accounts.map(({ id, name = '' }) => `${id} (${name})`).join(', ');
  throw new SetupFailed(
    'choose an account',
    listed === '' ? 'the sign-in shows none' : `there are several: ${listed}`,
    'Set CLOUDFLARE_ACCOUNT_ID to one of them.',
  );
};

/** In a dry run nothing is written. */
export function save({ file, record, dryRun }: SetupRun): void {
  if (!dryRun) writeRecord(file, record);
}

const Namespaces = z.array(z.object({ id: z.string(), title: z.string() }));
const Databases = z.array(z.object({ uuid: z.string(), name: z.string() }));

/** Creates the namespaces and databases that are missing, and records the ids. `hasAccount` false: as in an empty one. */
export async function createResources(
  run: SetupRun,
  needed: ReturnType<typeof neededResources>,
  hasAccount: boolean,
): Promise<void> {
  await createListed(run, hasAccount, {
    what: 'KV namespace',
    names: needed.kv,
    ids: run.record.kv,
    create: (name) => ['kv', 'namespace', 'create', name, '--update-config=false'],
    list: ['kv', 'namespace', 'list'],
    idsIn: (json) => Namespaces.parse(json).map(({ title, id }) => [title, id]),
  });
  await createListed(run, hasAccount, {
    what: 'database',
    names: needed.d1,
    ids: run.record.d1,
    create: (name) => ['d1', 'create', name, '--update-config=false'],
    list: ['d1', 'list', '--json'],
    idsIn: (json) => Databases.parse(json).map(({ name, uuid }) => [name, uuid]),
  });
}

interface Listed {
  what: string;
  names: readonly string[];
  /** By name; what is found is added. */
  ids: Record<string, string>;
  list: string[];
  create(name: string): string[];
  idsIn(json: unknown): (readonly [name: string, id: string])[];
}

const createListed = async (
  run: SetupRun,
  hasAccount: boolean,
  { what, names, ids, list, create, idsIn }: Listed,
): Promise<void> => {
  const read = async (): Promise<Map<string, string>> => {
    run.progress(`listing ${what}s`);
    const { stdout } = await wranglerFor(`list ${what}s`, list, run);
    return new Map(idsIn(jsonIn(stdout)));
  };
  let there = hasAccount ? await read() : new Map<string, string>();
  const missing = names.filter((name) => !there.has(name));
  for (const name of missing) {
    if (run.dryRun) continue;
    run.progress(`creating the ${what} ${name}`);
    await wranglerFor(`create the ${what} ${name}`, create(name), run);
  }
  if (missing.length > 0 && !run.dryRun) there = await read();
  for (const name of names) {
    const id = there.get(name);
    if (id === undefined && !run.dryRun)
      throw new SetupFailed(
        `find the ${what} ${name}`,
        'it was created and is not listed yet',
        CONTINUE,
      );
    if (id !== undefined) ids[name] = id;
    const outcome = run.dryRun ? 'would do' : 'created';
    run.report(
      missing.includes(name) ? outcome : 'exists',
      `${run.dryRun && missing.includes(name) ? 'create the ' : ''}${what} ${name}`,
    );
  }
  save(run);
};

/** Wrangler may say something before its JSON. */
const jsonIn = (text: string): unknown => {
  const start = text.search(/^[[{]/m);
  try {
    return JSON.parse(start < 0 ? '' : text.slice(start));
  } catch {
    return undefined;
  }
};
