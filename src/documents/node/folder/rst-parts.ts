import { posix } from 'node:path';
import ignore from 'ignore';

/** Other files that a page of reStructuredText names, as it writes them. */
export interface RstReferences {
  /** What it includes, and files with the data of its tables. */
  included: string[];
  /** What its tables of contents list, with patterns. */
  listed: string[];
}

const INCLUDE =
  /^[ \t]*\.\.[ \t]+include::[ \t]+(\S{1,300})[ \t]*$|^[ \t]+:file:[ \t]+(\S{1,300})[ \t]*$/gm;
const CONTENTS = /^([ \t]*)\.\.[ \t]+toctree::[^\n]*\n((?:\1[ \t]+\S[^\n]*\n|[ \t]*\n){0,2000})/gm;
const ENTRY = /^[ \t]*(?!:)(?:[^\n<]{0,300}<([^>\n]{1,300})>|(\S{1,300}))[ \t]*$/gm;

export function rstReferences(text: string): RstReferences {
  const contents = Array.from(`${text}\n`.matchAll(CONTENTS), ([, , body = '']) => body);
  return {
    included: Array.from(text.matchAll(INCLUDE), ([, part, file = '']) => part ?? file),
    listed: contents.flatMap((body) =>
      Array.from(body.matchAll(ENTRY), ([, named, path = '']) => named ?? path),
    ),
  };
}

/**
 * Files that others include and no table of contents lists: parts of these pages, whatever their names.
 *
 * @param pages By path from the folder, with slashes.
 * @param paths All files.
 * @param rootOf The folder from which a path that begins with a slash is meant, for the page that names it; empty for the folder itself.
 */
export function rstParts(
  pages: ReadonlyMap<string, RstReferences>,
  { paths, rootOf }: { paths: readonly string[]; rootOf: (path: string) => string },
): ReadonlySet<string> {
  const all = new Set(paths);
  const parts = new Set<string>();
  for (const [path, { included }] of pages)
    for (const target of included) {
      const part = placeOf(target, path, rootOf(path));
      if (part !== path && all.has(part)) parts.add(part);
    }
  for (const [path, { listed }] of pages)
    for (const entry of listed) {
      const place = placeOf(entry.replace(/\.rst$/, ''), path, rootOf(path));
      for (const page of [`${place}.rst`, `${place}.md`, placeOf(entry, path, rootOf(path))])
        parts.delete(page);
      const pattern = place.includes('*')
        ? ignore().add([`/${place}.rst`, `/${place}.md`])
        : undefined;
      for (const part of pattern === undefined ? [] : parts)
        if (pattern?.ignores(part)) parts.delete(part);
    }
  return parts;
}

const placeOf = (target: string, path: string, root: string): string =>
  target.startsWith('/')
    ? posix.join(root, target.slice(1))
    : posix.join(posix.dirname(path), target);
