import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as z from 'zod';
import { ROOT } from '../functions.ts';
import { cachedBuild } from './build-cache.ts';
import { buildConsole, CONSOLE_FOLDER } from './build-console.ts';
import { buildWidget } from './build-widget.ts';

/** Folder of the gateway's static files, which its configuration names. */
const FOLDER = join(ROOT, 'dist/assets');

/** As they are in the package: nothing is loaded from another host. */
const VIEWER = [
  import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
];

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Constellation API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="api"></div>
    <script src="/docs/swagger-ui-bundle.js" charset="utf-8"></script>
    <script src="/docs/start.js" charset="utf-8"></script>
  </body>
</html>
`;

/** No validator: it would send the description to another host. */
const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  persistAuthorization: false,
});
`;

/** What the files are made from, beside the modules that the bundler reports. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  'src/web/pages/pages.css',
  'src/web/console/index.html',
];

/**
 * Makes the static files of the gateway, if one of them or of their sources has changed: the console, the description of the API, and the page
 * that shows it. Files that are as they should be stay untouched, so that several processes may build at once.
 *
 * @returns The folder.
 */
export async function buildAssets(folder = FOLDER): Promise<string> {
  await cachedBuild(
    {
      key: `static files in ${folder}`,
      what: 'the console, the answer box and the description of the API',
    },
    z.null(),
    async () => {
      const [pages, widget, api] = await Promise.all([
        buildConsole(),
        buildWidget(),
        describeApi(),
      ]);
      const viewer = VIEWER.map((file) => ({
        name: `docs/${basename(file)}`,
        text: read(fileURLToPath(file)),
      }));
      const built = [
        ...pages.files.map(({ name, text }) => ({ name: join(CONSOLE_FOLDER, name), text })),
        ...viewer,
        { name: 'docs/index.html', text: PAGE },
        { name: 'docs/start.js', text: START },
        { name: 'pages.css', text: read(join(ROOT, 'src/web/pages/pages.css')) },
        ...widget.files,
        { name: 'openapi.json', text: api.text },
      ];
      for (const { name, text } of built) write(join(folder, name), text);
      removeOtherPages(join(folder, CONSOLE_FOLDER), new Set(pages.files.map(({ name }) => name)));
      const written = built.map(({ name }) => relative(ROOT, join(folder, name)));
      return {
        files: [...SOURCES, ...pages.sources, ...widget.sources, ...api.sources, ...written],
        result: null,
      };
    },
  );
  return folder;
}

/** The description of the API, made from the contract's modules and their comments; its sources include the modules of the build. */
const describeApi = async (): Promise<{ text: string; sources: string[] }> => {
  const [{ metafile }, { openApiDocument }, { describeSchemas }] = await Promise.all([
    build({
      entryPoints: ['tools/build/build-assets.ts'],
      absWorkingDir: ROOT,
      bundle: true,
      platform: 'node',
      packages: 'external',
      format: 'esm',
      outdir: 'dist',
      metafile: true,
      write: false,
      logLevel: 'silent',
    }),
    import('./openapi.ts'),
    import('./describe-schemas.ts'),
  ]);
  const { version } = JSON.parse(read(join(ROOT, 'package.json'))) as { version: string };
  const document = openApiDocument({ version, describe: describeSchemas() });
  return { text: JSON.stringify(document), sources: Object.keys(metafile.inputs) };
};

/** The names of the console's files change with their content; those of earlier builds are removed. */
const removeOtherPages = (folder: string, current: ReadonlySet<string>): void => {
  for (const name of readdirSync(folder)) {
    // A name with more behind it is a file that another process writes now.
    if (!current.has(name) && /\.(?:js|css)$/.test(name))
      rmSync(join(folder, name), { force: true });
  }
};

const read = (path: string): string => readFileSync(path, 'utf8');

/** A file of that name is complete at any moment. */
const write = (path: string, text: string): void => {
  if (existsSync(path) && read(path) === text) return;
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
};
