/** `npx constellation mutate`: checks that the attacks detect every missing check. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { readCommandLine } from '../../../tools/command-line.ts';
import { createKit, type Kit } from './attack-kit.ts';
import { ATTACKS, CONTROLS, outcomeOf } from './attacks.ts';
import { DIRECTORY_ATTACKS } from './directory-attacks.ts';
import FAULTS from './mutants.json' with { type: 'json' };
import type { Runtime } from './real-runtime.ts';
import { RECEIPT_ATTACKS } from './receipt-attacks.ts';

const HELP = `Disables one check of the signed context at a time, in memory, and runs every attack of test/platform/context against what is
left: each missing check has to be noticed by some attack. Prints a table; ends with 1 when one is not noticed.

  npx constellation mutate

  --help  this text
`;

readCommandLine(HELP, { options: {} });

interface Mutant {
  file: string;
  name: string;
  source: string;
}

const folder = new URL('../../../src/platform/context/', import.meta.url);

/** Files with named checks, and the function that each check calls. */
const CHECKED = {
  'compact-jws.ts': 'demand',
  'link-claims.ts': 'demand',
  'verify-context.ts': 'demand',
  'receipt.ts': 'demand',
  'key-directory.ts': 'insist',
};

/** Expected survivors, with the reason. */
const EXPLAINED: Record<string, string> = {
  'verify-context.ts without: the token has no link':
    'splitting a text gives at least one; for the compiler',
  'verify-context.ts without: the first link is not a root':
    'the form of hop 0 was checked; for the compiler',
};

const sourceOf = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

const missingChecks = (): Mutant[] =>
  Object.entries(CHECKED).flatMap(([file, check]) => {
    const source = sourceOf(file);
    const calls = [...source.matchAll(new RegExp(`(?<!function )\\b${check}\\(`, 'g'))];
    return calls.map(({ index }) => {
      const name = /'[^']+'|"[^"]+"|`[^`]+`/.exec(lastArgument(source.slice(index)))?.[0] ?? '';
      const mutated = `${source.slice(0, index)}skip(${source.slice(index + check.length + 1)}`;
      return {
        file,
        name: `without: ${name.slice(1, -1)}`,
        source: `${mutated}\nfunction skip(..._: unknown[]) {}\n`,
      };
    });
  });

/** The text of a call from its reason on: the last string of the statement that is not a code. */
const lastArgument = (call: string): string => {
  const statement = call.slice(0, call.indexOf(');\n'));
  const strings = statement.match(/'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/g) ?? [];
  return strings.filter((text) => !/^'[A-Z_]*'$/.test(text)).at(-1) ?? '';
};

/** Faults other than a missing check: a file, a part of it and what replaces it. */
const faults = (): Mutant[] =>
  (FAULTS as [file: string, from: string, to: string][]).map(([file, from, to]) => {
    const source = sourceOf(file);
    if (!source.includes(from)) throw new Error(`${file} has no ${from}: adapt the list of faults`);
    return { file, name: `${from} -> ${to || 'nothing'}`, source: source.replace(from, () => to) };
  });

const mutants = [...missingChecks(), ...faults()];

// Modules of the runtime asked for by `?mutant=<n>` get copies of their own, with one file changed.
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const mutant = new URL(context.parentURL ?? 'file:///').search;
    return mutant !== '' && resolved.url.startsWith(folder.href)
      ? { ...resolved, url: resolved.url + mutant }
      : resolved;
  },
  load: (url, context, next) => {
    const { search } = new URL(url);
    const mutant = search.startsWith('?mutant=') ? mutants[Number(search.slice(8))] : undefined;
    if (mutant === undefined || !url.startsWith(new URL(mutant.file, folder).href))
      return next(url, context);
    return { format: 'module-typescript', source: mutant.source, shortCircuit: true };
  },
});

/** The files that `realRuntime` imports. */
const FILES = 'key-directory link-claims receipt request-context verify-context';

const loadRuntime = async (index: number): Promise<Runtime> => {
  const load = (name: string) => import(`${folder.href}${name}.ts?mutant=${index}`);
  const modules = await Promise.all(FILES.split(' ').map(load));
  // Together they export its members.
  return Object.assign({}, ...modules) as Runtime;
};

const CASES = [...ATTACKS, ...RECEIPT_ATTACKS, ...DIRECTORY_ATTACKS];

/** Cases that expect the reason of the missing check come first: most mutants are detected by one of them. */
const inOrderFor = (name: string) => {
  const expectsIt = ({ refused }: (typeof CASES)[number]) => (name.endsWith(refused[1]) ? 0 : 1);
  return CASES.toSorted((a, b) => expectsIt(a) - expectsIt(b));
};

/** The first case with a wrong outcome, and that outcome. */
const killerOf = async (
  kit: Kit,
  name: string,
): Promise<{ by: string; as: string } | undefined> => {
  for (const { number, name: attack, refused, run } of inOrderFor(name)) {
    const [code, reason] = await outcomeOf(run(kit));
    if (code === refused[0] && reason === refused[1]) continue;
    return {
      by: `${number} ${attack}`,
      as: code === 'accepted' ? 'got through' : `only refused as: ${reason}`,
    };
  }
  for (const { number, name: control, run, gives, expected } of CONTROLS) {
    const given = await run(kit).then(
      gives,
      (error) => `refused: ${error.reason ?? error.message}`,
    );
    if (JSON.stringify(given) !== JSON.stringify(expected))
      return { by: `${number} ${control}`, as: `gives ${JSON.stringify(given)}` };
  }
  return undefined;
};

const startedAt = performance.now();
let survivors = 0;
for (const [index, { file, name }] of mutants.entries()) {
  const killer = await loadRuntime(index)
    .then(createKit)
    .then(
      (kit) => killerOf(kit, name),
      (error: unknown) => ({ by: 'loading', as: String(error) }),
    );
  const explained = EXPLAINED[`${file} ${name}`];
  if (killer === undefined && explained === undefined) survivors += 1;
  const survives = explained === undefined ? 'SURVIVES' : `survives: ${explained}`;
  const verdict = killer === undefined ? survives : `${killer.by} (${killer.as})`;
  console.log(`${file.padEnd(20)} ${name.padEnd(60)} ${verdict}`);
}
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`${mutants.length} mutants, ${survivors} unexplained survivors, ${seconds} s`);
process.exitCode = survivors > 0 ? 1 : 0;
