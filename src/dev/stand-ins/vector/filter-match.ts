import type { FieldPath, FilterTree, Literal } from './filter-syntax.ts';
import { matchesGlob } from './glob.ts';

/**
 * Whether metadata meets a filter. A field that is missing meets nothing but `HAS NOT FIELD`, not even `!=` or a `NOT`
 * form; one that holds null differs from it for `HAS FIELD` alone.
 */
export const meetsFilter = (metadata: unknown, tree: FilterTree): boolean => {
  if ('parts' in tree) {
    const meets = (part: FilterTree) => meetsFilter(metadata, part);
    return tree.is === 'and' ? tree.parts.every(meets) : tree.parts.some(meets);
  }
  const value = valueAt(metadata, tree.field);
  if (tree.is === 'has') return (value !== undefined) !== tree.negated;
  if (value === undefined || value === null) return false;
  switch (tree.is) {
    case 'compare':
      return compares(value, tree.operator, tree.value);
    case 'glob':
      return (typeof value === 'string' && matchesGlob(value, tree.pattern)) !== tree.negated;
    case 'in':
      return tree.values.some((each) => equals(value, each)) !== tree.negated;
    case 'contains':
      return (Array.isArray(value) && value.some((each) => equals(each, tree.value))) !== tree.negated;
  }
};

const valueAt = (metadata: unknown, path: FieldPath): unknown => {
  let value = metadata;
  for (const step of path) {
    if ('key' in step) {
      if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, step.key))
        return;
      value = (value as Record<string, unknown>)[step.key]; // An object, as was just seen.
    } else {
      if (!Array.isArray(value)) return;
      value = value.at('at' in step ? step.at : step.fromEnd === 0 ? value.length : -step.fromEnd);
    }
  }
  return value;
};

/** Truth values are 1 and 0, in the language as in what is stored. */
const plain = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value);

const equals = (value: unknown, literal: Literal): boolean => plain(value) === plain(literal);

const compares = (value: unknown, operator: string, literal: Literal): boolean => {
  if (operator === '=') return equals(value, literal);
  if (operator === '!=') return !equals(value, literal);
  if (typeof value !== 'number' || typeof literal !== 'number') return false;
  if (operator === '<') return value < literal;
  if (operator === '<=') return value <= literal;
  return operator === '>' ? value > literal : value >= literal;
};
