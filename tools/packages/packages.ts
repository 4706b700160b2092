import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../functions.ts';

export type PackageName = '@constellation/contract' | '@constellation/client' | 'constellation';

interface PublishedPackage {
  /** The script that builds it. */
  script: string;
  /** What npm packs, from the root. */
  folder: string;
  /** The most bytes that npm may pack, to catch accidents. */
  maxPackedBytes: number;
}

/** What a release publishes, in this order; all have the version of the root. */
export const PACKAGES: Readonly<Record<PackageName, PublishedPackage>> = {
  '@constellation/contract': {
    script: 'tools/packages/build-contract.ts',
    folder: 'dist/contract',
    maxPackedBytes: 300_000,
  },
  '@constellation/client': {
    script: 'tools/packages/build-client.ts',
    folder: 'client',
    maxPackedBytes: 100_000,
  },
  constellation: {
    script: 'tools/packages/build-command-line.ts',
    folder: 'dist/constellation',
    maxPackedBytes: 15_000_000,
  },
};

/**
 * Builds a package.
 *
 * @returns The folder that npm packs.
 * @throws {Error} With what the build has printed.
 */
export function buildPackage(name: PackageName): string {
  const { script, folder } = PACKAGES[name];
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`Cannot build ${name}: ${stderr}`);
  return join(ROOT, folder);
}
