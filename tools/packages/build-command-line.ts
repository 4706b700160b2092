/** `npx constellation command-line`: builds the command line with the product. */
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { buildAssets } from '../build/build-assets.ts';
import { CHECKOUT_COMMANDS } from '../checkout-commands.ts';
import { fail, readCommandLine } from '../command-line.ts';
import { ROOT } from '../functions.ts';
import { type InstalledFunction, installation } from '../run/installation.ts';
import { BESIDE_FUNCTIONS } from '../run/local-cloud.ts';
import {
  ASSETS_FOLDER,
  FUNCTIONS_FOLDER,
  type PackagedFunctions,
} from '../run/packaged-installation.ts';
import { readManifest } from './compile-package.ts';
import { copyTexts } from './package-texts.ts';
import { packageOfFile, productionPackages, thirdPartyNotices } from './third-party.ts';

const HELP = `Builds the package constellation in dist/constellation: the command line, and the product as it runs on one
machine, with every function bundled. npm run release publishes it.

  npx constellation command-line

  --help  this text
`;

readCommandLine(HELP, { options: {} });

const folder = join(ROOT, 'dist/constellation');
/** Scripts and their data. What they read of the package, they look for one folder above. */
const SCRIPTS = join(folder, 'dist');
/** Libraries load modules of Node as CommonJS does. */
const REQUIRE = {
  js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
};
const BUNDLE = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  banner: REQUIRE,
  outdir: SCRIPTS,
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

/** In the package functions come from it, not from a checkout. */
const packagedInstallation: Plugin = {
  name: 'packaged installation',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/installation\.ts$/ }, () => ({
      path: join(ROOT, 'tools/run/packaged-installation.ts'),
    }));
  },
};

/** Copies files that a module names by `new URL('./file', import.meta.url)`, and has the script look for them beside it. */
const filesBeside: Plugin = {
  name: 'files beside modules',
  setup: ({ onLoad, initialOptions: { outdir = '' } }) => {
    onLoad({ filter: /\/tools\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text.replaceAll(
        /new URL\('(\.{1,2}\/[^']+\w)', import\.meta\.url\)/g,
        (_, named: string) => {
          const file = resolve(dirname(path), named);
          const place = `data/${relative(ROOT, file)}`;
          cpSync(file, join(outdir, place), { recursive: true });
          return `new URL('./${place}', import.meta.url)`;
        },
      );
      return { contents, loader: 'ts' };
    });
  },
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(SCRIPTS, { recursive: true });
/** Files that the scripts were made from. */
const sources = [...(await bundleCommands()), ...(await bundleScripts())];
await packFunctions();
cpSync(await buildAssets(), join(folder, ASSETS_FOLDER), { recursive: true });
copyTexts(folder);
writeNotices();
writeManifest();
console.error('wrote dist/constellation');

/** The commands that ask a deployment, in one file that Node 20 runs too, and the reader of documents beside it. */
async function bundleCommands(): Promise<string[]> {
  const target = 'node20';
  const entryPoints = ['client/command-line/constellation.ts'];
  const commands = await build({ ...BUNDLE, target, entryPoints });
  chmodSync(join(SCRIPTS, 'constellation.js'), 0o755);
  const reader = await build({
    ...BUNDLE,
    target,
    entryPoints: ['src/documents/node/document-worker.ts'],
    inject: ['client/command-line/node-20.ts'],
  });
  return [commands, reader].flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

/** The scripts that are published: their functions were built before, and the local runtime is a package of its own. */
async function bundleScripts(): Promise<string[]> {
  const scripts = Object.values(CHECKOUT_COMMANDS).filter(({ isPublished }) => isPublished);
  const { metafile } = await build({
    ...BUNDLE,
    target: 'node22',
    entryPoints: scripts.map(({ file }) => file),
    entryNames: '[name]',
    splitting: true,
    external: ['miniflare'],
    plugins: [packagedInstallation, filesBeside],
  });
  return Object.keys(metafile.inputs);
}

/** The code of each function once, and each binary file once for all functions. */
async function packFunctions(): Promise<void> {
  const functions = installation.functions();
  const place = join(folder, FUNCTIONS_FOLDER);
  mkdirSync(place, { recursive: true });
  const entries = [
    ...functions.map(({ main, isMinified }) => ({ main, minify: isMinified })),
    ...BESIDE_FUNCTIONS.map((main) => ({ main, minify: true })),
  ];
  const modules: PackagedFunctions['modules'] = {};
  for (const { main, minify } of entries) {
    const bundled = await installation.modules(main, { minify });
    modules[main] = bundled.map(({ type, path, contents }) => {
      const file = type === 'Data' ? path : `${nameOf(main)}.mjs`;
      writeFileSync(join(place, file), contents);
      return { type, path, file };
    });
  }
  const packaged: PackagedFunctions = { functions: functions.map(withoutPlace), modules };
  writeFileSync(join(place, 'functions.json'), JSON.stringify(packaged));
}

/** Without the paths of this checkout: the package knows its own. */
function withoutPlace({ options, ...others }: InstalledFunction): InstalledFunction {
  const { rootPath: _, ...rest } = options;
  const assets = rest.assets === undefined ? {} : { assets: { ...rest.assets, directory: '' } };
  return { ...others, options: { ...rest, ...assets } };
}

/** `functions/gateway/index.ts` -> `gateway`, `tools/run/outbound.ts` -> `outbound`. */
function nameOf(main: string): string {
  const name = basename(main, '.ts');
  return name === 'index' ? basename(dirname(main)) : name;
}

function writeNotices(): void {
  const bundled = sources.flatMap((file) => packageOfFile(file) ?? []);
  // The page that shows the API is theirs.
  const packages = [...bundled, ...productionPackages(), 'node_modules/swagger-ui-dist'];
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), thirdPartyNotices(packages));
}

function writeManifest(): void {
  const { version, license, devDependencies } = readManifest();
  const manifest = {
    name: 'constellation',
    version,
    description:
      'Answers from your own documents, with a source for every statement: the command line, and the product on this machine.',
    license,
    type: 'module',
    engines: { node: '>=20.12' },
    bin: { constellation: 'dist/constellation.js' },
    // The local runtime. Were it optional, npm would leave it out on Node 20, also for a later Node.
    dependencies: { miniflare: devDependencies.miniflare },
  };
  if (manifest.dependencies.miniflare === undefined)
    fail('Cannot build the command line: package.json names no version of miniflare');
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
