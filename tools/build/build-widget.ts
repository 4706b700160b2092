import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { ROOT } from '../functions.ts';

/** Bytes after gzip that a file may have. The second is loaded when a visitor begins to type. */
const LIMITS = { 'widget.js': 20 * 1024, 'widget-markdown.js': 45 * 1024 };

/**
 * The answer box for other web sites: a classic script, and the module that reads Markdown for it. With the files that they were made
 * from, by their paths from the root.
 *
 * @throws {Error} When one is larger than its limit after gzip, and for what the bundler warns of.
 */
export async function buildWidget(): Promise<{
  files: { name: string; text: string }[];
  sources: string[];
}> {
  const builds = await Promise.all([
    bundle('widget.js', { entry: 'src/web/widget/widget.ts', format: 'iife' }),
    bundle('widget-markdown.js', { entry: 'src/web/widget/markdown.ts', format: 'esm' }),
  ]);
  return { files: builds, sources: builds.flatMap(({ sources }) => sources) };
}

const bundle = async (
  name: keyof typeof LIMITS,
  { entry, format }: { entry: string; format: 'iife' | 'esm' },
) => {
  const { outputFiles, metafile, warnings } = await build({
    entryPoints: [entry],
    absWorkingDir: ROOT,
    bundle: true,
    format,
    target: 'es2022',
    loader: { '.css': 'text' },
    minify: true,
    charset: 'utf8',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  if (warnings.length > 0) throw new Error(`Cannot build ${name}: ${warnings[0]?.text}`);
  const text = outputFiles[0]?.text ?? '';
  const bytes = gzipSync(text, { level: 9 }).length;
  if (bytes > LIMITS[name])
    throw new Error(
      `Cannot build ${name}: it has ${bytes} bytes after gzip, more than ${LIMITS[name]}`,
    );
  return { name, text, sources: Object.keys(metafile.inputs) };
};
