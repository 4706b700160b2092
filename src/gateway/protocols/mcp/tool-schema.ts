import * as z from 'zod';

export type ObjectSchema = { type: 'object'; [member: string]: unknown };

/**
 * What a tool takes, as JSON Schema in the words that all hosts and models read. Hosts hand it to models unchanged, and one that refuses
 * a word of it refuses every tool of the conversation: patterns are read by other engines (Python, RE2), alternatives with `null` and
 * objects without properties are refused, and so are lengths of texts where a host asks OpenAI for strict mode, so that the description says
 * them. The server checks arguments with the whole schema.
 */
export function inputSchemaOf(schema: z.ZodType): ObjectSchema {
  return published(schema, plainInput);
}

/** What a tool gives. Clients check results with it, so that only patterns are left out: their engine is not known. */
export function outputSchemaOf(schema: z.ZodType): ObjectSchema {
  return published(schema, withoutPattern);
}

/** Members that are added later are no fault, in what is taken too: a strict schema says so itself. */
const published = (schema: z.ZodType, override: Override): ObjectSchema => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override,
  });
  // All tools take and give objects.
  return { ...json, type: 'object' };
};

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

const withoutPattern: Override = ({ jsonSchema }) => {
  delete jsonSchema.pattern;
};

const plainInput: Override = ({ jsonSchema }) => {
  delete jsonSchema.pattern;
  delete jsonSchema.propertyNames;
  const { maxLength, description = '' } = jsonSchema;
  if (maxLength !== undefined && !/\bcharacters\b/i.test(description))
    jsonSchema.description =
      `${description} At most ${maxLength.toLocaleString('en')} characters.`.trim();
  delete jsonSchema.minLength;
  delete jsonSchema.maxLength;
  if (jsonSchema.format !== 'date-time') delete jsonSchema.format;
  if (isEmpty(jsonSchema.additionalProperties)) jsonSchema.additionalProperties = true;
  // A list of types is how `null` is said beside a plain one.
  const types: unknown = jsonSchema.type;
  if (Array.isArray(types)) {
    const [type, more] = types.filter((each) => each !== 'null');
    if (more === undefined) jsonSchema.type = type;
  }
  if (jsonSchema.enum !== undefined)
    jsonSchema.enum = jsonSchema.enum.filter((value) => value !== null);
  const rest = jsonSchema.anyOf?.filter(({ type }) => type !== 'null');
  if (rest?.length === 1) {
    const { anyOf: _, ...own } = jsonSchema;
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, rest[0], own);
  }
  if (jsonSchema.type === 'object') jsonSchema.properties ??= {};
};

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
