import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../tools/functions.ts';
import { runCommand } from '../tools/node-for-test.ts';

/** An empty folder with the packed client installed by npm. */
export async function installPacked(): Promise<{ folder: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'constellation-client-'));
  const packed = await succeed(
    'npm',
    ['pack', './client', '--json', '--pack-destination', folder],
    ROOT,
  );
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}');
  await succeed(
    'npm',
    ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`],
    folder,
  );
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

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
