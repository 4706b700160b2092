type Json = Record<string, unknown>;

/**
 * Type declarations of JSON Schemas that refer to one another: what they describe, without the library that checks it. Bounds and
 * patterns have no counterpart; descriptions become comments.
 *
 * @param schemas By name, as `schemasOf` gives them.
 * @throws {Error} For a keyword that the contract does not use.
 */
export function typescriptOfSchemas(schemas: Readonly<Record<string, Json>>): string {
  return Object.entries(schemas)
    .map(
      ([name, schema]) => `${commentOf(schema, '')}export type ${name} = ${typeOf(schema, '')};\n`,
    )
    .join('\n');
}

const typeOf = (schema: unknown, indent: string): string => {
  if (schema === true || !isJson(schema)) return 'unknown';
  const { $ref, type, anyOf, oneOf, allOf } = schema;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives))
    return unique(alternatives.map((each) => typeOf(each, indent))).join(' | ');
  if (Array.isArray(allOf))
    return unique(allOf.map((each) => grouped(typeOf(each, indent)))).join(' & ');
  if (Array.isArray(type))
    return type.map((each) => typeOf({ ...schema, type: each }, indent)).join(' | ');
  switch (type) {
    case 'object':
      return objectType(schema, indent);
    case 'array':
      return Array.isArray(schema.prefixItems)
        ? `[${schema.prefixItems.map((each) => typeOf(each, indent)).join(', ')}]`
        : `${grouped(typeOf(schema.items, indent))}[]`;
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    case undefined:
      return 'unknown';
    default:
      throw new Error(`Cannot write a type: no one has said what ${String(type)} is`);
  }
};

const objectType = (
  { properties, required, additionalProperties }: Json,
  indent: string,
): string => {
  const inner = `${indent}  `;
  const names = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries(isJson(properties) ? properties : {}).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(schema, inner);
    // Callers that compile with exactOptionalPropertyTypes may pass undefined, too.
    const member = names.has(name)
      ? `${key}: ${type}`
      : `${key}?: ${type === 'unknown' ? type : `${type} | undefined`}`;
    return `${commentOf(isJson(schema) ? schema : {}, inner)}${inner}${member};\n`;
  });
  const isOpen = isJson(additionalProperties);
  if (members.length === 0)
    return `Record<string, ${isOpen ? typeOf(additionalProperties, indent) : 'unknown'}>`;
  // The members that are named need not be of the type of the others.
  const others = isOpen ? `${inner}[member: string]: unknown;\n` : '';
  return `{\n${members.join('')}${others}${indent}}`;
};

const commentOf = ({ description }: Json, indent: string): string =>
  typeof description === 'string'
    ? `${indent}/** ${description.replaceAll('*/', '*\\/')} */\n`
    : '';

/** Alternatives within braces or quotes are no reason, but parentheses do no harm. */
const grouped = (type: string): string => (/ [|&] /.test(type) ? `(${type})` : type);
const unique = (types: string[]): string[] => [...new Set(types)];
const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
