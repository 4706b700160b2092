import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readManifest } from './compile-package.ts';
import type { PackageName } from './packages.ts';

interface TriedPackage {
  tarball: string;
  /** An empty one. */
  folder: string;
}

const QUESTION = 'Where does the hive stand?';

/** Uses of a package, by the modules that a user would write. Each ends with 0. */
const USES: Readonly<Record<Exclude<PackageName, 'constellation'>, string>> = {
  '@constellation/contract': `import { validateResponse } from '@constellation/contract';
const librarian = async (query) => ({ answer: query, sources: [{ name: 'Notes' }], confidence: 0.9 });
if (!validateResponse(await librarian('Hello')).ok) process.exit(1);`,
  '@constellation/client': `import { Constellation, ConstellationError } from '@constellation/client';
const client = new Constellation({ url: 'http://127.0.0.1:1', key: 'ck_none', retries: 0 });
const error = await client.ask('Hello').catch((error) => error);
if (!(error instanceof ConstellationError) || error.code !== 'UNREACHABLE') process.exit(1);`,
};

/**
 * Installs a packed package in an empty folder, from the registry for what it depends on, and uses it.
 *
 * @returns What was measured, a line each.
 * @throws {Error} When npm cannot install it, or it does not work.
 */
export async function tryPackage(
  name: PackageName,
  { tarball, folder }: TriedPackage,
): Promise<string[]> {
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}');
  const startedAt = performance.now();
  run('npm', ['install', '--no-audit', '--no-fund', tarball], folder);
  const installed = `installed in ${secondsSince(startedAt)} s: ${sizes(folder)}`;
  if (name === 'constellation') return [installed, await tryProduct(folder)];
  writeFileSync(join(folder, 'use.js'), USES[name]);
  run(process.execPath, ['use.js'], folder);
  return [installed, 'works'];
}

/** Starts the product on a folder with one article, asks, and stops it. */
async function tryProduct(folder: string): Promise<string> {
  const command = join(folder, 'node_modules/.bin/constellation');
  const { version } = readManifest();
  const printed = run(process.execPath, [command, '--version'], folder).trim();
  if (printed !== version) throw new Error(`constellation --version prints ${printed}`);
  mkdirSync(join(folder, 'docs'));
  const article = '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n';
  writeFileSync(join(folder, 'docs/bees.md'), article);
  const startedAt = performance.now();
  const options = ['start', '--kb', 'docs', '--port', '0', '--no-model', '--no-helpdesk'];
  const product = spawn(process.execPath, [command, ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => product.once('exit', resolve));
  const ready = new Promise<RegExpExecArray | null>((resolve) => {
    createInterface({ input: product.stdout }).on('line', (line) => {
      const match = /^ready (\S+) key (\S+)$/.exec(line);
      if (match !== null) resolve(match);
    });
    void ended.then(() => resolve(null));
  });
  const [, CONSTELLATION_URL, CONSTELLATION_API_KEY] = (await ready) ?? [];
  if (CONSTELLATION_URL === undefined) throw new Error('constellation start has ended');
  const readyAfter = secondsSince(startedAt);
  const variables = { CONSTELLATION_URL, CONSTELLATION_API_KEY };
  const answer = run(process.execPath, [command, 'ask', QUESTION], folder, variables);
  product.kill('SIGINT');
  if ((await ended) !== 0) throw new Error('constellation start did not end as it should');
  if (!answer.includes('orchard wall')) throw new Error(`constellation ask answered: ${answer}`);
  return `ready ${readyAfter} s after the start, answers, and stops`;
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string | undefined>> = {},
): string {
  const env = { ...process.env, ...variables };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}${stdout}`);
  return stdout;
}

/** `231 MB, of which 160 MB workerd`. */
function sizes(folder: string): string {
  const modules = join(folder, 'node_modules');
  const all = bytesOf(modules);
  const runtime = ['workerd', '@cloudflare'].map((name) => bytesOf(join(modules, name)));
  // npm links one file into both.
  const ofRuntime = Math.max(...runtime);
  const apart = ofRuntime === 0 ? '' : `, of which ${megabytes(ofRuntime)} are workerd`;
  return `${megabytes(all)}${apart}`;
}

/** Bytes of the files in a folder; a file that is linked twice counts once. */
function bytesOf(folder: string): number {
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => statSync(join(parentPath, name)));
  const byFile = new Map(files.map(({ dev, ino, size }) => [`${dev}:${ino}`, size]));
  return [...byFile.values()].reduce((sum, size) => sum + size, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}
