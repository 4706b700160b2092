/** `npx constellation lock`: completes package-lock.json. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { readCommandLine } from '../command-line.ts';
import { INTEGRITY, installedBy, type LockFile } from './lock-entries.ts';

const HELP = `Adds to package-lock.json what a partial registry mirror leaves out: the optional packages of other platforms, without which
npm ci refuses the lock file, and the integrity of every package, as the registry that npm is configured for states it. Run it after adding a
dependency; it changes nothing when nothing is missing, and ends with 1 when the registry does not know a package.

  npx constellation lock

  --help  this text
`;

readCommandLine(HELP, { options: {} });

const OS_NAMES: Record<string, string> = { windows: 'win32', linuxmusl: 'linux' };
const CPU_NAMES: Record<string, string> = { '64': 'x64', arm: 'arm' };
const KNOWN_OS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'linuxmusl',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
  'windows',
];
const KNOWN_CPU = [
  'x64',
  '64',
  'arm64',
  'arm',
  'ia32',
  'ppc64',
  'riscv64',
  's390x',
  'loong64',
  'mips64el',
  'wasm32',
];

const file = new URL('../../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as LockFile; // npm writes it

const added: string[] = [];
for (const [path, parent] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (
      lock.packages[place]?.version !== undefined ||
      lock.packages[`${path}/${place}`] !== undefined
    )
      continue;
    const platform = platformOf(name);
    if (platform === undefined) continue;
    lock.packages[place] = {
      version,
      ...(parent.dev ? { dev: true } : {}),
      optional: true,
      ...platform,
    };
    added.push(`${name}@${version}`);
  }
}

const unknown: string[] = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  const wanted = installedBy(path, entry);
  if (wanted === undefined || entry.integrity !== undefined) continue;
  const { name, version } = wanted;
  const integrity = await integrityOf(`${name}@${version}`);
  if (integrity === undefined) {
    unknown.push(`${name}@${version}`);
    continue;
  }
  // Behind the version, as npm writes it.
  const { version: own, ...rest } = entry;
  lock.packages[path] = { ...(own === undefined ? {} : { version: own }), integrity, ...rest };
  added.push(`the integrity of ${name}@${version}`);
}

if (added.length > 0) {
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  );
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
console.log(added.length === 0 ? 'package-lock.json is complete' : `added ${added.join(', ')}`);

if (unknown.length > 0) {
  console.error(`the registry states no integrity of ${unknown.join(', ')}`);
  process.exitCode = 1;
}

/** As the registry states it; undefined when it does not know the package. */
async function integrityOf(wanted: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('npm', ['view', wanted, 'dist.integrity'], {
      timeout: 60_000,
    });
    return INTEGRITY.test(stdout.trim()) ? stdout.trim() : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the platform from the name, the one place where such packages all say it. */
function platformOf(name: string): { os: string[]; cpu: string[] } | undefined {
  const words = name.split(/[/-]/);
  const os = words.find((word) => KNOWN_OS.includes(word));
  const cpu = words.findLast((word) => KNOWN_CPU.includes(word));
  if (os === undefined || cpu === undefined) return undefined;
  return { os: [OS_NAMES[os] ?? os], cpu: [CPU_NAMES[cpu] ?? cpu] };
}
