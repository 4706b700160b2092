import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../tools/functions.ts';
import { buildPackage, type PackageName } from '../../tools/packages/packages.ts';
import { runCommand } from '../tools/node-for-test.ts';

/** The last Node on the path: that of a person who installs a package, not the one of the checkout. */
export const SYSTEM_NODE =
  execFileSync('which', ['-a', 'node'], { encoding: 'utf8' }).trim().split('\n').at(-1) ?? 'node';

/** Its version, such as `20.20.2`. */
export const SYSTEM_NODE_VERSION = execFileSync(SYSTEM_NODE, ['-p', 'process.versions.node'], {
  encoding: 'utf8',
}).trim();

/** An empty folder in which npm has installed a packed package. What it depends on is that of the checkout, so that no network is needed. */
export async function installPacked(
  name: PackageName,
): Promise<{ folder: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'constellation-packed-'));
  const built = buildPackage(name);
  const pack = ['pack', built, '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(await succeed('npm', pack, folder)) as [{ filename: string }];
  const manifest = { type: 'module', private: true, overrides: standIns(built, folder) };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const install = ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`];
  await succeed('npm', install, folder);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** For each dependency what npm installs in place of the registry's: the package of the checkout, or one that leads to it, since npm would install what that needs. */
function standIns(built: string, folder: string): Record<string, string> {
  const { dependencies = {} } = manifestIn(built);
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => {
      const own = join(ROOT, 'node_modules', name);
      if (manifestIn(own).dependencies === undefined) return [name, `file:${own}`];
      const place = join(folder, 'stand-ins', name);
      mkdirSync(place, { recursive: true });
      const manifest = { name, version, type: 'module', exports: './index.js' };
      writeFileSync(join(place, 'package.json'), JSON.stringify(manifest));
      const entry = fileURLToPath(import.meta.resolve(name));
      writeFileSync(join(place, 'index.js'), `export * from ${JSON.stringify(entry)};\n`);
      return [name, `file:${place}`];
    }),
  );
}

const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };

const succeed = async (command: string, args: readonly string[], cwd: string): Promise<string> => {
  const { status, stdout, stderr } = await runCommand(command, args, { cwd });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}${stdout}`);
  return stdout;
};

/** The code blocks of a page in this language, in order. */
export function codeOf(page: string, language: string): string[] {
  return [
    ...readFileSync(join(ROOT, page), 'utf8').matchAll(
      new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'),
    ),
  ].map(([, code = '']) => code);
}
