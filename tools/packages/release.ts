/** `npm run release`: publishes the packages. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, readCommandLine } from '../command-line.ts';
import { ROOT } from '../functions.ts';
import { readManifest } from './compile-package.ts';
import { buildPackage, PACKAGES, type PackageName } from './packages.ts';
import { ownersOf, publish, registryNote } from './registry.ts';
import { type PackedFiles, packedProblems, versionProblems } from './release-checks.ts';
import { tryPackage } from './try-package.ts';

const HELP = `Builds the three packages of this version, checks what npm would publish of each, and installs and uses each in an empty
folder: @constellation/contract, @constellation/client and constellation. Then it publishes them.

  npm run release -- [--dry-run]

  --dry-run  publish nothing; tarballs are in dist/packages
  --help     this text

Before: give package.json, client/package.json and package-lock.json the new version, and CHANGELOG.md a section for it
(CONTRIBUTING.md). Needs the registry; publishing needs npm login, every name to be free or yours, and the right to
publish for the scope @constellation. npm may ask for a one-time password. A release that failed half-way is run
again: what is published is skipped.
`;

const { values } = readCommandLine(HELP, {
  options: { 'dry-run': { type: 'boolean', default: false } },
});
const isDryRun = values['dry-run'];
const { version } = readManifest();
const names = Object.keys(PACKAGES) as PackageName[];

const folder = join(ROOT, 'dist/packages');
await main().catch((error: unknown) =>
  fail(error instanceof Error ? error.message : String(error)),
);

async function main(): Promise<void> {
  refuse(versionProblems({ version, ...texts() }));
  for (const name of names) console.log(registryNote(name, ownersOf(name)));
  if (!isDryRun) refuse(unreleasable());
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packages: { name: PackageName; tarball: string }[] = [];
  for (const name of names) packages.push({ name, tarball: await pack(name) });
  if (isDryRun) return console.log('published nothing: this was a dry run');
  publish(packages, version);
}

/** Builds, packs and tries a package. */
async function pack(name: PackageName): Promise<string> {
  const built = buildPackage(name);
  const args = ['pack', built, '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(npm(args)) as [PackedFiles & { filename: string }]; // as npm pack --json prints it
  refuse(packedProblems(packed, { ...PACKAGES[name], version, built, root: ROOT }));
  const { size, unpackedSize, files, filename } = packed;
  console.log(
    `${name} ${version}: ${kib(size)} packed, ${kib(unpackedSize)}, ${files.length} files`,
  );
  const tarball = join(folder, filename);
  const empty = mkdtempSync(join(tmpdir(), 'constellation-release-'));
  try {
    for (const line of await tryPackage(name, { tarball, folder: empty })) console.log(`  ${line}`);
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
  return tarball;
}

function texts() {
  const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
  return {
    changelog: read('CHANGELOG.md'),
    manifests: {
      'client/package.json': read('client/package.json'),
      'package-lock.json': read('package-lock.json'),
    },
  };
}

/** What keeps a version from being published, beside its content. */
function unreleasable(): string[] {
  const { stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
  const taken = names.filter((name) => ownersOf(name)?.includes(npm(['whoami']).trim()) === false);
  return [
    ...(stdout === '' ? [] : ['there are changes that are not committed']),
    ...taken.map((name) => `the name ${name} belongs to others on the registry`),
  ];
}

function npm(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`Cannot release ${version}: ${problems.join('; ')}`);
}

function kib(bytes: number): string {
  return `${Math.ceil(bytes / 1024).toLocaleString('en')} KiB`;
}
