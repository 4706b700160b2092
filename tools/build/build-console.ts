import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../functions.ts';

/** Folder of the console among the static files of the gateway. */
export const CONSOLE_FOLDER = 'console';

/** The console, and the panel beside a ticket: the script of each page. */
const PAGES = { 'index.html': 'src/web/console/main.tsx', 'panel.html': 'src/web/panel/main.tsx' };

export interface BuiltFile {
  name: string;
  text: string;
}

/**
 * The pages for people: their HTML, and scripts and styles whose names hold a hash of their content, so that they can be cached for ever. Each
 * view is a script of its own. With the files that they were made from, by their paths from the root.
 *
 * @throws {Error} For what the bundler warns of, too.
 */
export async function buildConsole(): Promise<{ files: BuiltFile[]; sources: string[] }> {
  const { outputFiles, metafile, warnings } = await build({
    entryPoints: {
      app: join(ROOT, PAGES['index.html']),
      panel: join(ROOT, PAGES['panel.html']),
      style: join(ROOT, 'src/web/console/styles/index.css'),
    },
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
  const [style = ''] =
    outputs.find(([, { entryPoint }]) => entryPoint === 'src/web/console/styles/index.css') ?? [];
  const template = readFileSync(join(ROOT, 'src/web/console/index.html'), 'utf8');
  const pages = Object.entries(PAGES).map(([name, source]) => {
    const [script = '', built] = outputs.find(([, { entryPoint }]) => entryPoint === source) ?? [];
    const preloads = (built?.imports ?? [])
      .filter(({ kind }) => kind === 'import-statement')
      .map(({ path }) => `<link rel="modulepreload" href="/${path}">`);
    const text = template
      .replace('{{style}}', `/${style}`)
      .replace('{{script}}', `/${script}`)
      .replace('{{preloads}}', preloads.join('\n    '));
    return { name, text };
  });
  const files = [
    ...outputFiles.map(({ path, text }) => ({ name: basename(path), text })),
    ...pages,
  ];
  return { files, sources: Object.keys(metafile.inputs) };
}
