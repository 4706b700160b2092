import * as z from 'zod';

/**
 * The value of a JSON text; undefined for any other text.
 *
 * @example
 * parseJson('{"a": 1}'); // { a: 1 }
 * parseJson('{'); // undefined
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Limits of a free-form object. */
export interface JsonLimits {
  /** Levels of objects and lists; the outermost is 1. */
  maxDepth: number;
  /** Characters of all keys and values together, plus one for each value. Close to the length of its JSON text. */
  maxLength: number;
}

/**
 * A free-form object that JSON can carry, bounded in depth and size: metadata, details, context. Refuses values that JSON would drop or
 * refuse: functions, symbols, bigints, dates, maps, `NaN`, infinities, cycles. A member that is `undefined` is allowed, as JSON omits it.
 * A member `__proto__` is dropped at the top level and refused below, which prevents prototype pollution by copies.
 *
 * @example
 * const Metadata = jsonObject({ maxDepth: 2, maxLength: 100 });
 * Metadata.safeParse({ a: { b: { c: 1 } } }).success; // false: too deep
 */
export function jsonObject(limits: JsonLimits) {
  return z.record(z.string(), z.unknown()).superRefine(withinLimits(limits));
}

/** The same bounds for an object that has some members named: `z.looseObject({ ... }).superRefine(withinLimits(limits))`. */
export function withinLimits({ maxDepth, maxLength }: JsonLimits) {
  return (value: unknown, check: z.core.$RefinementCtx): void => {
    const problem = problemOf(value, { depth: maxDepth, left: { length: maxLength } });
    if (problem === undefined) return;
    const message = {
      depth: `is nested deeper than ${maxDepth} levels`,
      size: `is larger than ${maxLength} characters`,
      type: 'holds a value that JSON cannot carry',
      name: 'has a member called __proto__',
    }[problem];
    check.addIssue({ code: 'custom', message });
  };
}

/**
 * Whether a JSON object is within the bounds: faster than a schema, for objects built internally.
 *
 * @example
 * isWithin({ tags: ['a', 'b'] }, { maxDepth: 2, maxLength: 100 }); // true
 */
export function isWithin(value: unknown, { maxDepth, maxLength }: JsonLimits): boolean {
  return problemOf(value, { depth: maxDepth, left: { length: maxLength } }) === undefined;
}

type Problem = 'depth' | 'size' | 'type' | 'name';

interface Bound {
  depth: number;
  /** Shared by the whole walk, so that it ends after `maxLength` steps. */
  left: { length: number };
}

/** Walks until the first problem. */
const problemOf = (value: unknown, { depth, left }: Bound): Problem | undefined => {
  left.length -= lengthOf(value);
  if (left.length < 0) return 'size';
  if (typeof value !== 'object' || value === null) return isJsonLeaf(value) ? undefined : 'type';
  const isList = Array.isArray(value);
  if (!isList && Object.prototype.toString.call(value) !== '[object Object]') return 'type';
  if (depth === 0) return 'depth';
  const within = { depth: depth - 1, left };
  // A JSON object has string keys.
  return isList
    ? problemInList(value, within)
    : problemInObject(value as Record<string, unknown>, within);
};

const problemInList = (list: readonly unknown[], bound: Bound): Problem | undefined => {
  if (list.length > bound.left.length) return 'size';
  for (let index = 0; index < list.length; index += 1) {
    const problem = problemOf(list[index], bound);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

/** `Object.entries` would copy all members before the first is counted. */
const problemInObject = (object: Record<string, unknown>, bound: Bound): Problem | undefined => {
  for (const key in object) {
    if (!Object.hasOwn(object, key)) continue;
    if (key === '__proto__') return 'name';
    bound.left.length -= key.length;
    const problem = problemOf(object[key], bound);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length + 1 : 1);

const isJsonLeaf = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));
