import { load } from 'js-yaml';
import { parse as parseToml } from 'smol-toml';

const MAX_DEPTH = 60;

/**
 * A configuration in YAML: tags of a program (`!ENV`, `!!python/name:`) are dropped, as nothing is run.
 *
 * @returns Empty for what is no mapping.
 */
export function readYaml(text: string): Record<string, unknown> {
  try {
    const plain = text.replace(/(?<=[:[,-][ \t]{0,9})!{1,2}[\w./:-]{1,200}(?=\s|$)/gm, '');
    const value = load(plain, { maxDepth: MAX_DEPTH, maxAliases: 200 });
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

function readToml(text: string): Record<string, unknown> {
  try {
    return parseToml(text, { maxDepth: MAX_DEPTH });
  } catch {
    return {};
  }
}

export function readJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

/** By the ending of its name. */
export function readConfig(name: string, text: string): Record<string, unknown> {
  if (/\.toml$/i.test(name)) return readToml(text);
  return /\.json$/i.test(name) ? readJson(text) : readYaml(text);
}
