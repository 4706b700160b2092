import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { inputSchemaOf, outputSchemaOf } from '../../../src/gateway/protocols/mcp/tool-schema.ts';
import { toolsFor } from '../../../src/gateway/protocols/mcp/tools.ts';
import { describeSchemas } from '../../../tools/build/describe-schemas.ts';
import { openApiDocument } from '../../../tools/build/openapi.ts';
import { strictSchemaProblem } from '../../../tools/stand-ins/openai/check-strict-schema.ts';

type Json = Record<string, unknown>;

/** Every object below a value, with where it stands. */
function* objectsIn(value: unknown, at = '#'): Generator<[at: string, object: Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Json];
  for (const [name, each] of Object.entries(value)) yield* objectsIn(each, `${at}/${name}`);
}

const TOOLS = [...toolsFor(['*'])];
const PUBLISHED: [what: string, schema: unknown][] = [
  ['the description of the API', openApiDocument({ version: '1', describe: describeSchemas() })],
  ...TOOLS.flatMap(([name, { input, output }]): [string, unknown][] => [
    [`what the tool ${name} takes`, inputSchemaOf(input)],
    [`what the tool ${name} gives`, outputSchemaOf(output)],
  ]),
];
const PATTERNS = [
  ...new Set(
    PUBLISHED.flatMap(([, schema]) =>
      [...objectsIn(schema)].flatMap(([, { pattern }]) =>
        typeof pattern === 'string' ? [pattern] : [],
      ),
    ),
  ),
];

describe('a pattern that is published', () => {
  it('is there at all', () => expect(PATTERNS.length).toBeGreaterThan(10));

  it.each(PATTERNS)(
    '%s is read by RE2, by ECMA without flags, and means the same to both',
    (pattern) => {
      const other = RE2JS.compile(pattern);
      const own = new RegExp(pattern);
      const agree = (text: string): void => {
        expect([text, other.matcher(text).find()]).toEqual([text, own.test(text)]);
      };
      // Texts that fit, those of any kind, and those that nearly fit; within ASCII, where \\w, \\d and \\s are the same to all engines.
      const fitting = fc.stringMatching(own, { size: 'small' });
      const near = fc
        .tuple(fitting, fc.string({ maxLength: 3 }), fc.nat(40))
        .map(([text, more, at]) => {
          return text.slice(0, at) + more + text.slice(at + 1);
        });
      fc.assert(fc.property(fc.oneof(fitting, near, fc.string()), agree), { numRuns: 200 });
    },
  );

  it.each(PATTERNS)('%s has no word of one engine alone', (pattern) => {
    // Look-around, named and numbered references, properties and code points: Python, RE2 or ECMA without the flag u refuse one of them.
    expect(pattern).not.toMatch(/\(\?(?!:)|\\[pPkuUzZAGQ1-9]|\[\[:|[*+?}]\+/);
  });
});

describe('a pattern that is not published', () => {
  it.each(['[^\\s\\p{Cc}\\p{Cf}\\p{Cs}]', '^(?!no)', '(?<=a)b', '^(a)\\1$'])(
    '%s would be found',
    (pattern) => {
      const isRefused = (() => {
        try {
          return RE2JS.compile(pattern).pattern() !== pattern;
        } catch {
          return true;
        }
      })();
      expect([isRefused, /\(\?(?!:)|\\[pPkuUzZAGQ1-9]/.test(pattern)]).toContain(true);
    },
  );
});

/** As hosts make a schema strict: each member is required, and one that may be missing may be null. */
const strict = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { default: _, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === 'properties' ? value : strict(value),
    ]),
  );
  if (rest.type !== 'object') return rest;
  const { properties = {}, required = [] } = rest as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return {
    ...rest,
    required: Object.keys(properties),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, member]) => {
        const made = strict(member);
        return [name, required.includes(name) ? made : { anyOf: [made, { type: 'null' }] }];
      }),
    ),
  };
};

describe('what a tool takes', () => {
  it.each(TOOLS)('%s can be made strict for OpenAI by the host', (name, { input }) => {
    const problem = strictSchemaProblem(strict(inputSchemaOf(input)));
    // Free members cannot be listed: hosts hand this tool over as it is.
    const isFree = name === 'analyze_ticket';
    expect(problem).toEqual(isFree ? expect.stringContaining('additionalProperties') : undefined);
    expect(JSON.stringify(inputSchemaOf(input)).length).toBeLessThan(15_000);
  });
});
