/** What is read of an entry of package-lock.json. */
export interface LockPackage {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  /** A folder of this repository. */
  link?: boolean;
  integrity?: string;
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

export interface LockFile {
  packages: Record<string, LockPackage>;
}

/** The name and version that an entry is installed by; undefined for folders of this repository. */
export function installedBy(
  path: string,
  { version, link }: LockPackage,
): { name: string; version: string } | undefined {
  const at = path.lastIndexOf('node_modules/');
  if (at === -1 || link === true || version === undefined) return undefined;
  return { name: path.slice(at + 'node_modules/'.length), version };
}

/** SHA-512, the only digest that npm writes today: 64 bytes in base64. */
export const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** What is wrong with the entries of a lock file: each that npm would install without checking what it gets. */
export function lockProblems({ packages }: LockFile): string[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    if (path === '' || installedBy(path, entry) === undefined) {
      return path.includes('node_modules/') && entry.link !== true
        ? [`${path} has no version`]
        : [];
    }
    const problems: string[] = [];
    if (!INTEGRITY.test(entry.integrity ?? ''))
      problems.push(`${path} has no integrity of SHA-512`);
    // npm asks the registry that is configured where the lock names none.
    if (entry.resolved !== undefined && !entry.resolved.startsWith('https://'))
      problems.push(`${path} is resolved without HTTPS`);
    return problems;
  });
}
