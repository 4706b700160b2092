import type * as z from 'zod';
import { type ReadValue, readAs } from './error-info.ts';

/**
 * Parses what a caller sends with a schema, as `readAs` does. `null` in an optional member counts as absent, at any depth, since many
 * languages write absent members so. Where the schema leaves values open (metadata, dictionaries, lists) `null` stays what it is, and a
 * required member that is `null` is an error.
 *
 * @example
 * import { AskRequest } from '@constellation/contract';
 *
 * readRequest(AskRequest, { query: 'When do you open?', librarian: null }); // null counts as absent
 */
export function readRequest<T extends z.ZodType>(
  schema: T,
  value: unknown,
): ReadValue<z.output<T>> {
  const read = readAs(schema, value);
  if (read.ok) return read;
  const rest = withoutNulls(schema, value);
  return rest === value ? read : readAs(schema, rest);
}

/** The value itself, or a copy without the optional members that are `null` although their schema does not take it. */
const withoutNulls = (schema: z.core.$ZodType, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const def = defOf(valueSchema(schema));
  switch (def.type) {
    case 'object':
      return membersOf(value, ([name, member]) => {
        const own = Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
        if (own === undefined) return member;
        return member === null && accepts(own, undefined) && !accepts(own, null)
          ? undefined
          : withoutNulls(own, member);
      });
    case 'record':
      return membersOf(value, ([, member]) => withoutNulls(def.valueType, member));
    case 'array':
      return Array.isArray(value) ? itemsOf(value, () => def.element) : value;
    case 'tuple':
      return Array.isArray(value)
        ? itemsOf(value, (at) => def.items[at] ?? def.rest ?? undefined)
        : value;
    case 'union':
      return ofOptions(def.options, value);
    default:
      return value;
  }
};

/** Every schema is of one of these classes; the base class does not say so. */
export function defOf(schema: z.core.$ZodType) {
  return (schema as z.core.$ZodTypes)._zod.def;
}

/** The schema of the value that a caller sends, below what only adds to it: a default, an optional member, a transformation. */
export function valueSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const def = defOf(schema);
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return valueSchema(def.innerType);
    case 'lazy':
      return valueSchema(def.getter());
    case 'pipe':
      return valueSchema(defOf(def.in).type === 'transform' ? def.out : def.in);
    default:
      return schema;
  }
}

/** Whether a schema takes a value. */
const accepts = (schema: z.core.$ZodType, value: unknown): boolean =>
  readAs(schema as z.ZodType, value).ok;

/** The value as the first option takes it; unchanged when none does. */
const ofOptions = (options: readonly z.core.$ZodType[], value: unknown): unknown => {
  for (const option of options) {
    const rest = withoutNulls(option, value);
    if (accepts(option, rest)) return rest;
  }
  return value;
};

/** A copy with changed members, without those that became `undefined`; the object itself when none changed. */
const membersOf = (
  value: object,
  change: (member: [name: string, value: unknown]) => unknown,
): unknown => {
  if (Array.isArray(value)) return value;
  const members = Object.entries(value);
  const changed = members.map((member): [string, unknown] => [member[0], change(member)]);
  if (changed.every(([, member], at) => member === members[at]?.[1])) return value;
  return Object.fromEntries(
    changed.filter(([, member], at) => member !== undefined || members[at]?.[1] === undefined),
  );
};

const itemsOf = (
  list: readonly unknown[],
  schemaAt: (at: number) => z.core.$ZodType | undefined,
): unknown => {
  const changed = list.map((item, at) => {
    const schema = schemaAt(at);
    return schema === undefined ? item : withoutNulls(schema, item);
  });
  return changed.every((item, at) => item === list[at]) ? list : changed;
};
