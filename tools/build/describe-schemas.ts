import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Comment, type Expression, type Program, parseSync } from 'oxc-parser';
import { ROOT } from '../functions.ts';
import type { Describe } from './openapi.ts';

type Json = Record<string, unknown>;

/** A constant of the contract: its initial value, and the comment above it. */
interface Constant {
  value: Expression;
  /** In the order of the file. */
  comments: readonly Comment[];
  text: string;
  description: string | undefined;
}

/**
 * Takes the descriptions of schemas and of their members from the comments of the contract's source, where they stand once. Members of
 * schemas that a name refers to are described where that name is.
 */
export function describeSchemas(): Describe {
  const folder = join(ROOT, 'src/contract');
  const exported = new Map<string, Constant>();
  const byFile = new Map<Constant, ReadonlyMap<string, Constant>>();
  for (const name of readdirSync(folder, { encoding: 'utf8', recursive: true }).filter((each) =>
    each.endsWith('.ts'),
  )) {
    const constants = constantsOf(join(folder, name));
    for (const [id, constant] of constants) {
      byFile.set(constant, constants);
      if (/^[A-Z]/.test(id) && !exported.has(id)) exported.set(id, constant);
    }
  }
  return (id, schema) => {
    const constant = exported.get(id);
    if (constant === undefined) return schema;
    return withDescription(
      constant.description,
      describe(constant.value, schema, { ...constant, constants: byFile.get(constant) }),
    );
  };
}

const constantsOf = (file: string): Map<string, Constant> => {
  const text = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, text);
  const constants = new Map<string, Constant>();
  for (const statement of (program as Program).body) {
    const declared =
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declared.declarations) {
      if (id.type !== 'Identifier' || init === null) continue;
      constants.set(id.name, {
        value: init,
        comments,
        text,
        description: commentBefore(statement.start, { comments, text }),
      });
    }
  }
  return constants;
};

interface Source {
  comments: readonly Comment[];
  text: string;
  constants?: ReadonlyMap<string, Constant> | undefined;
}

/** The documentation comment that ends right before a position, as one line without its `*`. */
const commentBefore = (position: number, { comments, text }: Source): string | undefined => {
  const comment = comments.findLast(({ end }) => end <= position);
  if (
    comment === undefined ||
    !comment.value.startsWith('*') ||
    /\S/.test(text.slice(comment.end, position))
  )
    return undefined;
  return comment.value
    .replaceAll(/^\s*\*+ ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
};

const withDescription = (description: string | undefined, schema: Json): Json =>
  description === undefined || description === '' ? schema : { description, ...schema };

/** Adds descriptions to the JSON Schema that an expression of Zod gave: `z.array(z.object({ … })).max(3)`. */
const describe = (expression: Expression, schema: Json, source: Source): Json => {
  if ('$ref' in schema) return schema;
  if (expression.type === 'Identifier') {
    const constant = source.constants?.get(expression.name);
    return constant === undefined
      ? schema
      : withDescription(
          constant.description,
          describe(constant.value, schema, { ...constant, constants: source.constants }),
        );
  }
  if (expression.type !== 'CallExpression' || expression.callee.type !== 'MemberExpression')
    return schema;
  const { object, property } = expression.callee;
  const made = property.type === 'Identifier' ? property.name : '';
  const [first, second] = expression.arguments;
  const isOfZod = object.type === 'Identifier' && object.name === 'z';
  // `.extend({ … })`, `.max(3)`, `.optional()`: what stands before is described too.
  const before =
    isOfZod || object.type === 'Super' ? schema : describe(object as Expression, schema, source);
  const [listed] = [first, second].filter((argument) => argument?.type === 'ArrayExpression');
  if (
    first?.type === 'ObjectExpression' &&
    /^(?:object|strictObject|looseObject|extend)$/.test(made)
  ) {
    return withMembers(first, before, source);
  }
  if (isOfZod && made === 'array' && first !== undefined && isJson(schema.items)) {
    return { ...before, items: describe(first as Expression, schema.items, source) };
  }
  if (isOfZod && made === 'record' && second !== undefined && isJson(schema.additionalProperties)) {
    return {
      ...before,
      additionalProperties: describe(second as Expression, schema.additionalProperties, source),
    };
  }
  if (isOfZod && listed !== undefined) return withAlternatives(listed, before, source);
  return before;
};

type ObjectExpression = Extract<Expression, { type: 'ObjectExpression' }>;
type ArrayExpression = Extract<Expression, { type: 'ArrayExpression' }>;

const withMembers = (
  { properties: members }: ObjectExpression,
  schema: Json,
  source: Source,
): Json => {
  if (!isJson(schema.properties)) return schema;
  const described: Json = { ...schema.properties };
  for (const member of members) {
    if (member.type !== 'Property' || member.key.type !== 'Identifier') continue;
    const known = described[member.key.name];
    if (!isJson(known)) continue;
    const comment = commentBefore(member.start, source);
    described[member.key.name] = withDescription(
      comment,
      describe(member.value as Expression, known, source),
    );
  }
  return { ...schema, properties: described };
};

const withAlternatives = ({ elements }: ArrayExpression, schema: Json, source: Source): Json => {
  const key = ['anyOf', 'oneOf'].find((each) => Array.isArray(schema[each]));
  if (key === undefined) return schema;
  const alternatives = (schema[key] as Json[]).map((each, index) => {
    const element = elements[index];
    if (element === null || element === undefined) return each;
    return withDescription(
      commentBefore(element.start, source),
      describe(element as Expression, each, source),
    );
  });
  return { ...schema, [key]: alternatives };
};

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
