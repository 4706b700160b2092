import * as z from 'zod';
import { type ErrorCode, HTTP_STATUS } from '../../src/contract/core/error-info.ts';
import * as contract from '../../src/contract/index.ts';
import { DESCRIPTIONS } from '../../src/contract/routes/descriptions.ts';
import type { HttpRoute, RouteDescription } from '../../src/contract/routes/http-route.ts';
import { ROUTES, type RouteName } from '../../src/contract/routes/http-routes.ts';
import { EXAMPLES } from './route-examples.ts';

type NamesOf<Schema> = {
  [Name in keyof typeof contract]: (typeof contract)[Name] extends Schema ? Name : never;
}[keyof typeof contract];
export type SchemaName = NamesOf<z.ZodType>;

/** Routes and descriptions whose names of schemas the contract has. */
interface NamedRoute extends HttpRoute {
  query?: NamesOf<z.ZodObject>;
  body?: SchemaName;
}
interface NamedDescription extends RouteDescription {
  reply?: SchemaName | 'text/plain';
  events?: SchemaName;
  error?: SchemaName;
  media?: Record<string, SchemaName | 'text'>;
}
export type DescribedRoute = NamedRoute & NamedDescription;

const NAMED_ROUTES: Readonly<Record<RouteName, NamedRoute>> = ROUTES;
const NAMED_DESCRIPTIONS: Readonly<Record<RouteName, NamedDescription>> = DESCRIPTIONS;

/** Each route with its description, in the order of the document. */
export const DESCRIBED = Object.fromEntries(
  (Object.keys(ROUTES) as RouteName[]).map((name) => [
    name,
    { ...NAMED_ROUTES[name], ...NAMED_DESCRIPTIONS[name] },
  ]),
) as Record<RouteName, DescribedRoute>; // the keys are those of both

export function schemaOf(name: SchemaName): z.ZodType {
  return Reflect.get(contract, name) as z.ZodType; // those are the names that are exported
}

const queryOf = ({ query }: DescribedRoute): z.ZodObject | undefined =>
  query && (schemaOf(query) as z.ZodObject); // those are the names that `query` may be

/** The request of each route's example, for a product that runs on the sample knowledge base. */
export function exampleRequest(name: RouteName): { method: string; path: string; body?: unknown } {
  const [method = '', template = ''] = name.split(' ');
  const { path = {}, query, body } = EXAMPLES[name] ?? {};
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    (path[parameter] ?? '').split('/').map(encodeURIComponent).join('/'),
  );
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
  return { method, path: `${filled}${search}`, ...(body === undefined ? {} : { body }) };
}

/** What a route takes as its body; undefined when it takes none. */
export function requestSchema(name: RouteName): z.ZodType | undefined {
  const { body } = DESCRIBED[name];
  return body && schemaOf(body);
}

/** Whether a reply is what the description promises: undefined when it is, otherwise what differs. */
export function replyProblem(
  name: RouteName,
  { status, body }: { status: number; body: unknown },
): string | undefined {
  const { reply, error = 'ErrorBody', events, media } = DESCRIBED[name];
  const schema = status < 400 ? reply : error;
  if (schema === undefined || schema === 'text/plain') return undefined;
  // Text of another media type.
  if (typeof body === 'string' && (events !== undefined || media !== undefined)) return undefined;
  const read = schemaOf(schema).safeParse(body);
  return read.success ? undefined : z.prettifyError(read.error);
}

type Json = Record<string, unknown>;

/** Every schema of the contract by its name, as JSON Schema with references between them; what a caller sends, before defaults. */
const nameSchemas = (): Naming => {
  const registry = z.registry<{ id: string }>();
  // A schema has the first of its names; not every loader of modules keeps them in alphabetical order, as Node does.
  for (const [id, exported] of Object.entries(contract).sort(([one], [other]) =>
    one < other ? -1 : 1,
  ))
    if (exported instanceof z.ZodType && !registry.has(exported)) registry.add(exported, { id });
  const named = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    io: 'input',
    unrepresentable: 'any',
    override: tidy,
  }).schemas as Record<string, Json>;
  return { registry, named };
};

/** The named schemas that `part` refers to, directly or through others, with descriptions; by name. */
export function schemasOf(
  part: unknown,
  { describe, named = nameSchemas().named }: SchemasOptions,
): Record<string, Json> {
  const used = new Set<string>();
  collect(part, { named, used });
  return Object.fromEntries(
    [...used].sort().map((id) => {
      const { $schema: _, $id: __, ...schema } = named[id] ?? {};
      return [id, describe(id, schema)];
    }),
  );
}

interface SchemasOptions {
  describe: Describe;
  named?: Naming['named'];
}

/** `AskRequest` -> a reference to that schema. */
export function schemaRef(id: string): Json {
  return { $ref: `#/components/schemas/${id}` };
}

/**
 * The description of the API (OpenAPI 3.1.1), as an object of JSON. Heavy: made when the product is built.
 *
 * @param describe The description of each schema of the contract, added to those of its members: `describe('AskRequest', schema)`.
 */
export function openApiDocument({
  version,
  describe,
}: {
  version: string;
  describe: Describe;
}): Json {
  const { registry, named } = nameSchemas();
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(DESCRIBED) as [RouteName, DescribedRoute][]) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: operation(name, route, registry),
    };
  }
  const schemas = schemasOf(paths, { describe, named });
  return {
    openapi: '3.1.1',
    info: {
      title: 'Constellation',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'Answers from a team’s own knowledge base, with a source for every statement. Send an API key as `Authorization: Bearer ck_…`. ' +
        'Every response carries `X-Request-Id`. Branch on the code of an error, never on its text. ' +
        '`null` in an optional member of a request counts as absent.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(Object.values(DESCRIBED).map(({ tag }) => tag))].map((name) => ({
      name,
      description: TAGS[name],
    })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, ck_…, or a token of an identity provider that the gateway is configured for.',
        },
      },
    },
  };
}

const TAGS: Readonly<Record<RouteDescription['tag'], string>> = {
  A2A: 'Messages and tasks for agents of others.',
  Answers: 'Answers that are kept: lists, feedback, replays, erasure.',
  Articles: 'The articles of the knowledge base.',
  Ask: 'Questions, answered with sources.',
  Knowledge: 'Search, gaps and the state of the articles.',
  Librarians: 'Who answers: descriptions, health and keys.',
  MCP: 'Tools and articles for clients of MCP.',
  Memory: 'What is remembered, and contexts made of it.',
  OpenAI: 'The same answers for clients of OpenAI.',
  Operations: 'Health, metrics, rights, the audit log, moving a workspace.',
  Support: 'Tickets, drafts, intents and handing over to a person.',
  Sync: 'The sync of the knowledge base.',
};

/** Adds descriptions to a JSON Schema of the contract. */
export type Describe = (id: string, schema: Json) => Json;

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

type Registry = ReturnType<typeof z.registry<{ id: string }>>;

interface Naming {
  registry: Registry;
  named: Record<string, Json>;
}

const operation = (name: RouteName, route: DescribedRoute, registry: Registry): Json => {
  const { tag, summary, capability, alsoNeeds, access, body } = route;
  const query = queryOf(route);
  const example = EXAMPLES[name] ?? {};
  const rights =
    capability === undefined
      ? 'Any key will do.'
      : alsoNeeds === undefined
        ? `The key needs the capability \`${capability}\`.`
        : `The key needs the capabilities \`${capability}\` and \`${alsoNeeds}\`.`;
  const signed = 'The caller signs the request itself; an API key counts for nothing.';
  return {
    operationId: idOf(name),
    tags: [tag],
    summary,
    description: access === 'public' ? 'No key is needed.' : access === 'signed' ? signed : rights,
    ...(access === undefined ? {} : { security: [] }),
    ...listOf('parameters', [
      ...pathParameters(name, route),
      ...(query === undefined ? [] : queryParameters(query, example.query)),
      ...(access === undefined && !name.includes('{workspace_id}') ? [WORKSPACE] : []),
    ]),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: name !== 'POST /v1/sync',
            content: {
              'application/json': { schema: refOf(body, registry), example: example.body },
            },
          },
        }),
    responses: { ...success(route, registry), ...failures(route, registry) },
  };
};

/** `GET /v1/knowledge/gaps/{id}` -> `getKnowledgeGapsId`. */
const idOf = (name: RouteName): string => {
  const [method = '', path = ''] = name.split(' ');
  const words = path.replace(/^\/(?:v1|api)\//, '').split(/[^a-z0-9]+/i);
  return [method.toLowerCase(), ...words.map(capitalised)].join('');
};

const listOf = (key: string, items: Json[]): Json => (items.length === 0 ? {} : { [key]: items });
const refOf = (name: SchemaName, registry: Registry): Json =>
  schemaRef(registry.get(schemaOf(name))?.id ?? '');

const WORKSPACE: Json = {
  name: 'workspace_id',
  in: 'query',
  required: false,
  schema: { type: 'string', maxLength: 64 },
  description: 'One of the workspaces of the key; the first of them when absent.',
};

const pathParameters = (name: RouteName, { hasSlashes }: HttpRoute): Json[] =>
  [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => ({
    name: parameter,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    example: EXAMPLES[name]?.path?.[parameter],
    ...(hasSlashes ? { description: 'May hold slashes.' } : {}),
  }));

const queryParameters = (query: z.ZodObject, example: Record<string, string> = {}): Json[] => {
  const schema = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any', override: tidy });
  const read = z.toJSONSchema(query, { io: 'output', unrepresentable: 'any', override: tidy });
  return Object.entries(schema.properties ?? {}).map(([name, member]) => {
    // What arrives as text is described by what it is read as.
    const value = read.properties?.[name];
    const isNumber =
      typeof value === 'object' && (value.type === 'integer' || value.type === 'number');
    return {
      name,
      in: 'query',
      required: schema.required?.includes(name) === true,
      schema: isNumber ? value : member,
      ...(example[name] === undefined
        ? {}
        : { example: isNumber ? Number(example[name]) : example[name] }),
    };
  });
};

const success = (route: DescribedRoute, registry: Registry): Json => {
  const { reply, events, streams, media = {}, also = {} } = route;
  const { status = reply === undefined ? 204 : 200 } = route;
  const content: Json = {
    ...(reply === undefined ? {} : contentOf(reply, registry)),
    ...(events === undefined ? {} : { 'text/event-stream': { schema: refOf(events, registry) } }),
    ...Object.fromEntries(
      Object.entries(media).map(([type, schema]) => [
        type,
        { schema: schema === 'text' ? { type: 'string' } : refOf(schema, registry) },
      ]),
    ),
  };
  const hasBody = Object.keys(content).length > 0;
  const further = Object.entries(also).map(([code, { description, hasReply }]) => [
    code,
    { description, ...(hasReply === true ? { content } : {}) },
  ]);
  const description =
    streams === true
      ? 'The answer; as events for callers that ask for them.'
      : hasBody
        ? 'Success.'
        : 'Done.';
  return {
    [status]: { description, ...(hasBody ? { content } : {}) },
    ...Object.fromEntries(further),
  };
};

const contentOf = (reply: SchemaName | 'text/plain', registry: Registry): Json =>
  reply === 'text/plain'
    ? { [reply]: { schema: { type: 'string' } } }
    : { 'application/json': { schema: refOf(reply, registry) } };

/** Errors that any route may have. */
const COMMON: readonly ErrorCode[] = [
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'TIMEOUT',
];

/** Errors of routes for the holder of a key: an address that is too long, a reply whose receipt is missing. */
const COMMON_WITH_KEY: readonly ErrorCode[] = [
  'INVALID_QUERY',
  'UNAUTHORIZED',
  'DELEGATION_FAILED',
];

/** By status, since several codes share one. */
const failures = (
  { access, query, body, error = 'ErrorBody', errors = [], refusals = {} }: DescribedRoute,
  registry: Registry,
): Json => {
  const invalid: ErrorCode[] = query === undefined && body === undefined ? [] : ['INVALID_QUERY'];
  const refused: readonly ErrorCode[] =
    access === 'public' ? [] : access === 'signed' ? ['UNAUTHORIZED'] : COMMON_WITH_KEY;
  const codes = [...new Set([...invalid, ...refused, ...errors, ...COMMON])];
  const byStatus = [...Map.groupBy(codes, (code) => HTTP_STATUS[code])].map(
    ([status, its]) => [String(status), its.map((code) => `\`${code}\``).join(', ')] as const,
  );
  const descriptions = {
    ...(body === undefined ? {} : { 415: 'The body is compressed, or not JSON.' }),
    ...refusals,
    ...Object.fromEntries(byStatus),
  };
  const content = { 'application/json': { schema: refOf(error, registry) } };
  return Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => [status, { description, content }]),
  );
};

/** Unknown members of replies are no fault, and dates travel as texts. */
const tidy: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === 'object' && (def as z.core.$ZodObjectDef).catchall === undefined)
    delete jsonSchema.additionalProperties;
  if (def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
  const { format, pattern = '', prefixItems } = jsonSchema;
  if (format === 'date-time' || format === 'date' || format === 'uri' || !PORTABLE.test(pattern)) {
    delete jsonSchema.pattern;
  }
  // A tuple has as many members as it names; generators and linters want to read it in these words.
  if (Array.isArray(prefixItems)) {
    Object.assign(jsonSchema, {
      items: {},
      minItems: prefixItems.length,
      maxItems: prefixItems.length,
    });
  }
};

/** The names of all schemas that a part of the document refers to, directly or through others. */
const collect = (
  part: unknown,
  { named, used }: { named: Record<string, Json>; used: Set<string> },
): void => {
  for (const [, id = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (used.has(id)) continue;
    used.add(id);
    const { $id: _, ...schema } = named[id] ?? {};
    collect(schema, { named, used });
  }
};

/** Patterns that mean the same to the engines of other languages: no look-around, no classes of Unicode, no references to groups. */
const PORTABLE = /^(?!.*(?:\\[pPkuc1-9]|\(\?(?!:)))/s;
