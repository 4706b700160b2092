import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';
import { ROOT } from '../functions.ts';

/** Folder of the console among the static files of the gateway. */
export const CONSOLE_FOLDER = 'console';

export interface BuiltFile {
  name: string;
  text: string;
}

/**
 * The page for people: its HTML, and scripts and styles whose names hold a hash of their content, so that they can be cached for ever. Each
 * view is a script of its own.
 *
 * @throws {Error} For what the bundler warns of, too.
 */
export const buildConsole = (): BuiltFile[] => {
  const { outputFiles, metafile, warnings } = buildSync({
    entryPoints: { app: join(ROOT, 'src/console/main.tsx'), style: join(ROOT, 'src/console/styles/index.css') },
    absWorkingDir: ROOT,
    outdir: CONSOLE_FOLDER,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    charset: 'utf8',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  if (warnings.length > 0) throw new Error(`Cannot build the console: ${warnings[0]?.text}`);
  const outputs = Object.entries(metafile.outputs);
  const [script = '', app] = outputs.find(([, { entryPoint }]) => entryPoint === 'src/console/main.tsx') ?? [];
  const [style = ''] = outputs.find(([, { entryPoint }]) => entryPoint === 'src/console/styles/index.css') ?? [];
  const preloads = (app?.imports ?? [])
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="/${path}">`);
  const page = readFileSync(join(ROOT, 'src/console/index.html'), 'utf8')
    .replace('{{style}}', `/${style}`)
    .replace('{{script}}', `/${script}`)
    .replace('{{preloads}}', preloads.join('\n    '));
  return [...outputFiles.map(({ path, text }) => ({ name: basename(path), text })), { name: 'index.html', text: page }];
};
