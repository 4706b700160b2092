/**
 * Checks that no two folders import each other, at any depth: neither two folders side by side with all that is below them,
 * nor the files of a folder and one below it. dependency-cruiser checks the same for files.
 *
 *   node tools/release/check-folders.ts
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readCommandLine } from '../command-line.ts';
import { ROOT } from '../functions.ts';

const HELP = `Checks that no two folders below src, functions, client, tools and research import each other.

  node tools/release/check-folders.ts

  --help  this text
`;

const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/** Pairs of folders that import each other: `a <-> b`, each once. */
export function foldersInCycles(
  imports: readonly (readonly [from: string, to: string])[],
): string[] {
  const edges = new Set(
    imports.flatMap(([from, to]) => edgesOf(dirname(from).split('/'), dirname(to).split('/'))),
  );
  return [...edges].flatMap((edge) => {
    const [from = '', to = ''] = edge.split(' ');
    return from < to && edges.has(`${to} ${from}`) ? [`${from} <-> ${to}`] : [];
  });
}

/** An import between `a/b/c` and `a/x/y` is one between `a/b` and `a/x`; one between `a` and `a/b/c` is one between `a` and `a/b`. */
const edgesOf = (from: readonly string[], to: readonly string[]): string[] => {
  const common = from.findIndex((name, at) => name !== to[at]);
  const shared = common < 0 ? from.length : common;
  if (shared === from.length && shared === to.length) return [];
  const cut = (path: readonly string[]) => path.slice(0, shared + 1).join('/');
  return [`${cut(from)} ${cut(to)}`];
};

const importsOf = (file: string): [string, string][] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].map(([, path = '']) => [
    file,
    join(dirname(file), path),
  ]);

/** What stands beside `src` is compared with each of its rooms alone: the console is built on the client, tools read the product. */
const asFolderOfSrc = (path: string): string => (path.startsWith('src/') ? path : `src/${path}`);

if (import.meta.main) {
  readCommandLine(HELP, { options: {} });
  const imports = globSync('{src,functions,client,tools,research}/**/*.{ts,tsx}', {
    cwd: ROOT,
  }).flatMap(importsOf);
  const cycles = foldersInCycles(
    imports.map(([from, to]) => [asFolderOfSrc(from), asFolderOfSrc(to)]),
  );
  for (const pair of cycles) console.error(`folders import each other: ${pair}`);
  process.exitCode = cycles.length > 0 ? 1 : 0;
}
