import { expect, it } from 'vitest';
import type * as z from 'zod';
import { issuesOf } from '../../src/contract/issue.ts';

/** Stands for a member that is taken out. */
export const ABSENT = Symbol('absent');

/**
 * What is broken, the path of the member that is replaced (`sources.0.name`, or empty for the whole), what replaces it,
 * what the refusal says, and the path that it names where that is another one.
 */
export type Breakage = [what: string, path: string, value: unknown, message: RegExp, named?: string];

/** One test a case: a valid value, broken in one place, is refused with one issue, which names the place. */
export const itRefuses = (schema: z.ZodType, valid: unknown, breakages: Breakage[]): void => {
  it('accepts the value that the cases below break', () => {
    expect(schema.safeParse(valid).error?.issues ?? []).toEqual([]);
  });
  it.each(breakages)('refuses %s', (_what, path, value, message, named = path) => {
    const result = schema.safeParse(broken(valid, path, value));
    expect(issuesOf(result.error ?? { issues: [] })).toEqual([
      { path: named, message: expect.stringMatching(message) },
    ]);
  });
};

/** One test a member: the valid value without it is refused with one issue, which names it. */
export const itNeeds = (schema: z.ZodType, valid: unknown, members: string): void =>
  itRefuses(
    schema,
    valid,
    members.split(' ').map((path) => [`a value without ${path}`, path, ABSENT, /is missing/]),
  );

/** One test an example: it parses, and nothing of it is lost. */
export const itTakes = (schema: z.ZodType, examples: Record<string, unknown>): void => {
  it.each(Object.entries(examples))('accepts %s', (_name, example) => {
    const result = schema.safeParse(example);
    expect(issuesOf(result.error ?? { issues: [] })).toEqual([]);
    expect(result.data).toEqual(example);
  });
};

const broken = (valid: unknown, path: string, value: unknown): unknown => {
  if (path === '') return value;
  const copy: unknown = structuredClone(valid);
  const parts = path.split('.');
  const last = parts.pop() ?? '';
  const parent = parts.reduce((above, part) => Reflect.get(Object(above), part), copy);
  if (value === ABSENT) Reflect.deleteProperty(Object(parent), last);
  else Reflect.set(Object(parent), last, value);
  return copy;
};
