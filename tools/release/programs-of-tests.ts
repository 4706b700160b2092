import { relative } from 'node:path';
import { build, type Metafile } from 'esbuild';
import type { Program } from '../stand-ins/ensure-installed.ts';

/** The modules that start a program: what imports one, needs the program. */
const STARTED_BY = {
  redis: 'tools/stand-ins/redis/redis-process.ts',
  chromium: 'research/screenshots/launch-chromium.ts',
} satisfies Record<Program, string>;

/**
 * How many of the test files need each program, by what they import, however deep. Imports of types alone do not count.
 *
 * @param files Absolute paths below `root`, the folder of the project.
 * @returns Only programs that a file needs.
 */
export async function programsOfTests(
  files: readonly string[],
  root: string,
): Promise<Map<Program, number>> {
  const counts = new Map<Program, number>();
  for (const modules of (await importsOf(files, root)).values())
    for (const [program, module] of Object.entries(STARTED_BY) as [Program, string][])
      if (modules.has(module)) counts.set(program, (counts.get(program) ?? 0) + 1);
  return counts;
}

/** What a test file runs beside its own process, the heaviest first. */
export const TEST_KINDS = ['browser', 'services', 'workerd', 'unit'] as const;
export type TestKind = (typeof TEST_KINDS)[number];

/**
 * The kind of each test file, by what it imports, however deep: Chromium, Redis or other processes, workerd, or nothing.
 *
 * @param files Absolute paths below `root`.
 */
export async function kindsOfTests(
  files: readonly string[],
  root: string,
): Promise<Map<string, TestKind>> {
  const imports = await importsOf(files, root);
  return new Map([...imports].map(([file, modules]) => [file, kindOf(modules)]));
}

const kindOf = (modules: ReadonlySet<string>): TestKind => {
  if (modules.has(STARTED_BY.chromium)) return 'browser';
  if (modules.has(STARTED_BY.redis) || modules.has('node:child_process')) return 'services';
  return modules.has('miniflare') ? 'workerd' : 'unit';
};

/** By file, the modules that it imports, however deep; packages and modules of Node by their names. */
async function importsOf(
  files: readonly string[],
  root: string,
): Promise<Map<string, Set<string>>> {
  const entries = files.map((file) => relative(root, file).replaceAll('\\', '/'));
  const { metafile } = await build({
    absWorkingDir: root,
    // One bundle, which is never written, for all of them: only its list of imports is used.
    stdin: {
      contents: entries.map((entry) => `import ${JSON.stringify(`./${entry}`)};`).join('\n'),
      resolveDir: root,
    },
    write: false,
    bundle: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    external: ['cloudflare:*'],
    loader: { '.wasm': 'empty', '.html': 'empty', '.css': 'empty', '.bin': 'empty' },
    logLevel: 'silent',
  });
  return new Map(files.map((file, at) => [file, importedBy(entries[at] ?? '', metafile)]));
}

function importedBy(entry: string, { inputs }: Metafile): Set<string> {
  const modules = new Set([entry]);
  for (const module of modules)
    for (const { path } of inputs[module]?.imports ?? []) modules.add(path);
  return modules;
}
