import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../functions.ts';
import { buildConsole, CONSOLE_FOLDER } from './build-console.ts';
import { buildWidget } from './build-widget.ts';
import { describeSchemas } from './describe-schemas.ts';
import { openApiDocument } from './openapi.ts';

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

/**
 * Makes the static files of the gateway: the console, the description of the API, and the page that shows it. Files that are as they should
 * be stay untouched, so that several processes may build at once.
 *
 * @returns The folder.
 */
export const buildAssets = (): string => {
  if (isBuilt) return FOLDER;
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  write('openapi.json', JSON.stringify(openApiDocument({ version, describe: describeSchemas() })));
  write('docs/index.html', PAGE);
  write('docs/start.js', START);
  write('pages.css', readFileSync(join(ROOT, 'src/gateway/pages.css'), 'utf8'));
  write('widget.js', buildWidget());
  for (const file of VIEWER) copy(fileURLToPath(file), join(FOLDER, 'docs', basename(file)));
  writeConsole();
  isBuilt = true;
  return FOLDER;
};

/** The names of its files change with their content; those of earlier builds are removed. */
const writeConsole = (): void => {
  const files = buildConsole();
  for (const { name, text } of files) write(join(CONSOLE_FOLDER, name), text);
  const current = new Set(files.map(({ name }) => name));
  for (const name of readdirSync(join(FOLDER, CONSOLE_FOLDER))) {
    // A name with more behind it is a file that another process writes now.
    if (!current.has(name) && /\.(?:js|css)$/.test(name)) rmSync(join(FOLDER, CONSOLE_FOLDER, name), { force: true });
  }
};

/** By this process. */
let isBuilt = false;

const write = (name: string, text: string): void => {
  const path = join(FOLDER, name);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  inPlace(path, (unfinished) => writeFileSync(unfinished, text));
};

const copy = (from: string, to: string): void => {
  if (existsSync(to) && statSync(to).size === statSync(from).size) return;
  inPlace(to, (unfinished) => copyFileSync(from, unfinished));
};

/** A file of that name is complete at any moment. */
const inPlace = (path: string, make: (unfinished: string) => void): void => {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  make(unfinished);
  renameSync(unfinished, path);
};
