/** What `npm run release` asks the npm registry, and what it publishes there. */
import { spawnSync } from 'node:child_process';
import * as z from 'zod';
import { ROOT } from '../functions.ts';

const Failure = z.object({
  error: z.object({ code: z.string(), summary: z.string().default('') }),
});

/** A part of what `npm view <name> maintainers --json` prints; mirrors of the registry name no one. */
const Owners = z.union([z.array(z.string()), z.string().transform((owner) => [owner]), Failure]);

/** What `npm view <name>@<version> version --json` prints; earlier npm prints nothing for a version that is missing. */
const Version = z.union([z.string(), z.array(z.never()), Failure]);

/** Who may publish a name; `undefined` when it is free. */
export function ownersOf(name: string): string[] | undefined {
  const result = Owners.parse(view(name, 'maintainers'));
  if (Array.isArray(result)) return result.map((owner) => owner.replace(/ <.*/, ''));
  refuseUnlessMissing(name, result);
  return undefined;
}

/** What is said of a name before it is published. */
export function registryNote(name: string, owners: readonly string[] | undefined): string {
  if (owners !== undefined)
    return `${name} is on the registry and belongs to ${owners.join(', ') || 'others'}: only they can publish it`;
  const [scope = ''] = /^@[^/]+/.exec(name) ?? [];
  return scope === ''
    ? `${name} is free on the registry`
    : `${name} is free on the registry; publishing it needs a user or organisation ${scope} there, and the right to publish for it`;
}

interface BuiltPackage {
  name: string;
  tarball: string;
}

/**
 * Publishes the packages whose version is not on the registry yet, so that a release that failed between two of
 * them can be run again.
 *
 * @throws {Error} When npm cannot publish one.
 */
export function publish(packages: readonly BuiltPackage[], version: string): void {
  for (const { name, tarball } of packages) {
    if (isPublished(name, version)) console.log(`${name} ${version} is on the registry: skipped`);
    else publishTarball(tarball);
  }
}

const isPublished = (name: string, version: string): boolean => {
  const result = Version.parse(view(`${name}@${version}`, 'version'));
  if (typeof result === 'string') return result === version;
  if (!Array.isArray(result)) refuseUnlessMissing(name, result);
  return false;
};

/** In the terminal of the caller, whom npm asks for a one-time password. */
const publishTarball = (tarball: string): void => {
  const args = ['publish', tarball, '--access', 'public'];
  const { status } = spawnSync('npm', args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0)
    throw new Error(`npm ${args.join(' ')} failed. Run it again: what is published is skipped`);
};

const view = (what: string, field: string): unknown => {
  const { stdout } = spawnSync('npm', ['view', what, field, '--json'], { encoding: 'utf8' });
  return JSON.parse(stdout.trim() || '[]');
};

const refuseUnlessMissing = (name: string, { error }: z.infer<typeof Failure>): void => {
  if (error.code !== 'E404')
    throw new Error(`Cannot ask the registry about ${name}: ${error.summary}`);
};
