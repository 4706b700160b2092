import { load } from 'js-yaml';
import { parse as parseToml } from 'smol-toml';
import { mappingOf } from '../../../front-matter.ts';

type Config = Record<string, unknown>;

const MAX_DEPTH = 60;

/**
 * A configuration in YAML: tags of a program (`!ENV`, `!!python/name:`) are dropped, as nothing is run.
 *
 * @returns Empty for what is no mapping.
 */
export function readYaml(text: string): Config {
  const plain = text.replace(/(?<=[:[,-][ \t]{0,9})!{1,2}[\w./:-]{1,200}(?=\s|$)/gm, '');
  return mappingOf(() => load(plain, { maxDepth: MAX_DEPTH, maxAliases: 200 })) ?? {};
}

export function readJson(text: string): Config {
  return mappingOf(() => JSON.parse(text)) ?? {};
}

/** By the ending of its name. */
export function readConfig(name: string, text: string): Config {
  if (/\.toml$/i.test(name)) return mappingOf(() => parseToml(text, { maxDepth: MAX_DEPTH })) ?? {};
  return /\.json$/i.test(name) ? readJson(text) : readYaml(text);
}
