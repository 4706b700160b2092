import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { describeIssues } from '../../src/contract/core/error-info.ts';
import * as contract from '../../src/contract/index.ts';

const FOLDER = new URL('../../src/contract/', import.meta.url);
const schemas = Object.entries(contract).flatMap(([name, value]): [string, z.ZodType][] =>
  value instanceof z.ZodType ? [[name, value]] : [],
);

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

describe('the files of the contract', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('conformance/'),
  );
  const textOf = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8');

  it('are all published', () => {
    const entry = textOf('index.ts');
    const routes = textOf('routes/http-routes.ts').replaceAll("'./", "'./routes/");
    expect(
      files.filter((file) => file !== 'index.ts' && !`${entry}${routes}`.includes(`'./${file}'`)),
    ).toEqual([]);
    const response: contract.Response = { answer: 'Yes.' };
    expect(contract.Response.parse(response)).toEqual(response);
  });
  it('import nothing but zod and each other', () => {
    const imports = files.flatMap((file) =>
      [...textOf(file).matchAll(/^(?! *\*).*from '([^']+)'/gm)].map(([, from]) => from ?? ''),
    );
    expect(imports.length).toBeGreaterThan(20);
    expect(
      imports.filter(
        (from) =>
          from !== 'zod' &&
          !/^\.(?:\/(?:core|routes|wire)|\.\/core)?\/[a-z0-9-]+\.(?:ts|json)$/.test(from),
      ),
    ).toEqual([]);
  });
  it('cost a function less than 48 KiB of gzip', () => {
    const worker = `import { AskRequest, NavigatorResponse, validateResponse } from './src/contract/index.ts';
      export default { fetch: async (r) => Response.json([AskRequest, NavigatorResponse, validateResponse(await r.json())]) };`;
    const bundle = execFileSync(
      'node_modules/.bin/esbuild',
      ['--bundle', '--minify', '--format=esm', '--loader=ts'],
      {
        input: worker,
        cwd: new URL('../../', import.meta.url),
      },
    );
    expect(gzipSync(bundle).length).toBeLessThan(48 * 1024);
  });
});

/** The rules of a JSON Schema for one value: `string minLength=1 maxLength=4000`, or the name of a schema. */
const rulesOf = (node: Node): string => {
  if (typeof node.$ref === 'string') return node.$ref.replace('#/$defs/', '');
  const words = Object.entries(node).flatMap(([key, rule]) => {
    if (key === '$schema' || key === '$id' || (isNode(rule) && key !== 'not')) return [];
    if (key === 'type') return [String(rule)];
    if (key === 'additionalProperties') return rule === false ? ['strict'] : [];
    return ['required', 'anyOf', 'oneOf', 'id'].includes(key)
      ? []
      : [`${key}=${JSON.stringify(rule)}`];
  });
  return words.join(' ') || (node.anyOf || node.oneOf ? 'one of' : 'anything');
};

/** A line for a value and for each value in it. */
const linesOf = (path: string, node: unknown, isOptional = false): string[] => {
  if (!isNode(node)) return [];
  const required = Array.isArray(node.required) ? node.required : [];
  const members = isNode(node.properties) ? Object.entries(node.properties) : [];
  const branches = [node.anyOf, node.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [
    `${path}${isOptional ? '?' : ''}: ${rulesOf(node)}`,
    ...members.flatMap(([name, member]) =>
      linesOf(`${path}.${name}`, member, !required.includes(name)),
    ),
    ...linesOf(`${path}[]`, node.items),
    ...linesOf(`${path}.*`, node.additionalProperties),
    ...branches.flatMap((branch, index) => linesOf(`${path}|${index}`, branch)),
  ];
};

it('the wire format matches wire.txt: a change there is visible to callers', async () => {
  const published = z.registry<{ id: string }>();
  for (const [id, schema] of schemas) if (id !== 'Response') published.add(schema, { id });
  const { schemas: rules } = z.toJSONSchema(published, {
    io: 'input',
    unrepresentable: 'any',
    uri: (id) => id,
  });
  const names = Object.keys(rules).toSorted();
  const lines = names.flatMap((name) => [...linesOf(name, rules[name]), '']);
  await expect(lines.join('\n')).toMatchFileSnapshot('wire.txt');
});

describe('the bounds', () => {
  /** Everything that a caller sends. Add each new request here. */
  const REQUESTS = [
    ...[
      'AgentRequest',
      'ArticleListingQuery',
      'ArticlePut',
      'AskRequest',
      'ContextRequest',
      'ContextTemplate',
    ],
    ...[
      'KnowledgeSearchRequest',
      'LibrarianAskRequest',
      'MemoryInput',
      'MemorySearchRequest',
      'NavigateRequest',
    ],
    ...['RetrievalRequest', 'SupportRequest', 'SyncRequest', 'TaxonomyPut'],
  ];

  /**
   * Replies of older versions and of other hosts, our own description of the API, and taxonomies: the pattern of their language tag has no
   * bound.
   */
  const UNBOUNDED = /^(?:GetOpenapiJsonReply|HostArticleReply|\w+V1|Taxonomy(?:Put|Written)?)$/;

  /**
   * Every part of a JSON Schema with its path, in the order of the schema, without names of free members: those
   * objects are bounded as a whole, which a JSON Schema cannot say.
   */
  const partsOf = (value: unknown, path = '$'): [path: string, part: Node][] => {
    if (Array.isArray(value))
      return value.flatMap((part, index) => partsOf(part, `${path}.${index}`));
    if (!isNode(value)) return [];
    const members = Object.entries(value).filter(([key]) => key !== 'propertyNames');
    return [[path, value], ...members.flatMap(([key, part]) => partsOf(part, `${path}.${key}`))];
  };
  const partsOfSchema = (schema: z.ZodType) =>
    partsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }));

  /** A pattern is bounded when it is anchored and has no unbounded repetition. */
  const endsByItself = (pattern: unknown): boolean =>
    typeof pattern === 'string' && /^\^[^*+]*\$$/.test(pattern);

  const isEndless = ({
    type,
    maxItems,
    maxLength,
    enum: values,
    const: only,
    format,
    pattern,
  }: Node): boolean =>
    (type === 'array' && maxItems === undefined) ||
    (type === 'string' &&
      ![maxLength, values, only, format === 'date', endsByItself(pattern)].some(Boolean));

  it.each(schemas.filter(([name]) => !UNBOUNDED.test(name)))(
    'end every text and list of %s',
    (_name, schema) => {
      expect(partsOfSchema(schema).filter(([, part]) => isEndless(part))).toEqual([]);
    },
  );
  it.each(REQUESTS)('refuse unknown members at every level of %s', (name) => {
    const parts = partsOfSchema(Reflect.get(contract, name) as z.ZodType); // a list of schemas
    expect(parts.length).toBeGreaterThan(1);
    const open = parts.filter(
      // Metadata may have any member of a helpdesk.
      ([path, { type, properties, additionalProperties }]) =>
        type === 'object' &&
        properties &&
        additionalProperties !== false &&
        !path.includes('.properties.metadata'),
    );
    expect(open).toEqual([]);
  });
});

describe('hostile input', () => {
  /** Any value, with member names of the schemas in it so that it passes the first checks. */
  const names = schemas.flatMap(([, schema]) =>
    schema instanceof z.ZodObject ? Object.keys(schema.shape) : [],
  );
  const hostile = fc.letrec<{ value: unknown; object: object }>((tie) => ({
    object: fc.dictionary(
      fc.oneof(fc.constantFrom(...names, '__proto__', 'constructor'), fc.string()),
      tie('value'),
      {
        maxKeys: 6,
      },
    ),
    value: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue(),
      fc.constantFrom(
        'high',
        'low',
        'analytics',
        true,
        false,
        null,
        undefined,
        0,
        0.5,
        -1,
        Number.NaN,
        '\ud800',
      ),
      fc.array(tie('value'), { maxLength: 4 }),
      tie('object'),
    ),
  })).object;

  it('is read as any schema without throwing, and described in bounds', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        for (const [name, schema] of schemas) {
          const read = contract.readAs(schema, value);
          if (read.ok) continue;
          const { length } = read.issues;
          const isBounded = length > 0 && length <= 20 && describeIssues(read.issues).length <= 500;
          expect([name, isBounded]).toEqual([name, true]);
        }
      }),
    );
  });
  it('is validated as a response without throwing; an accepted value is accepted again, unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.anything()), (value) => {
        const first = contract.validateResponse(value, { known: ['a'], chain: ['b'] });
        if (!first.ok) expect(first.issues.length).toBeGreaterThan(0);
        else
          expect(contract.validateResponse(first.value, { known: ['a'] })).toMatchObject({
            value: first.value,
          });
      }),
    );
  });
  it('with a length that cannot be compared is refused, on which safeParse throws', () => {
    const body: unknown = JSON.parse('{"query":{"length":{"valueOf":0,"toString":0}}}');
    expect(() => contract.AskRequest.safeParse(body)).toThrow(TypeError);
    expect(contract.readAs(contract.AskRequest, body)).toEqual({
      ok: false,
      issues: [{ path: '', message: 'cannot be read' }],
    });
  });
});
it('reads a value, or says what is wrong with it', () => {
  expect(contract.readAs(contract.AskRequest, { query: ' Why? ' })).toEqual({
    ok: true,
    value: { query: 'Why?' },
  });
  const issues = [{ path: 'query', message: 'is missing' }];
  expect(contract.readAs(contract.AskRequest, {})).toEqual({ ok: false, issues });
});
