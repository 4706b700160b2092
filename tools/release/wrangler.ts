import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from '../functions.ts';
import { type ConfigOptions, deployedConfig, type FunctionConfig } from './function-config.ts';

export interface WranglerResult {
  status: number;
  stdout: string;
  /** Both streams, without colours. */
  output: string;
}

export interface WranglerOptions {
  accountId?: string | undefined;
  /** Shows the output as it comes, and keeps nothing. */
  isShown?: boolean;
  signal?: AbortSignal | undefined;
}

/** Runs wrangler in the root. It asks no question and reports nothing about its use. */
export function runWrangler(
  args: readonly string[],
  { accountId, isShown = false, signal }: WranglerOptions = {},
): Promise<WranglerResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [join(ROOT, 'node_modules/wrangler/bin/wrangler.js'), ...args],
      {
        cwd: ROOT,
        stdio: ['ignore', isShown ? 'inherit' : 'pipe', isShown ? 'inherit' : 'pipe'],
        env: {
          ...process.env,
          WRANGLER_SEND_METRICS: 'false',
          WRANGLER_HIDE_BANNER: 'true',
          ...(isShown ? {} : { CI: '1', NO_COLOR: '1', FORCE_COLOR: '0' }),
          ...(accountId === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: accountId }),
        },
        signal,
      },
    );
    const [stdout, all]: [Buffer[], Buffer[]] = [[], []];
    child.stdout?.on('data', (bytes: Buffer) => stdout.push(bytes) + all.push(bytes));
    child.stderr?.on('data', (bytes: Buffer) => all.push(bytes));
    const textOf = (chunks: Buffer[]): string =>
      stripVTControlCharacters(Buffer.concat(chunks).toString('utf8'));
    child.once('error', reject);
    child.once('close', (status) =>
      resolve({ status: status ?? 1, stdout: textOf(stdout), output: textOf(all) }),
    );
  });
}

export interface DeployOptions extends ConfigOptions, WranglerOptions {
  secrets: Readonly<Record<string, string>>;
  /** Only bundles and checks. */
  dryRun?: boolean;
  wrangler?: typeof runWrangler;
}

/** Deploys one function with the account's ids, its variables and its secrets. */
export async function deployFunction(
  target: FunctionConfig,
  { dryRun = false, secrets, wrangler = runWrangler, ...options }: DeployOptions,
): Promise<WranglerResult> {
  const folder = join(ROOT, 'dist', 'deploy');
  mkdirSync(folder, { recursive: true });
  const config = join(folder, `${target.name}.json`);
  writeFileSync(config, JSON.stringify(deployedConfig(target, options), null, 2));
  const deploy = (more: string[]): Promise<WranglerResult> =>
    wrangler(['deploy', '--config', config, ...more], options);
  if (dryRun) return deploy(['--dry-run', '--outdir', join(ROOT, 'dist', target.name)]);
  if (Object.keys(secrets).length === 0) return deploy([]);
  // Other users of the machine can read a command line, but not our own file.
  const temporary = mkdtempSync(join(tmpdir(), 'constellation-secrets-'));
  try {
    const path = join(temporary, 'secrets.json');
    writeFileSync(path, JSON.stringify(secrets), { mode: 0o600 });
    return await deploy(['--secrets-file', path]);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
