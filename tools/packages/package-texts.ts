import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../functions.ts';

/** The pages that help texts and errors name, what they link to, and the licence. */
const TEXTS = [
  'docs/**/*.{md,svg,webp}',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'LICENSE',
  'NOTICE',
];

/** `[text](target)`, where neither holds a bracket of its own kind; the target may have a fragment. */
const LINK = /(!?)\[([^\][]*)\]\(([^()\s]+)\)/g;

/**
 * Copies the texts of the package `constellation`. A link to a file that is not in the package, such as a source,
 * becomes its text.
 *
 * @param folder The package, which exists.
 */
export function copyTexts(folder: string): void {
  const files = TEXTS.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(folder, file));
  }
  copyFileSync(join(ROOT, 'client/command-line/README.md'), join(folder, 'README.md'));
  for (const page of ['README.md', ...files.filter((file) => file.endsWith('.md'))]) {
    const path = join(folder, page);
    const text = readFileSync(path, 'utf8');
    const linked = text.replace(LINK, (link, _, label: string, target: string) =>
      isMissing(target, dirname(path)) ? label : link,
    );
    if (linked !== text) writeFileSync(path, linked);
  }
}

const isMissing = (target: string, folder: string): boolean => {
  const [path = ''] = target.split('#');
  return path !== '' && !/^[a-z]+:/.test(path) && !existsSync(join(folder, path));
};
