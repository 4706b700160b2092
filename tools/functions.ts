import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout's root, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../', import.meta.url));

/**
 * The configuration files of all functions, relative to the root, the front door first. A folder below `functions/`
 * with a `wrangler.toml` is a function; the gateway's configuration is the root's own.
 */
export function functionConfigs(): string[] {
  return [
    'wrangler.toml',
    ...readdirSync(join(ROOT, 'functions'))
      .sort()
      .map((name) => `functions/${name}/wrangler.toml`)
      .filter((file) => existsSync(join(ROOT, file))),
  ];
}

/** `constellation-library` -> `library`: the id that a function has as a librarian. */
export function idOfFunction(name: string): string {
  return name.replace(/^constellation-/, '');
}
