import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { ADAPTER_VARIABLES } from '../../../src/ai/adapters/settings.ts';
import { functionConfigs, ROOT } from '../../../tools/functions.ts';
import { CONFIGURATION, configurationTable, settingsOf } from '../../../tools/release/configuration.ts';

const named = CONFIGURATION.map(({ name }) => name);

/** The text members of what functions read from their environment. */
const readByFunctions = (): string[] => {
  const files = ['src', 'functions'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('documents/node/'))
      .map((file) => readFileSync(join(ROOT, folder, file), 'utf8')),
  );
  const members = files.flatMap((text) => [...text.matchAll(/^ {2}([A-Z][A-Z0-9_]{3,})\??: string\b/gm)]);
  return [...new Set(members.map(([, name = '']) => name))];
};

describe('the configuration', () => {
  it('lists every variable that a function reads, and no other', () => {
    expect([...named].sort()).toEqual(readByFunctions().sort());
    expect(new Set(named).size).toBe(named.length);
    expect(named).toEqual(expect.arrayContaining([...ADAPTER_VARIABLES]));
  });
  it('lists every variable that a wrangler.toml sets', () => {
    for (const file of functionConfigs()) {
      const [, vars = ''] = /^\[vars\]\n(.*?)(?=^\[|$(?![\s\S]))/ms.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
      for (const [, name] of vars.matchAll(/^([A-Z_]+) = /gm)) expect(named).toContain(name);
    }
  });
  it('keeps addresses, which may name persons, out of the logs of the platform', () => {
    for (const file of functionConfigs()) {
      const { observability } = unstable_readConfig({ config: join(ROOT, file) });
      expect(observability, file).toMatchObject({ enabled: true, logs: { invocation_logs: false } });
    }
  });
  it('is the table of its page', () => {
    const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
    expect(page).toContain(configurationTable());
  });
  it('gives the secrets of a store only to the functions that use it', () => {
    const readers = (name: string) => CONFIGURATION.find((setting) => setting.name === name)?.functions;
    expect(readers('UPSTASH_VECTOR_REST_TOKEN')).toEqual(['navigator', 'semantic', 'support', 'library', 'memory']);
    expect(readers('UPSTASH_REDIS_REST_TOKEN')).toEqual(['navigator', 'semantic', 'support', 'memory']);
    expect(settingsOf('analytics').map(({ name }) => name)).not.toContain('UPSTASH_VECTOR_REST_URL');
  });
});
