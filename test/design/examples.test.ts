import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../tools/functions.ts';
import { temporaryFolder } from '../tools/folder-for-test.ts';
import { runCommand } from '../tools/node-for-test.ts';

const FILES = globSync(['src/**/*.ts', 'client/*.ts'], { cwd: ROOT });

interface Example {
  /** Path of the file that it stands in. */
  file: string;
  line: number;
  code: string;
}

/** The code of each `@example`: from its next line to the next tag or the end of the comment. */
const examplesIn = (file: string, text: string): Example[] =>
  [...text.matchAll(/^ *\* @example\n((?: *\*(?! @)(?!\/).*\n)+)/gm)].map(
    ({ index, 1: lines = '' }) => ({
      file,
      line: text.slice(0, index).split('\n').length,
      code: lines.replaceAll(/^ *\* ?/gm, ''),
    }),
  );

const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;

/**
 * An example as a module: what its file exports is there; other names it imports, from the published packages or as its
 * file would.
 */
const moduleOf = ({ file, line, code }: Example, text: string): string => {
  const names = [...new Set([...text.matchAll(EXPORTED)].map(([, name = '']) => name))];
  const from = JSON.stringify(join(ROOT, file));
  const absolute = code.replaceAll(/(?<=from ')\.[^']+/g, (path) =>
    resolve(ROOT, dirname(file), path),
  );
  return `// ${file}:${line}\nimport { ${names.join(', ')} } from ${from};\n${absolute}\nexport {};\n`;
};

it('the examples of docstrings compile', async () => {
  const folder = temporaryFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'examples'));
  const examples = FILES.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return examplesIn(file, text).map((example) => moduleOf(example, text));
  });
  expect(examples.length).toBeGreaterThanOrEqual(50);
  for (const [place, code] of examples.entries())
    writeFileSync(join(folder, 'examples', `${place}.ts`), code);
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      // Names that a file exports are types and values.
      verbatimModuleSyntax: false,
      isolatedModules: false,
      paths: {
        '@constellation/contract': [join(ROOT, 'src/contract/index.ts')],
        '@constellation/client': [join(ROOT, 'client/index.ts')],
      },
    },
    include: ['examples'],
    exclude: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const { status, stdout, stderr } = await runCommand('tsc', ['-p', folder], { cwd: folder });
  const named = stdout.replaceAll(
    /^examples\/(\d+)\.ts/gm,
    (path, place) => `${examples[Number(place)]?.split('\n')[0]} ${path}`,
  );
  expect([status, stderr, named]).toEqual([0, '', '']);
});
