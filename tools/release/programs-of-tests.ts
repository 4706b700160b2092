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
export async function programsOfTests(files: readonly string[], root: string): Promise<Map<Program, number>> {
  const entries = files.map((file) => relative(root, file).replaceAll('\\', '/'));
  const { metafile } = await build({
    absWorkingDir: root,
    // One bundle, which is never written, for all of them: only its list of imports is used.
    stdin: { contents: entries.map((entry) => `import ${JSON.stringify(`./${entry}`)};`).join('\n'), resolveDir: root },
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
  const counts = new Map<Program, number>();
  for (const entry of entries) {
    const modules = importedBy(entry, metafile);
    for (const [program, module] of Object.entries(STARTED_BY) as [Program, string][])
      if (modules.has(module)) counts.set(program, (counts.get(program) ?? 0) + 1);
  }
  return counts;
}

function importedBy(entry: string, { inputs }: Metafile): Set<string> {
  const modules = new Set([entry]);
  for (const module of modules)
    for (const { path, external } of inputs[module]?.imports ?? []) if (external !== true) modules.add(path);
  return modules;
}
