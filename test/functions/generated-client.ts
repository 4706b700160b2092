import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { ROOT } from '../../tools/functions.ts';

/**
 * A client that `openapi-typescript` and `openapi-fetch` make of a description, as others make one of ours: its types are generated, a
 * program that uses them is compiled by the compiler of this project, and run.
 *
 * @param description The text of `/openapi.json`.
 * @param program A module that imports `./client.ts`, which exports `client`, and exports `run`.
 */
export async function compileClient(
  description: string,
  program: string,
  { url, key }: { url: URL; key: string },
) {
  const cache = join(ROOT, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'generated-client-'));
  try {
    const { default: generate, astToString } = await loadGenerator(folder);
    await writeFile(join(folder, 'paths.d.ts'), astToString(await generate(description)));
    await writeFile(
      join(folder, 'client.ts'),
      `import createClient from 'openapi-fetch';
import type { paths } from './paths.d.ts';
export const client = createClient<paths, 'application/json'>({
  baseUrl: ${JSON.stringify(url.origin)},
  headers: { Authorization: ${JSON.stringify(`Bearer ${key}`)} },
});
`,
    );
    await writeFile(join(folder, 'program.ts'), program);
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: OPTIONS, files: ['program.ts'] }),
    );
    const { stdout } = await compile(folder);
    if (stdout !== '') return { problems: stdout, run: undefined };
    const loaded = await bundled(folder, 'program.ts');
    // What the program exports.
    return { problems: '', run: loaded.run as () => Promise<Record<string, unknown>> };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const OPTIONS = {
  target: 'es2023',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom'],
  types: [],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  exactOptionalPropertyTypes: true,
};

const compile = (folder: string) =>
  promisify(execFile)(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder],
    {
      maxBuffer: 10_000_000,
    },
  ).catch((error: unknown) => {
    // The compiler ends with 1 or 2 when it has found problems, and lists them there.
    if (
      error instanceof Error &&
      'stdout' in error &&
      typeof error.stdout === 'string' &&
      error.stdout !== ''
    )
      return { stdout: error.stdout };
    throw error;
  });

interface Generator {
  default(description: string): Promise<object[]>;
  astToString(nodes: object[]): string;
}

/** The generator needs the interface of TypeScript 5 for programs, which version 7 does not have; `@ts-morph/common` contains it. */
const loadGenerator = async (folder: string): Promise<Generator> => {
  await writeFile(
    join(folder, 'typescript.cjs'),
    `module.exports = require('@ts-morph/common').ts;`,
  );
  await writeFile(
    join(folder, 'generator.ts'),
    `export * from 'openapi-typescript';\nexport { default } from 'openapi-typescript';`,
  );
  // What the module above exports.
  return (await bundled(folder, 'generator.ts', {
    typescript: join(folder, 'typescript.cjs'),
  })) as unknown as Generator;
};

const bundled = async (
  folder: string,
  name: string,
  alias: Record<string, string> = {},
): Promise<Record<string, unknown>> => {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(folder, name)],
    outfile,
    alias,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    external: ['@ts-morph/common', '@redocly/openapi-core'],
    banner: {
      js: `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);`,
    },
  });
  return import(pathToFileURL(outfile).href);
};
