import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from '../functions.ts';

/** What is published for programs: the entry file of each module of the reference. */
const ENTRIES = [
  'src/contract/index.ts',
  'src/contract/conformance/describe-librarian.ts',
  'client/index.ts',
];

/**
 * The API reference of the contract and the client, from their docstrings.
 *
 * @param folder Where its pages are written; without it the reference is only checked.
 * @returns What TypeDoc warns of: types that are used and not exported, links and parameters that do not exist.
 */
export async function buildReference(folder?: string): Promise<string[]> {
  useTypeScript5();
  const { Application, LogLevel } = await import('typedoc');
  const app = await Application.bootstrap({
    entryPoints: ENTRIES.map((entry) => join(ROOT, entry)),
    tsconfig: join(ROOT, 'tsconfig.json'),
    name: 'Constellation',
    readme: 'none',
    includeVersion: true,
    disableSources: true,
    // npm run check has the compiler for these.
    skipErrorChecking: true,
    validation: { notExported: true, invalidLink: true, invalidPath: true },
    logLevel: LogLevel.Warn,
  });
  const warnings: string[] = [];
  app.logger.log = (message, level) => {
    if (level >= LogLevel.Warn) warnings.push(stripVTControlCharacters(message));
  };
  const project = await app.convert();
  if (project === undefined) return [...warnings, 'the sources cannot be read'];
  app.validate(project);
  if (folder !== undefined) await app.generateDocs(project, folder);
  return warnings;
}

/** TypeDoc needs the interface of TypeScript 5 for programs, which version 7 does not have; `@ts-morph/common` contains it. */
function useTypeScript5(): void {
  const url = new URL('./typescript.js', import.meta.resolve('@ts-morph/common')).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'typescript'
        ? { url, format: 'commonjs', shortCircuit: true }
        : next(specifier, context),
  });
}
