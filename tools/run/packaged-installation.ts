import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerModule } from '../build/bundle-function.ts';
import { ROOT } from '../functions.ts';
import type { Installation, InstalledFunction } from './installation.ts';

/** What `tools/packages/build-command-line.ts` writes beside the code of the functions. */
export interface PackagedFunctions {
  functions: InstalledFunction[];
  /** By entry file: the file of each of its modules, by the name that it is imported by. */
  modules: Record<string, { type: WorkerModule['type']; path: string; file: string }[]>;
}

/** Folder of the functions in the package. */
export const FUNCTIONS_FOLDER = 'functions';
/** Folder of the gateway's static files in the package. */
export const ASSETS_FOLDER = 'assets';

let packaged: PackagedFunctions | undefined;

/** Written by the build of the same version, so it is read as it is. */
const packagedFunctions = (): PackagedFunctions => {
  packaged ??= JSON.parse(
    readFileSync(join(ROOT, FUNCTIONS_FOLDER, 'functions.json'), 'utf8'),
  ) as PackagedFunctions;
  return packaged;
};

/** The published package: everything was built when it was released. */
export const installation: Installation = {
  functions: () =>
    packagedFunctions().functions.map(({ options, ...others }) => ({
      ...others,
      options: {
        ...options,
        rootPath: ROOT,
        ...(options.assets === undefined
          ? {}
          : { assets: { ...options.assets, directory: join(ROOT, ASSETS_FOLDER) } }),
      },
    })),
  modules: async (main) => {
    const modules = packagedFunctions().modules[main];
    if (modules === undefined) throw new Error(`Cannot run ${main}: the package does not have it`);
    return modules.map(readModule);
  },
  prepareAssets: async () => undefined,
};

const readModule = ({
  type,
  path,
  file,
}: PackagedFunctions['modules'][string][number]): WorkerModule => {
  const bytes = readFileSync(join(ROOT, FUNCTIONS_FOLDER, file));
  return type === 'Data'
    ? { type, path, contents: Uint8Array.from(bytes) }
    : { type, path, contents: bytes.toString() };
};
