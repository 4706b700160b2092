import * as z from 'zod';

/** How large a free-form object may be. */
export interface JsonLimits {
  /** Levels of objects and lists, the outermost being 1. */
  maxDepth: number;
  /** Characters of all keys and values together, plus one for each value. Close to the length of its JSON text. */
  maxLength: number;
}

/**
 * A free-form object that JSON can carry, bounded in depth and size: metadata, details, context.
 * Refuses what JSON would lose or refuse: functions, symbols, bigints, dates, maps, `NaN`, infinities, cycles.
 * A member that is `undefined` is allowed, as JSON leaves it out. One called `__proto__` is left out at the top and
 * refused below, so that no copy of the object can change what others inherit.
 */
export const jsonObject = (limits: JsonLimits) => z.record(z.string(), z.unknown()).superRefine(withinLimits(limits));

/** The same bounds for an object that has some members named: `z.looseObject({ ... }).superRefine(withinLimits(limits))`. */
export const withinLimits =
  ({ maxDepth, maxLength }: JsonLimits) =>
  (value: unknown, check: z.core.$RefinementCtx): void => {
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

type Problem = 'depth' | 'size' | 'type' | 'name';

/** Walks until the first problem; `left` is shared by the whole walk, so that it ends after `maxLength` steps. */
const problemOf = (value: unknown, bound: { depth: number; left: { length: number } }): Problem | undefined => {
  bound.left.length -= lengthOf(value);
  if (bound.left.length < 0) return 'size';
  if (typeof value !== 'object' || value === null) return isJsonLeaf(value) ? undefined : 'type';
  if (!Array.isArray(value) && Object.prototype.toString.call(value) !== '[object Object]') return 'type';
  if (bound.depth === 0) return 'depth';
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') return 'name';
    if (!Array.isArray(value)) bound.left.length -= key.length;
    const problem = problemOf(member, { depth: bound.depth - 1, left: bound.left });
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
