import { expect, it } from 'vitest';
import * as z from 'zod';
import { issuesOf } from '../../src/contract/error-info.ts';

/** Marks a member to remove. */
export const ABSENT = Symbol('absent');

/**
 * What is broken, the path of the replaced member (`sources.0.name`, or empty for the whole value), its replacement,
 * the message of the refusal, and the path in it where that differs.
 */
export type Breakage = [what: string, path: string, value: unknown, message: RegExp, named?: string];

/**
 * A valid value is refused once it breaks one of the rules that the JSON Schema states of it, which are those of wire.txt; and, one
 * test a case, once it is broken in one place, with one issue, which names the place.
 */
export const itRefuses = (schema: z.ZodType, valid: unknown, breakages: Breakage[] = []): void => {
  it('accepts the value that is broken below', () => {
    expect(schema.safeParse(valid).error?.issues ?? []).toEqual([]);
  });
  it('refuses a missing member, another type and a value out of bounds, at its path', () => {
    const broken = brokenRules(
      z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }),
      valid,
    );
    const missed = broken.filter(([path, value]) => {
      const { error } = schema.safeParse(withMember(valid, path, value));
      return !issuesOf(error ?? { issues: [] }).some((issue) => issue.path === path);
    });
    expect([broken.length > 0, missed]).toEqual([true, []]);
  });
  it.each(breakages)('refuses %s', (_what, path, value, message, named = path) => {
    const result = schema.safeParse(withMember(valid, path, value));
    expect(issuesOf(result.error ?? { issues: [] })).toEqual([
      { path: named, message: expect.stringMatching(message) },
    ]);
  });
};

/** One test for each example: it parses without loss. */
export const itTakes = (schema: z.ZodType, examples: Record<string, unknown>): void => {
  it.each(Object.entries(examples))('accepts %s', (_name, example) => {
    const result = schema.safeParse(example);
    expect(issuesOf(result.error ?? { issues: [] })).toEqual([]);
    expect(result.data).toEqual(example);
  });
};

const withMember = (valid: unknown, path: string, value: unknown): unknown => {
  if (path === '') return value;
  const copy: unknown = structuredClone(valid);
  const parts = path.split('.');
  const last = parts.pop() ?? '';
  const parent = parts.reduce((above, part) => Reflect.get(Object(above), part), copy);
  if (value === ABSENT) Reflect.deleteProperty(Object(parent), last);
  else Reflect.set(Object(parent), last, value);
  return copy;
};

type Rules = z.core.JSONSchema.BaseSchema;

/** Values of another type than these. */
const OTHERS: Record<string, unknown> = {
  ...{ string: true, number: 'x', integer: 0.5, boolean: 'no', array: 7, object: 7, null: 'x' },
};

/** The members of a valid value that its JSON Schema describes, each with values that break one of its rules. */
const brokenRules = (rules: Rules, value: unknown, path = ''): [path: string, value: unknown][] => {
  const branches = branchesOf(rules);
  if (branches.length > 0) return brokenRules(branches.find((branch) => fits(branch, value)) ?? {}, value, path);
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems } = rules;
  const items: unknown[] = Array.isArray(value) ? value : [];
  const wrong = [
    OTHERS[String(rules.type)],
    rules.enum && 'none of them',
    minimum !== undefined && minimum - 1,
    maximum !== undefined && maximum + 1,
    exclusiveMinimum,
    minLength && '',
    maxLength && 'x'.repeat(maxLength + 1),
    minItems && [],
    maxItems && Array(maxItems + 1).fill(items[0]),
  ];
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  const members = Object.entries(rules.properties ?? {}).filter(([name]) => Object.hasOwn(Object(value), name));
  return [
    ...wrong
      .filter((other) => other !== undefined && other !== false && path !== '')
      .map((other): [string, unknown] => [path, other]),
    ...(rules.required ?? []).map((name): [string, unknown] => [below(name), ABSENT]),
    ...(rules.additionalProperties === false ? [[below('unknown'), 1] as [string, unknown]] : []),
    ...members.flatMap(([name, member]) => brokenRules(member as Rules, Reflect.get(Object(value), name), below(name))),
    ...items.flatMap((item, index) => brokenRules((rules.items ?? {}) as Rules, item, below(String(index)))),
  ];
};

const branchesOf = ({ anyOf = [], oneOf = [] }: Rules) => [...anyOf, ...oneOf] as Rules[];

/** Whether a value belongs to a branch of a union, by type, constants and required members. */
const fits = (rules: Rules, value: unknown): boolean => {
  const branches = branchesOf(rules);
  if (branches.length > 0) return branches.some((branch) => fits(branch, value));
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const isOfType = rules.type === 'integer' ? Number.isInteger(value) : rules.type === type;
  if (rules.type !== undefined && !isOfType) return false;
  if (rules.const !== undefined && rules.const !== value) return false;
  const members = Object.entries(rules.properties ?? {}) as [string, Rules][];
  return (
    (rules.required ?? []).every((name) => Object.hasOwn(Object(value), name)) &&
    members.every(([name, member]) => member.const === undefined || member.const === Reflect.get(Object(value), name))
  );
};
