import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import type { SettingsSchema } from '../../../src/platform/settings/settings.ts';
import { bundleModules } from '../../../tools/build/bundle-function.ts';
import { functionConfigs, ROOT } from '../../../tools/functions.ts';
import {
  CONFIGURATION,
  configurationTable,
  idOfConfig,
  settingsOf,
} from '../../../tools/release/configuration.ts';

const named = CONFIGURATION.map(({ name }) => name);

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/**
 * The schemas that a function reads: those in the calls that are left in its bundle, which holds no function that is never called.
 * There a name may end with a number; before each module stands its file.
 */
const schemasReadBy = async (id: string): Promise<Map<string, SettingsSchema>> => {
  const [code] = await bundleModules(join(ROOT, `functions/${id}/index.ts`));
  const source = code?.type === 'ESModule' ? code.contents : '';
  const names = source.matchAll(/(?<!function )\breadSettings\((\w+), /g);
  const schemas = [...new Set([...names].map(([, name = '']) => name))].map(async (name) => {
    const before = source.slice(0, source.search(new RegExp(`^var ${name} = \\{`, 'm')));
    const file = [...before.matchAll(/^\/\/ (\S+\.ts)$/gm)].at(-1)?.[1] ?? '';
    const exported = (await import(join(ROOT, file))) as Record<string, SettingsSchema>;
    return [name, exported[name.replace(/\d+$/, '')] ?? {}] as const;
  });
  return new Map(await Promise.all(schemas));
};

/** Modules of the product, without those for Node alone. */
const productFiles = (): string[] =>
  ['src', 'functions'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('documents/node/'))
      .map((file) => join(folder, file)),
  );

describe('the configuration', () => {
  it.each(functionConfigs().map(idOfConfig))('holds every variable that %s reads', async (id) => {
    const own = settingsOf(id).map(({ name }) => name);
    const schemas = await schemasReadBy(id);
    expect(schemas.size).toBeGreaterThan(0);
    for (const [schema, settings] of schemas) {
      expect(Object.keys(settings), `${schema} of ${id}`).not.toEqual([]);
      expect(own, `${schema} of ${id}`).toEqual(expect.arrayContaining(Object.keys(settings)));
    }
  });
  it('is the only way to a variable: no module takes one from the environment by itself', () => {
    const direct = new RegExp(`\\b(?:env|variables)\\??\\.(?:${named.join('|')})\\b`);
    const destructured = new RegExp(
      `\\{[^{}]*\\b(?:${named.join('|')})\\b[^{}]*\\} = (?:this\\.)?(?:env|variables)\\b`,
    );
    const offenders = productFiles().filter(
      (file) => direct.test(read(file)) || destructured.test(read(file)),
    );
    expect(offenders).toEqual([]);
  });
  it('says of each variable what it is, what is allowed and what holds without it', () => {
    for (const { name, what, allowed, otherwise } of CONFIGURATION)
      for (const text of [what, allowed, otherwise]) expect(text, name).toMatch(/^\S.*[^.\s]$/);
    expect(new Set(named).size).toBe(named.length);
  });
  it('lists every variable that a wrangler.toml sets', () => {
    for (const file of functionConfigs()) {
      const [, vars = ''] =
        /^\[vars\]\n(.*?)(?=^\[|$(?![\s\S]))/ms.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
      for (const [, name] of vars.matchAll(/^([A-Z_]+) = /gm))
        expect(settingsOf(idOfConfig(file)).map((setting) => setting.name)).toContain(name);
    }
  });
  it('keeps addresses, which may name persons, out of the logs of the platform', () => {
    for (const file of functionConfigs()) {
      const { observability } = unstable_readConfig({ config: join(ROOT, file) });
      expect(observability, file).toMatchObject({
        enabled: true,
        logs: { invocation_logs: false },
      });
    }
  });
  it('is the table of its page', () => {
    const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
    expect(page).toContain(configurationTable());
  });
  it('gives the secrets of a store only to the functions that use it', () => {
    const readers = (name: string) =>
      CONFIGURATION.find((setting) => setting.name === name)?.functions;
    const ofRedis = ['memory', 'navigator', 'semantic', 'support'];
    expect(readers('UPSTASH_VECTOR_REST_TOKEN')?.toSorted()).toEqual(['library', ...ofRedis]);
    expect(readers('UPSTASH_REDIS_REST_TOKEN')?.toSorted()).toEqual(ofRedis);
    for (const id of ['a2a', 'sources', 'webhooks'])
      expect(readers('OPENAI_API_KEY')).not.toContain(id);
    expect(settingsOf('analytics').map(({ name }) => name)).not.toContain(
      'UPSTASH_VECTOR_REST_URL',
    );
  });
});
