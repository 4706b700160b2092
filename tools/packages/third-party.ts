import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../functions.ts';

/** Names of the files that a package states its licence in. */
const LICENCE_FILE = /^(?:licen[cs]e|notice|copying)(?:[.-]|$)/i;

/** The folder of the package that a file belongs to, from the root; `undefined` for a file of ours. */
export function packageOfFile(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

/** The folders of the packages that functions may hold: what `dependencies` of the root lead to. */
export function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([folder, { dev, devOptional }]) => folder !== '' && !dev && !devOptional)
    .map(([folder]) => folder);
}

/**
 * The licences of packages whose code is bundled, which most of them want to accompany it.
 *
 * @param folders Folders of packages, from the root.
 */
export function thirdPartyNotices(folders: Iterable<string>): string {
  const notices = [...new Set(folders)].sort().map(noticeOf);
  return `Code of these packages is part of this one.\n\n${notices.join('\n')}`;
}

function noticeOf(folder: string): string {
  const place = join(ROOT, folder);
  const { name, version, license } = JSON.parse(
    readFileSync(join(place, 'package.json'), 'utf8'),
  ) as { name: string; version: string; license?: string };
  const texts = readdirSync(place)
    .filter((file) => LICENCE_FILE.test(file))
    .map((file) => readFileSync(join(place, file), 'utf8').trim());
  const heading = `${name} ${version}: ${license ?? 'see below'}`;
  return `${'-'.repeat(80)}\n${heading}\n\n${texts.join('\n\n')}\n`;
}
