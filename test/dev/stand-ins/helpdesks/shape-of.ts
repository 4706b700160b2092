import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A body as the tool documents it. */
export const payload = (name: string): Record<string, unknown> =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../../../helpdesk/fixtures/payloads/${name}.json`, import.meta.url)), 'utf8'),
  );

/**
 * What a documented body has and another lacks: paths of members that are missing or of another type. `null` passes for
 * anything on either side; of a list each element is held against the documented one's first.
 *
 * @param freely Paths whose members are the customer's own: `.custom_attributes`.
 */
export const lacks = (documented: unknown, actual: unknown, freely: readonly string[] = []): string[] =>
  lacksAt('', documented, actual, freely);

const lacksAt = (path: string, documented: unknown, actual: unknown, freely: readonly string[]): string[] => {
  if (freely.some((end) => path.endsWith(end)) || documented === null) return [];
  if (actual === undefined) return [`${path} is missing`];
  if (actual === null) return [];
  if (kindOf(documented) !== kindOf(actual)) return [`${path} is ${kindOf(actual)}, not ${kindOf(documented)}`];
  if (Array.isArray(documented) && Array.isArray(actual)) {
    const [first] = documented;
    return first === undefined ? [] : actual.flatMap((each, at) => lacksAt(`${path}[${at}]`, first, each, freely));
  }
  if (kindOf(documented) !== 'object') return [];
  return Object.entries(documented as object).flatMap(([name, value]) =>
    lacksAt(`${path}.${name}`, value, (actual as Record<string, unknown>)[name], freely),
  );
};

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);
