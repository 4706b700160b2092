/**
 * What strict mode says of a schema (OpenAI's guide to structured outputs, supported schemas).
 *
 * @returns What is wrong first, in the service's words; `undefined` when it is accepted.
 */
export function strictSchemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema))
    return 'schema must be a JSON Schema of \'type: "object"\', got \'type: "None"\'.';
  if (schema.anyOf !== undefined) return inContext([], "'anyOf' is not permitted");
  if (schema.type !== 'object') {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${String(schema.type ?? 'None')}"'.`;
  }
  const sizes: Sizes = { properties: 0, enumValues: 0, characters: 0 };
  return problemOf(schema, { path: [], depth: 1, root: schema, sizes }) ?? problemOfSizes(sizes);
}

interface Sizes {
  properties: number;
  enumValues: number;
  /** Total characters of names, enum and const strings. */
  characters: number;
}

interface Place {
  path: readonly string[];
  depth: number;
  root: Schema;
  sizes: Sizes;
}

type Schema = Record<string, unknown>;

const MAX_DEPTH = 10;
const MAX_PROPERTIES = 5000;
const MAX_ENUM_VALUES = 1000;
const MAX_CHARACTERS = 120_000;
const LARGE_ENUM = 250;
const MAX_LARGE_ENUM_CHARACTERS = 15_000;

const TYPES: ReadonlySet<unknown> = new Set([
  'string',
  'number',
  'boolean',
  'integer',
  'object',
  'array',
  'null',
]);
const FORMATS: ReadonlySet<unknown> = new Set(
  'date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '),
);
/** `minLength` and `maxLength` stand on no list and were refused. */
const KEYWORDS: ReadonlySet<string> = new Set(
  '$schema $id $ref $defs definitions title description default examples type enum const anyOf properties required additionalProperties items pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems'.split(
    ' ',
  ),
);

const problemOf = (schema: unknown, place: Place): string | undefined => {
  const { path } = place;
  if (!isObject(schema)) return inContext(path, 'schema must have a type key');
  if (place.depth > MAX_DEPTH) return `schema exceeds ${MAX_DEPTH} levels of nesting.`;
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) return inContext(path, `'${unknown}' is not permitted`);
  return (
    problemOfReference(schema, place) ??
    problemOfType(schema, place) ??
    problemOfValues(schema, place) ??
    problemOfObject(schema, place) ??
    problemOfParts(schema, place)
  );
};

const problemOfReference = ({ $ref }: Schema, { path, root }: Place): string | undefined => {
  if ($ref === undefined) return undefined;
  const [, section, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String($ref)) ?? [];
  const definitions = section === undefined ? undefined : root[section];
  const isKnown =
    $ref === '#' ||
    (name !== undefined && isObject(definitions) && Object.hasOwn(definitions, name));
  return isKnown
    ? undefined
    : inContext(path, `reference to component '${String($ref)}' which was not found`);
};

const problemOfType = (schema: Schema, { path }: Place): string | undefined => {
  const { type, format } = schema;
  const isElsewhere = ['$ref', 'anyOf', 'enum', 'const'].some(
    (keyword) => schema[keyword] !== undefined,
  );
  if (type === undefined)
    return isElsewhere ? undefined : inContext(path, "schema must have a 'type' key");
  const wrong = [type].flat().find((name) => !TYPES.has(name));
  if (wrong !== undefined) return inContext(path, `'${String(wrong)}' is not a valid type`);
  if (format !== undefined && !FORMATS.has(format))
    return inContext(path, `'${String(format)}' is not a valid format`);
  return undefined;
};

const problemOfValues = (schema: Schema, { path, sizes }: Place): string | undefined => {
  const values = schema.enum ?? [];
  if (!Array.isArray(values) || (schema.enum !== undefined && values.length === 0)) {
    return inContext(path, "'enum' must be a non-empty array");
  }
  const characters = charactersOf(values);
  if (values.length > LARGE_ENUM && characters > MAX_LARGE_ENUM_CHARACTERS) {
    return inContext(
      path,
      `'enum' of more than ${LARGE_ENUM} values exceeds ${MAX_LARGE_ENUM_CHARACTERS} characters`,
    );
  }
  sizes.enumValues += values.length;
  sizes.characters += characters + charactersOf([schema.const]);
  return undefined;
};

const charactersOf = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);

const problemOfObject = (schema: Schema, { path, sizes }: Place): string | undefined => {
  if (![schema.type].flat().includes('object')) return undefined;
  if (schema.additionalProperties !== false) {
    return inContext(path, "'additionalProperties' is required to be supplied and to be false");
  }
  const names = Object.keys(isObject(schema.properties) ? schema.properties : {});
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = names.find((name) => !required.includes(name));
  const extra = required.find((name) => !names.includes(String(name)));
  if (missing !== undefined || extra !== undefined) {
    const which =
      missing === undefined
        ? `Extra required key '${String(extra)}' supplied`
        : `Missing '${missing}'`;
    return inContext(
      path,
      `'required' is required to be supplied and to be an array including every key in properties. ${which}`,
    );
  }
  sizes.properties += names.length;
  sizes.characters += charactersOf(names);
  return undefined;
};

const problemOfParts = (schema: Schema, place: Place): string | undefined => {
  const { path, depth } = place;
  const parts: [string[], unknown, number][] = [];
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const members = schema[keyword];
    if (members === undefined) continue;
    if (!isObject(members)) return inContext(path, `'${keyword}' is not an object`);
    const deeper = keyword === 'properties' ? depth + 1 : 1;
    for (const [name, part] of Object.entries(members))
      parts.push([[...path, keyword, name], part, deeper]);
  }
  if ([schema.type].flat().includes('array') && schema.items === undefined) {
    return inContext(path, 'array schema missing items');
  }
  if (schema.items !== undefined) parts.push([[...path, 'items'], schema.items, depth]);
  if (schema.anyOf !== undefined && !Array.isArray(schema.anyOf))
    return inContext(path, "'anyOf' is not an array");
  for (const [at, part] of (schema.anyOf ?? []).entries())
    parts.push([[...path, 'anyOf', String(at)], part, depth]);
  for (const [partPath, part, partDepth] of parts) {
    const problem = problemOf(part, { ...place, path: partPath, depth: partDepth });
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const problemOfSizes = ({ properties, enumValues, characters }: Sizes): string | undefined => {
  if (properties > MAX_PROPERTIES) return `schema has more than ${MAX_PROPERTIES} properties.`;
  if (enumValues > MAX_ENUM_VALUES) return `schema has more than ${MAX_ENUM_VALUES} enum values.`;
  return characters > MAX_CHARACTERS
    ? `schema has more than ${MAX_CHARACTERS} characters of names.`
    : undefined;
};

const inContext = (path: readonly string[], problem: string): string =>
  `In context=(${path.map((part) => `'${part}', `).join('')}), ${problem}.`;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
