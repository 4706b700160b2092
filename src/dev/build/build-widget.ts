import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { ROOT } from '../functions.ts';

const MAX_BYTES = 20 * 1024;

/**
 * The answer box for other web sites, as one classic script, and the files that it was made from, by their paths from the root.
 *
 * @throws {Error} When it is larger than 20 KiB after gzip, and for what the bundler warns of.
 */
export const buildWidget = async (): Promise<{ text: string; sources: string[] }> => {
  const { outputFiles, metafile, warnings } = await build({
    entryPoints: ['src/widget/widget.ts'],
    absWorkingDir: ROOT,
    bundle: true,
    format: 'iife',
    target: 'es2022',
    loader: { '.css': 'text' },
    minify: true,
    charset: 'utf8',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  if (warnings.length > 0) throw new Error(`Cannot build the widget: ${warnings[0]?.text}`);
  const text = outputFiles[0]?.text ?? '';
  const bytes = gzipSync(text, { level: 9 }).length;
  if (bytes > MAX_BYTES)
    throw new Error(`Cannot build the widget: it has ${bytes} bytes after gzip, more than ${MAX_BYTES}`);
  return { text, sources: Object.keys(metafile.inputs) };
};
