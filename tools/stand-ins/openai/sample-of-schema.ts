/**
 * The smallest document that fits a strict schema: the first of every choice, one entry a list (or as many as it must have),
 * numbers at their lower bound.
 *
 * @param text What stands in for strings that may be anything.
 */
export function sampleOfSchema(schema: Record<string, unknown>, text: string): unknown {
  return sampleOf(schema, { text, root: schema, depth: 0 });
}

interface Place {
  text: string;
  root: Record<string, unknown>;
  depth: number;
}

/** Recursive schemas end by a `null` or an empty list. */
const MAX_DEPTH = 12;

const sampleOf = (schema: Record<string, unknown>, place: Place): unknown => {
  const deeper = { ...place, depth: place.depth + 1 };
  if (typeof schema.$ref === 'string') return sampleOf(resolve(schema.$ref, place.root), deeper);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.anyOf)) {
    const branches = schema.anyOf.filter(isObject);
    const isDeep = place.depth > MAX_DEPTH;
    const branch = branches.find(({ type }) => (type === 'null') === isDeep) ?? branches[0];
    return sampleOf(branch ?? {}, deeper);
  }
  const types = [schema.type].flat();
  if (types.includes('null') && place.depth > MAX_DEPTH) return null;
  switch (types.find((type) => type !== 'null')) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isObject(schema.properties) ? schema.properties : {}).map(
          ([name, member]) => [name, sampleOf(isObject(member) ? member : {}, deeper)],
        ),
      );
    case 'array':
      return listOf(schema, deeper);
    case 'string':
      return FORMATS[String(schema.format)] ?? place.text;
    case 'number':
    case 'integer':
      return numberOf(schema);
    case 'boolean':
      return false;
    default:
      return null;
  }
};

const listOf = (
  { items, minItems, maxItems }: Record<string, unknown>,
  place: Place,
): unknown[] => {
  const least = typeof minItems === 'number' ? minItems : 0;
  const usual = maxItems === 0 || place.depth > MAX_DEPTH ? 0 : 1;
  return Array.from({ length: Math.max(least, usual) }, () =>
    sampleOf(isObject(items) ? items : {}, place),
  );
};

const numberOf = ({ minimum, exclusiveMinimum, maximum }: Record<string, unknown>): number => {
  if (typeof minimum === 'number')
    return Math.max(minimum, 0) <= Number(maximum ?? Infinity) ? Math.max(minimum, 0) : minimum;
  if (typeof exclusiveMinimum === 'number') return Math.max(Math.floor(exclusiveMinimum) + 1, 0);
  return typeof maximum === 'number' ? Math.min(maximum, 0) : 0;
};

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-02T03:04:05Z',
  time: '03:04:05Z',
  date: '2026-01-02',
  duration: 'P1D',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '00000000-0000-4000-8000-000000000000',
};

const resolve = (reference: string, root: Record<string, unknown>): Record<string, unknown> => {
  let at: unknown = root;
  for (const part of reference.split('/').slice(1)) at = isObject(at) ? at[part] : undefined;
  return isObject(at) ? at : {};
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
