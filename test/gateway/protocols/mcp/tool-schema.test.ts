import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  inputSchemaOf,
  outputSchemaOf,
} from '../../../../src/gateway/protocols/mcp/tool-schema.ts';
import { toolsFor } from '../../../../src/gateway/protocols/mcp/tools.ts';

type Json = Record<string, unknown>;

/** Each schema within a schema, with where it stands; not the values of `default` and `enum`, and no names of properties. */
function* schemasIn(schema: unknown, at = '#'): Generator<[at: string, schema: Json]> {
  if (typeof schema !== 'object' || schema === null) return;
  yield [at, schema as Json];
  const { properties = {}, items, anyOf = [], additionalProperties } = schema as Json;
  for (const [name, member] of Object.entries(properties as Json))
    yield* schemasIn(member, `${at}/${name}`);
  for (const each of anyOf as unknown[]) yield* schemasIn(each, `${at}/anyOf`);
  yield* schemasIn(items, `${at}/items`);
  yield* schemasIn(additionalProperties, `${at}/*`);
}

/**
 * What the strictest readers of parameters take: function calling of OpenAI (not in strict mode) and of Gemini (Schema of its API), and what
 * hosts strip themselves (`additionalProperties`).
 */
const TAKEN = new Set([
  ...[
    'type',
    'description',
    'properties',
    'required',
    'items',
    'enum',
    'default',
    'additionalProperties',
  ],
  ...['minimum', 'maximum', 'minItems', 'maxItems', 'anyOf', 'format'],
]);

const TOOLS = [...toolsFor(['*'])];

describe('the schema of what a tool takes', () => {
  it.each(TOOLS)('%s has only words that hosts and models take', (_, { input }) => {
    for (const [at, schema] of schemasIn(inputSchemaOf(input))) {
      expect([at, Object.keys(schema).filter((word) => !TAKEN.has(word))]).toEqual([at, []]);
      if (schema.type === 'object')
        expect([at, schema.properties]).toEqual([at, expect.any(Object)]);
      if (schema.type === 'array')
        expect([at, schema.items]).toEqual([
          at,
          expect.objectContaining({ type: expect.any(String) }),
        ]);
      if (schema.format !== undefined) expect([at, schema.format]).toEqual([at, 'date-time']);
      if (at !== '#' && !at.endsWith('*'))
        expect([at, schema.type ?? schema.anyOf]).toEqual([
          at,
          expect.toSatisfy((type) => typeof type === 'string' || schema.anyOf === type),
        ]);
      // Gemini takes no other member beside anyOf.
      if (schema.anyOf !== undefined) expect([at, Object.keys(schema)]).toEqual([at, ['anyOf']]);
    }
  });

  it('leaves out what other engines read in another way, and keeps the rest', () => {
    const schema = z.strictObject({
      query: z.string().min(1).max(9).regex(/\p{L}/u).describe('A question.'),
      limit: z.int().min(1).max(5).nullish().describe('How many.'),
      mail: z.email().optional(),
      state: z.enum(['open', 'closed']).nullish(),
      cursor: z.string().nullish(),
      metadata: z.record(z.string(), z.unknown()).nullish(),
      tags: z.array(z.string().regex(/^(?!no)/)).optional(),
      since: z.iso.datetime().optional(),
    });
    expect(inputSchemaOf(schema)).toEqual({
      type: 'object',
      additionalProperties: false,
      required: ['query'],
      properties: {
        query: { type: 'string', description: 'A question. At most 9 characters.' },
        limit: { type: 'integer', minimum: 1, maximum: 5, description: 'How many.' },
        mail: { type: 'string' },
        state: { type: 'string', enum: ['open', 'closed'] },
        cursor: { type: 'string' },
        metadata: { type: 'object', properties: {}, additionalProperties: true },
        tags: { type: 'array', items: { type: 'string' } },
        since: { type: 'string', format: 'date-time' },
      },
    });
  });
});

describe('the schema of what a tool gives', () => {
  it.each(TOOLS)('%s holds no pattern, at any depth', (_, { output }) => {
    for (const [at, schema] of schemasIn(outputSchemaOf(output))) {
      expect([at, Object.keys(schema)]).toEqual([
        at,
        expect.not.arrayContaining(['pattern', 'patternProperties']),
      ]);
    }
    expect(JSON.stringify(outputSchemaOf(output))).not.toMatch(/"pattern":"/);
  });

  it('keeps null, which results have', () => {
    const { properties } = outputSchemaOf(z.object({ cursor: z.string().nullable() }));
    expect(properties).toEqual({ cursor: { type: ['string', 'null'] } });
  });
});
