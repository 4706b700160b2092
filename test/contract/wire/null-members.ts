import type * as z from 'zod';

type Path = readonly (string | number)[];

/** An optional member of an object of a value, present or not: the path of the object, and the name of the member. */
export interface OptionalMember {
  path: Path;
  name: string;
  /** The same for all items of a list: `history[].sent_at`. */
  id: string;
}

interface Place {
  path: Path;
  id: string;
}

/** All optional members of the objects that stand in a value. Of a union the options count that take the value. */
export function optionalMembers(
  schema: z.core.$ZodType,
  value: unknown,
  { path, id }: Place = { path: [], id: '' },
): OptionalMember[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const below = (inner: z.core.$ZodType, key: string | number, part: unknown) => {
    const sign = typeof key === 'number' ? `${id}[]` : `${id}${id === '' ? '' : '.'}${key}`;
    return optionalMembers(inner, part, { path: [...path, key], id: sign });
  };
  if ('innerType' in def)
    return optionalMembers(def.innerType as z.core.$ZodType, value, { path, id });
  if (def.type === 'pipe') return optionalMembers(def.in, value, { path, id });
  if (def.type === 'union') {
    const fitting = def.options.filter((option) => (option as z.ZodType).safeParse(value).success);
    return fitting.flatMap((option) => optionalMembers(option, value, { path, id }));
  }
  if (Array.isArray(value))
    return def.type === 'array' ? value.flatMap((item, at) => below(def.element, at, item)) : [];
  if (typeof value !== 'object' || value === null) return [];
  if (def.type === 'record')
    return Object.entries(value).flatMap(([key, part]) => below(def.valueType, key, part));
  if (def.type !== 'object') return [];
  return Object.entries(def.shape).flatMap(([name, member]): OptionalMember[] => [
    ...((member as z.ZodType).safeParse(undefined).success
      ? [{ path, name, id: `${id}${id === '' ? '' : '.'}${name}` }]
      : []),
    ...(name in value ? below(member, name, Reflect.get(value, name)) : []),
  ]);
}

/** The value with a member set, or without it. */
export function withMember(
  value: unknown,
  { path, name }: OptionalMember,
  member: null | undefined,
): unknown {
  const copy: unknown = structuredClone(value);
  const parent = path.reduce<unknown>((above, key) => Reflect.get(Object(above), key), copy);
  if (member === undefined) Reflect.deleteProperty(Object(parent), name);
  else Reflect.set(Object(parent), name, member);
  return copy;
}

/** The value with `null` in every optional member that it does not have. */
export function withNulls(schema: z.core.$ZodType, value: unknown): unknown {
  return optionalMembers(schema, value)
    .filter(({ path, name }) => {
      const parent = path.reduce<unknown>((above, key) => Reflect.get(Object(above), key), value);
      return !Object.hasOwn(Object(parent), name);
    })
    .reduce((changed, member) => withMember(changed, member, null), value);
}
