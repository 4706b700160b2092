import { zodResponseFormat } from 'openai/helpers/zod';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { strictSchemaProblem } from '../../../src/dev/stand-ins/openai/check-strict-schema.ts';
import { sampleOfSchema } from '../../../src/dev/stand-ins/openai/sample-of-schema.ts';

const object = (properties: Record<string, unknown>, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const text = { type: 'string' };

const list = (items?: unknown, more: object = {}) => ({ type: 'array', items, ...more });

describe('strictSchemaProblem()', () => {
  it.each<[string, unknown, RegExp]>([
    ['no schema', undefined, /type: "object"/],
    ['a list at the root', { type: 'array', items: text }, /got 'type: "array"'/],
    ['a choice at the root', { anyOf: [object({})] }, /'anyOf' is not permitted/],
    ['an open object', { type: 'object', properties: {}, required: [] }, /additionalProperties/],
    ['an optional member', { ...object({ a: text }), required: [] }, /Missing 'a'/],
    ['an undeclared required member', { ...object({ a: text }), required: ['a', 'b'] }, /Extra required key 'b'/],
    ['an open object deep inside', object({ a: list({ type: 'object' }) }), /'properties', 'a', 'items', \)/],
    ['a maximum length', object({ a: { ...text, maxLength: 5 } }), /'maxLength' is not permitted/],
    ['oneOf', object({ a: { oneOf: [text] } }), /'oneOf' is not permitted/],
    ['uniqueItems', object({ a: { type: 'array', items: text, uniqueItems: true } }), /'uniqueItems'/],
    ['a format that is not supported', object({ a: { ...text, format: 'uri' } }), /'uri' is not a valid format/],
    ['a list without items', object({ a: { type: 'array' } }), /missing items/],
    ['a member without a type', object({ a: {} }), /must have a 'type' key/],
    ['an unknown type', object({ a: { type: 'text' } }), /'text' is not a valid type/],
    ['a reference to nowhere', object({ a: { $ref: '#/$defs/gone' } }), /not found/],
    ['an empty enum', object({ a: { type: 'string', enum: [] } }), /enum/],
  ])('refuses %s', (_, schema, problem) => {
    expect(strictSchemaProblem(schema)).toMatch(problem);
  });
  it('checks a schema that the zod helper generates', () => {
    const schemaOf = (schema: z.ZodType) => zodResponseFormat(schema, 'x').json_schema.schema;
    expect(strictSchemaProblem(schemaOf(z.object({ a: z.string().nullable(), n: z.int() })))).toBeUndefined();
    expect(strictSchemaProblem(schemaOf(z.object({ a: z.string().max(5) })))).toMatch(/maxLength/);
    expect(strictSchemaProblem(schemaOf(z.object({ a: z.url() })))).toMatch(/uri/);
  });
});

describe('sampleOfSchema()', () => {
  it('generates a valid value for a strict schema', () => {
    const Part = z.object({ file: z.string(), line: z.int().min(1).max(9), kind: z.enum(['a', 'b']) });
    const Whole = z.object({
      text: z.string(),
      parts: z.array(Part).min(2).max(3),
      none: z.array(z.string()).max(0),
      maybe: z.string().nullable(),
      when: z.iso.date(),
      at: z.iso.datetime(),
      score: z.number().min(0).max(1),
      below: z.number().max(-1),
      choice: z.union([z.literal('yes'), Part]),
      flag: z.boolean(),
    });
    const { schema = {} } = zodResponseFormat(Whole, 'whole').json_schema;
    expect(strictSchemaProblem(schema)).toBeUndefined();
    expect(Whole.safeParse(sampleOfSchema(schema, 'words'))).toMatchObject({ success: true, data: { text: 'words' } });
  });
});
