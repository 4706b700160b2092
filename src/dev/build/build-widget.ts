import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { ROOT } from '../functions.ts';

const MAX_BYTES = 20 * 1024;

/**
 * The answer box for other web sites, as one classic script.
 *
 * @throws {Error} When it is larger than 20 KiB after gzip, and for what the bundler warns of.
 */
export const buildWidget = (): string => {
  const { outputFiles, warnings } = buildSync({
    entryPoints: [join(ROOT, 'src/widget/widget.ts')],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    loader: { '.css': 'text' },
    minify: true,
    charset: 'utf8',
    write: false,
    logLevel: 'silent',
  });
  if (warnings.length > 0) throw new Error(`Cannot build the widget: ${warnings[0]?.text}`);
  const text = outputFiles[0]?.text ?? '';
  const bytes = gzipSync(text, { level: 9 }).length;
  if (bytes > MAX_BYTES)
    throw new Error(`Cannot build the widget: it has ${bytes} bytes after gzip, more than ${MAX_BYTES}`);
  return text;
};
