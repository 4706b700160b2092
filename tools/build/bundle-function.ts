import { readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { type BuildOptions, build, version as esbuildVersion, type Plugin } from 'esbuild';
import * as z from 'zod';
import { ROOT } from '../functions.ts';
import { cachedBuild } from './build-cache.ts';

/** A module of a worker, as Miniflare takes it. */
export type WorkerModule =
  | { type: 'ESModule'; path: string; contents: string }
  | { type: 'Data'; path: string; contents: Uint8Array<ArrayBuffer> };

/** Cache of bundles: several workers may share a file, and a process may start the functions again. */
const bundles = new Map<string, Promise<WorkerModule[]>>();

/** Bundles as wrangler does for a deployment, in memory: the code first, then the binary files that it imports. */
export function bundleModules(entry: string, { minify = false } = {}): Promise<WorkerModule[]> {
  const key = JSON.stringify([entry, minify]);
  const bundling = bundles.get(key) ?? buildModules(entry, minify);
  bundles.set(key, bundling);
  return bundling;
}

const buildModules = async (entry: string, minify: boolean): Promise<WorkerModule[]> => {
  const { code, data } = await buildOrRead(entry, minify);
  const files = Object.entries(data).map(([path, file]) => ({
    type: 'Data' as const,
    path,
    contents: Uint8Array.from(readFileSync(join(ROOT, file))),
  }));
  return [{ type: 'ESModule', path: 'index.mjs', contents: code }, ...files];
};

const Built = z.object({
  code: z.string(),
  /** The binary files that the code imports, by the name that it imports them by; paths are relative to the root. */
  data: z.record(z.string(), z.string()),
});

const buildOrRead = (entry: string, minify: boolean): Promise<z.infer<typeof Built>> => {
  const options = { ...OPTIONS, minify, entryPoints: [relative(ROOT, resolve(entry))] };
  return cachedBuild(
    { key: JSON.stringify([esbuildVersion, options]), what: 'the functions' },
    Built,
    async () => {
      const data: Record<string, string> = {};
      const { outputFiles, metafile } = await build({
        ...options,
        absWorkingDir: ROOT,
        write: false,
        metafile: true,
        plugins: [dataModules(data)],
      });
      return {
        files: Object.keys(metafile.inputs),
        result: { code: outputFiles[0]?.text ?? '', data },
      };
    },
  );
};

const OPTIONS = {
  bundle: true,
  format: 'esm',
  target: 'es2024',
  external: ['cloudflare:*'],
  conditions: ['workerd', 'worker', 'browser'],
  logLevel: 'silent',
} satisfies BuildOptions;

/** The code alone, for functions that import no binary file. */
export async function bundle(entry: string, options?: { minify?: boolean }): Promise<string> {
  const [code, ...data] = await bundleModules(entry, options);
  if (code?.type !== 'ESModule' || data.length > 0)
    throw new Error(`Cannot bundle ${entry} as one file: it has data`);
  return code.contents;
}

/** Keeps imports of binary files external for workerd, and records their paths. */
const dataModules = (found: Record<string, string>): Plugin => ({
  name: 'data modules',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\.bin$/ }, ({ path, resolveDir }) => {
      const name = basename(path);
      found[name] = relative(ROOT, resolve(resolveDir, path));
      return { path: `./${name}`, external: true };
    });
  },
});
