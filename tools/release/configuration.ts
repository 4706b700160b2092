import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelSettings } from '../../src/ai/adapters/settings.ts';
import { identitySettings } from '../../src/platform/context/identity.ts';
import type { Setting, SettingsSchema } from '../../src/platform/settings/settings.ts';
import { functionConfigs, ROOT } from '../functions.ts';

/** A variable or secret, and the functions that read it. */
export interface ConfiguredSetting extends Setting {
  name: string;
  functions: readonly string[];
}

/** In this order variables stand in docs/configuration.md: by the function that reads them first. */
const FIRST_FUNCTIONS = [
  'navigator',
  'gateway',
  'semantic',
  'memory',
  'library',
  'sources',
  'webhooks',
  'support',
];

/** A librarian that `npx constellation new` made has these, unless it has a file of its own. */
const LIBRARIAN_SETTINGS = { ...identitySettings, ...modelSettings };

const schemaOf = async (id: string): Promise<SettingsSchema> => {
  const file = join(ROOT, 'functions', id, 'settings.ts');
  // A function of the repository exports it, which `npm test` checks.
  return existsSync(file)
    ? ((await import(file)) as { settings: SettingsSchema }).settings
    : LIBRARIAN_SETTINGS;
};

/** `functions/library/wrangler.toml` -> `library`; that of the root is the gateway's. */
export function idOfConfig(file: string): string {
  return file.split('/').at(-2) ?? 'gateway';
}

const IDS = [...new Set([...FIRST_FUNCTIONS, ...functionConfigs().map(idOfConfig).sort()])];
const SCHEMAS = new Map(
  await Promise.all(IDS.map(async (id) => [id, await schemaOf(id)] as const)),
);

/** Everything that can be configured, in the order of docs/configuration.md. Bindings (KV, D1, services) are in each `wrangler.toml`. */
export const CONFIGURATION: readonly ConfiguredSetting[] = Object.entries(
  Object.assign({}, ...SCHEMAS.values()) as SettingsSchema,
).map(([name, setting]) => ({
  ...setting,
  name,
  functions: IDS.filter((id) => Object.hasOwn(SCHEMAS.get(id) ?? {}, name)),
}));

/** The variables that a function reads. */
export function settingsOf(functionId: string): readonly ConfiguredSetting[] {
  return CONFIGURATION.filter(({ functions }) => functions.includes(functionId));
}

/** Whether a function has models, and so a binding of Workers AI where that has them. */
export function usesWorkersAI(functionId: string): boolean {
  return settingsOf(functionId).some(({ name }) => name === 'WORKERS_AI');
}

const PAGE = join(ROOT, 'docs/configuration.md');

/** The table of docs/configuration.md, and what the doctor calls. */
export function configurationTable(settings: readonly ConfiguredSetting[] = CONFIGURATION): string {
  return [
    '| variable | functions | allowed | not set | what it is |',
    '| --- | --- | --- | --- | --- |',
    ...settings.map(({ name, functions, secret, allowed, otherwise, what }) => {
      const title = `\`${name}\`${secret ? ' (secret)' : ''}`;
      return `| ${title} | ${readersOf(functions)} | ${allowed} | ${otherwise} | ${what} |`;
    }),
    '',
    `\`npm run doctor\` reads all of them, and calls what these name: ${settings
      .flatMap(({ name, doctor }) => (doctor === undefined ? [] : [`\`${name}\``]))
      .join(', ')}.`,
  ].join('\n');
}

const readersOf = (functions: readonly string[]): string => {
  const others = IDS.filter((id) => !functions.includes(id));
  if (others.length === 0) return 'all';
  return others.length < functions.length / 2
    ? `all but ${others.join(', ')}`
    : functions.join(', ');
};

/** `node tools/release/configuration.ts` writes the table. */
if (import.meta.main) {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(
      /^\| variable \|.*\n(?:\|.*\n)*(?:\n`npm run doctor` reads all.*\n)?/m,
      () => `${configurationTable()}\n`,
    ),
  );
}
