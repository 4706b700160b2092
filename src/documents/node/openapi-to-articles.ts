import { load } from 'js-yaml';
import type { BlockContent, PhrasingContent, Root, RootContent, TableCell } from 'mdast';
import { decodeUri } from '../../language/decode-uri.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { markdownToText } from '../markdown/render-markdown.ts';
import { readDocument } from '../read-document.ts';
import { writeMarkdown } from '../write-markdown.ts';
import { type DocumentText, NotReadable } from './document-text.ts';
import LABELS from './openapi-labels.json' with { type: 'json' };

type Labels = (typeof LABELS)['en'];

const MAX_OPERATIONS = 2000;
const MAX_FIELDS = 150;
/** Those of all operations together. */
const MAX_ALL_FIELDS = 20_000;
const MAX_LEVELS = 4;
const MAX_REFERENCES = 20;
const MAX_EXAMPLE = 3000;
/** Parts of an example, and how deep they may lie. */
const MAX_EXAMPLE_PARTS = 500;
const MAX_EXAMPLE_DEPTH = 20;
/** Schemas that are looked at for all operations together: each may hold others, and itself, many times. */
const MAX_STEPS = 200_000;
/** Characters of descriptions and examples that are written for all operations together: each may stand in many. */
const MAX_ALL_CHARACTERS = 4_000_000;
const MAX_DESCRIPTION = 100_000;
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

type Value = Readonly<Record<string, unknown>>;

const isValue = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textIn = (value: Value | undefined, name: string): string => {
  const text = value?.[name];
  return typeof text === 'string' ? text.trim() : typeof text === 'number' ? String(text) : '';
};
const listIn = (value: Value | undefined, name: string): unknown[] => {
  const list = value?.[name];
  return Array.isArray(list) ? list.slice(0, 1000) : [];
};
const valueIn = (value: Value | undefined, name: string): Value | undefined => {
  const inner = value?.[name];
  return isValue(inner) ? inner : undefined;
};

/**
 * Articles of a description of an HTTP interface (OpenAPI 3, Swagger 2): one about all of it, and one about each operation with its
 * parameters, its body and its responses. References to other files are not followed.
 *
 * @throws {NotReadable} When it is no such description.
 */
export function openApiToArticles(text: string): DocumentText {
  const api = parsed(text);
  const paths = { ...valueIn(api, 'paths'), ...valueIn(api, 'webhooks') };
  const info = valueIn(api, 'info');
  const operations = operationsOf(api, paths);
  const words = [
    textIn(info, 'description'),
    ...operations
      .slice(0, 50)
      .map(({ value }) => `${textIn(value, 'summary')}. ${textIn(value, 'description')}`),
  ];
  const language = detectLanguage(words.join('\n').slice(0, 4000)) ?? 'en';
  const labels = (LABELS as Record<string, Labels>)[language] ?? LABELS.en;
  const isCut = operations.length > MAX_OPERATIONS;
  const place: Place = {
    api,
    labels,
    fieldsLeft: MAX_ALL_FIELDS,
    stepsLeft: MAX_STEPS,
    charactersLeft: MAX_ALL_CHARACTERS,
    isShortened: false,
    read: new Map(),
  };
  const overview = overviewOf(operations, place);
  const articles = operations
    .slice(0, MAX_OPERATIONS)
    .map((operation) => articleOf(operation, place));
  return {
    ...overview,
    articles,
    warnings: [
      ...(isCut ? [`Cut after ${MAX_OPERATIONS} operations: there are more`] : []),
      ...(place.fieldsLeft > 0
        ? []
        : [`Cut after ${MAX_ALL_FIELDS} fields of bodies: there are more`]),
      ...(place.stepsLeft > 0
        ? []
        : [`Cut after ${MAX_STEPS} schemas: they hold each other more often`]),
      ...(place.isShortened
        ? [`Cut descriptions after ${MAX_DESCRIPTION} characters: they are longer`]
        : []),
      ...(place.charactersLeft > 0
        ? []
        : [
            `Left out descriptions and examples after ${MAX_ALL_CHARACTERS} characters: there are more`,
          ]),
    ],
  };
}

function parsed(text: string): Value {
  let value: unknown;
  try {
    value = /^\s*\{/.test(text) ? JSON.parse(text) : load(text, { maxDepth: 60, maxAliases: 100 });
  } catch (error) {
    throw new NotReadable('it is damaged or no OpenAPI file', { cause: error });
  }
  if (
    !isValue(value) ||
    !(valueIn(value, 'paths') || valueIn(value, 'webhooks') || valueIn(value, 'info'))
  )
    throw new NotReadable('it is no OpenAPI file');
  return value;
}

interface Operation {
  method: string;
  path: string;
  value: Value;
  /** Parameters of all operations of the path. */
  shared: unknown[];
}

function operationsOf(api: Value, paths: Value): Operation[] {
  const operations: Operation[] = [];
  for (const [path, given] of Object.entries(paths)) {
    const item = resolved(given, api);
    for (const method of METHODS) {
      const value = valueIn(item, method);
      if (value === undefined || value['x-internal'] === true) continue;
      operations.push({
        method: method.toUpperCase(),
        path,
        value,
        shared: listIn(item, 'parameters'),
      });
      if (operations.length > MAX_OPERATIONS) return operations;
    }
  }
  return operations;
}

/** What a reference within the file leads to. */
function resolved(value: unknown, api: Value): Value | undefined {
  let current = value;
  for (
    let hops = 0;
    hops < MAX_REFERENCES && isValue(current) && typeof current.$ref === 'string';
    hops += 1
  ) {
    if (!current.$ref.startsWith('#/')) return undefined;
    let target: unknown = api;
    for (const part of current.$ref.slice(2).split('/').slice(0, 20)) {
      const name = decoded(part);
      target = isValue(target) && Object.hasOwn(target, name) ? target[name] : undefined;
    }
    current = target;
  }
  return isValue(current) ? current : undefined;
}

const decoded = (part: string): string =>
  decodeUri(part.replaceAll('~1', '/').replaceAll('~0', '~'));

const nameOfReference = (value: unknown): string =>
  isValue(value) && typeof value.$ref === 'string' ? (value.$ref.split('/').at(-1) ?? '') : '';

interface Place {
  api: Value;
  labels: Labels;
  /** Fields of bodies that may still be listed. */
  fieldsLeft: number;
  /** Schemas that may still be looked at. */
  stepsLeft: number;
  /** Characters of descriptions and examples that may still be written. */
  charactersLeft: number;
  /** Whether the end of a description was left out. */
  isShortened: boolean;
  /** Descriptions that were read, which many operations may refer to. */
  read: Map<string, string>;
}

const words = (value: string): PhrasingContent => ({ type: 'text', value });
const code = (value: string): PhrasingContent => ({ type: 'inlineCode', value });
const label = (value: string): BlockContent => ({
  type: 'paragraph',
  children: [{ type: 'strong', children: [words(`${value}:`)] }],
});
const write = (...children: RootContent[]): string =>
  writeMarkdown({ type: 'root', children } satisfies Root);
const heading = (value: string): string =>
  write({ type: 'heading', depth: 1, children: [words(oneLine(value))] });
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A description is Markdown; its headings stand below that of the article. */
function described(text: string, place: Place): string {
  const part = text.slice(0, MAX_DESCRIPTION);
  place.isShortened ||= part.length < text.length;
  return readOnce(part, place, () =>
    readDocument(part, { format: 'markdown' }).text.replace(/^(#{1,5})(?= )/gm, '#$1'),
  );
}

/** In a cell, a description is one line of text, and what it may be stands behind it. */
function about(
  descriptions: readonly string[],
  place: Place,
  limits: PhrasingContent[] = [],
): PhrasingContent[] {
  const part = (descriptions.find((each) => each !== '') ?? '').slice(0, 2000);
  const line = readOnce(`line ${part}`, place, () =>
    oneLine(markdownToText(readDocument(part, { format: 'markdown' }).text)),
  );
  if (line === '') return limits;
  const gap = limits.length === 0 ? '' : /[.!?:;。]$/.test(line) ? ' ' : '. ';
  return [words(line + gap), ...limits];
}

function readOnce(text: string, place: Place, read: () => string): string {
  if (text === '' || place.charactersLeft <= 0) return '';
  const content = place.read.get(text) ?? read();
  place.read.set(text, content);
  place.charactersLeft -= content.length;
  return content;
}

type Row = PhrasingContent[][];

function tableOf(head: readonly string[], rows: readonly Row[]): string {
  const row = (cells: Row) => ({
    type: 'tableRow' as const,
    children: cells.map((children): TableCell => ({ type: 'tableCell', children })),
  });
  return rows.length === 0
    ? ''
    : write({
        type: 'table',
        children: [row(head.map((name) => [words(name)])), ...rows.map(row)],
      });
}

const joined = (parts: readonly string[]): string =>
  parts.filter((part) => part !== '').join('\n\n');

function overviewOf(
  operations: readonly Operation[],
  place: Place,
): { title: string; text: string } {
  const { api, labels } = place;
  const info = valueIn(api, 'info');
  const title = textIn(info, 'title') || 'API';
  const version = textIn(info, 'version');
  const servers = [
    ...listIn(api, 'servers').map((server) =>
      isValue(server) ? [textIn(server, 'url'), textIn(server, 'description')] : [],
    ),
    swaggerServer(api),
  ].filter(([url]) => url);
  const byTag = Map.groupBy(operations, ({ value }) => String(listIn(value, 'tags')[0] ?? ''));
  const lists = [...byTag].flatMap(([tag, each]) => [
    ...(tag === '' ? [] : [write(label(tag))]),
    write({
      type: 'list',
      children: each.map(({ method, path, value }) => ({
        type: 'listItem',
        children: [
          {
            type: 'paragraph',
            children: [code(`${method} ${path}`), words(` ${oneLine(textIn(value, 'summary'))}`)],
          },
        ],
      })),
    }),
  ]);
  const text = joined([
    heading(title),
    version === ''
      ? ''
      : write({ type: 'paragraph', children: [words(`${labels.version}: ${version}`)] }),
    described(textIn(info, 'description'), place),
    ...(servers.length === 0
      ? []
      : [
          write(label(labels.servers)),
          write({
            type: 'list',
            children: servers.map(([url = '', about = '']) => ({
              type: 'listItem',
              children: [{ type: 'paragraph', children: [code(url), words(` ${oneLine(about)}`)] }],
            })),
          }),
        ]),
    ...securityOf(place),
    ...(lists.length === 0 ? [] : [write(label(labels.operations)), ...lists]),
  ]);
  return { title: oneLine(title), text };
}

const swaggerServer = (api: Value): string[] => {
  const host = textIn(api, 'host');
  return host === ''
    ? []
    : [`${listIn(api, 'schemes')[0] ?? 'https'}://${host}${textIn(api, 'basePath')}`, ''];
};

function securityOf(place: Place): string[] {
  const { api, labels } = place;
  const schemes =
    valueIn(valueIn(api, 'components'), 'securitySchemes') ??
    valueIn(api, 'securityDefinitions') ??
    {};
  const rows = Object.entries(schemes)
    .slice(0, 50)
    .flatMap(([name, given]): Row[] => {
      const scheme = resolved(given, api);
      const kind = [
        textIn(scheme, 'type'),
        textIn(scheme, 'scheme'),
        textIn(scheme, 'in'),
        textIn(scheme, 'name'),
      ]
        .filter(Boolean)
        .join(' ');
      return scheme === undefined
        ? []
        : [[[code(name)], [words(kind)], about([textIn(scheme, 'description')], place)]];
    });
  return rows.length === 0
    ? []
    : [
        write(label(labels.authentication)),
        tableOf([labels.name, labels.type, labels.description], rows),
      ];
}

function articleOf(
  { method, path, value, shared }: Operation,
  place: Place,
): { name: string; title: string; text: string } {
  const { api, labels } = place;
  const parameters = new Map<string, Value>();
  for (const given of [...shared, ...listIn(value, 'parameters')]) {
    const parameter = resolved(given, api);
    if (parameter !== undefined)
      parameters.set(`${textIn(parameter, 'in')} ${textIn(parameter, 'name')}`, parameter);
  }
  const all = [...parameters.values()];
  const title = oneLine(textIn(value, 'summary')) || `${method} ${path}`;
  const text = joined([
    heading(title),
    write({ type: 'paragraph', children: [code(`${method} ${path}`)] }),
    value.deprecated === true
      ? write({ type: 'blockquote', children: [label(labels.deprecated)] })
      : '',
    described(textIn(value, 'description'), place),
    ...parametersOf(
      all.filter((parameter) => textIn(parameter, 'in') !== 'body'),
      place,
    ),
    ...bodyOf(bodyIn(value, all, api), place),
    ...responsesOf(valueIn(value, 'responses'), place),
  ]);
  const name = (textIn(value, 'operationId') || `${method}-${path}`)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 100);
  return { name: name || method.toLowerCase(), title, text };
}

function parametersOf(parameters: readonly Value[], place: Place): string[] {
  const { api, labels } = place;
  const rows = parameters.slice(0, MAX_FIELDS).map((parameter): Row => {
    const schema = resolved(parameter.schema, api) ?? parameter;
    return [
      [code(textIn(parameter, 'name'))],
      [words(textIn(parameter, 'in'))],
      [words(typeOf(parameter.schema ?? parameter, place))],
      [words(parameter.required === true ? labels.yes : labels.no)],
      about(
        [textIn(parameter, 'description'), textIn(schema, 'description')],
        place,
        limitsOf(parameter.schema ?? parameter, place, parameter.example),
      ),
    ];
  });
  if (rows.length === 0) return [];
  return [
    write(label(labels.parameters)),
    tableOf([labels.name, labels.in, labels.type, labels.required, labels.description], rows),
  ];
}

interface Body {
  description: string;
  type: string;
  schema: unknown;
  example: unknown;
}

const bodyIn = (operation: Value, parameters: readonly Value[], api: Value): Body | undefined => {
  const swagger = parameters.find((parameter) => textIn(parameter, 'in') === 'body');
  if (swagger !== undefined)
    return {
      description: textIn(swagger, 'description'),
      type: '',
      schema: swagger.schema,
      example: undefined,
    };
  const body = resolved(operation.requestBody, api);
  return body === undefined
    ? undefined
    : { description: textIn(body, 'description'), ...contentOf(body, api) };
};

/** The first of the media types, JSON before others. */
function contentOf(holder: Value, api: Value): Omit<Body, 'description'> {
  const content = valueIn(holder, 'content') ?? {};
  const types = Object.keys(content);
  const type = types.find((each) => /json/.test(each)) ?? types[0] ?? '';
  const media = valueIn(content, type);
  const examples = valueIn(media, 'examples');
  const first =
    examples === undefined ? undefined : resolved(Object.values(examples)[0], api)?.value;
  return {
    type: types.join(', '),
    schema: media?.schema ?? holder.schema,
    example: media?.example ?? first,
  };
}

function bodyOf(body: Body | undefined, place: Place): string[] {
  if (body === undefined) return [];
  const { labels } = place;
  const name = body.type === '' ? labels.body : `${labels.body} (${body.type})`;
  return [
    write(label(name)),
    described(body.description, place),
    ...schemaOf(body.schema, place),
    ...exampleOf(body.example, place),
  ];
}

function exampleOf(example: unknown, place: Place): string[] {
  if (example === undefined || place.charactersLeft <= 0) return [];
  const parts = { left: MAX_EXAMPLE_PARTS };
  const value =
    typeof example === 'string'
      ? example
      : JSON.stringify(beginningOf(example, parts, 0), undefined, 2);
  const shown = value.slice(0, MAX_EXAMPLE);
  place.charactersLeft -= shown.length;
  return [
    write(label(place.labels.example)),
    write({ type: 'code', lang: typeof example === 'string' ? null : 'json', value: shown }),
  ];
}

/** As much of a value as can be shown: by its aliases, one in YAML may be larger than any memory. */
function beginningOf(value: unknown, parts: { left: number }, depth: number): unknown {
  parts.left -= 1;
  if (typeof value === 'string') return value.slice(0, MAX_EXAMPLE);
  if (typeof value !== 'object' || value === null) return value;
  if (parts.left <= 0 || depth > MAX_EXAMPLE_DEPTH) return '…';
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const each of value) {
      list.push(beginningOf(each, parts, depth + 1));
      if (parts.left <= 0) break;
    }
    return list;
  }
  const entries: [string, unknown][] = [];
  for (const [name, each] of Object.entries(value)) {
    entries.push([name, beginningOf(each, parts, depth + 1)]);
    if (parts.left <= 0) break;
  }
  return Object.fromEntries(entries);
}

/** The fields of what is sent or answered, inner ones as `outer.inner`. */
function schemaOf(schema: unknown, place: Place): string[] {
  const { api, labels } = place;
  const most = Math.min(MAX_FIELDS, place.fieldsLeft);
  const rows: Row[] = [];
  const visit = (given: unknown, prefix: string, seen: readonly Value[]): void => {
    place.stepsLeft -= 1;
    const value = resolved(given, api);
    if (
      value === undefined ||
      seen.includes(value) ||
      seen.length > MAX_LEVELS ||
      place.stepsLeft <= 0
    )
      return;
    const chain = [...seen, value];
    for (const part of listIn(value, 'allOf')) visit(part, prefix, chain);
    for (const part of [...listIn(value, 'oneOf'), ...listIn(value, 'anyOf')].slice(0, 5))
      visit(part, prefix, chain);
    if (value.items !== undefined) visit(value.items, `${prefix}[]`, chain);
    const required = listIn(value, 'required');
    const properties = valueIn(value, 'properties') ?? {};
    for (const name of Object.keys(properties)) {
      if (rows.length >= most) return;
      const field = properties[name];
      const inner = resolved(field, api);
      const path = prefix === '' ? name : `${prefix}.${name}`.replace(/^\./, '');
      const texts = [
        textIn(isValue(field) ? field : undefined, 'description'),
        textIn(inner, 'description'),
      ];
      rows.push([
        [code(path)],
        [words(typeOf(field, place))],
        [words(required.includes(name) ? labels.yes : labels.no)],
        about(texts, place, limitsOf(field, place)),
      ]);
      visit(field, path, chain);
    }
  };
  if (most > 0) visit(schema, '', []);
  place.fieldsLeft -= rows.length;
  if (rows.length > 0)
    return [tableOf([labels.field, labels.type, labels.required, labels.description], rows)];
  const type = typeOf(schema, place);
  return type === '' ? [] : [write({ type: 'paragraph', children: [words(type)] })];
}

/** `integer (int64)`, `Pet[]`, `Cat | Dog`. */
function typeOf(given: unknown, place: Place, depth = 0): string {
  place.stepsLeft -= 1;
  const value = resolved(given, place.api);
  if (value === undefined || depth > MAX_LEVELS || place.stepsLeft <= 0)
    return nameOfReference(given);
  const named = nameOfReference(given);
  const choices = [...listIn(value, 'oneOf'), ...listIn(value, 'anyOf')].slice(0, 8);
  if (choices.length > 0 && named === '')
    return choices
      .map((each) => typeOf(each, place, depth + 1))
      .filter(Boolean)
      .join(' | ');
  const type = Array.isArray(value.type)
    ? value.type.filter((each) => typeof each === 'string').join(' | ')
    : textIn(value, 'type');
  if (type === 'array' || value.items !== undefined)
    return `${typeOf(value.items, place, depth + 1)}[]`;
  if (named !== '' && (type === 'object' || type === '')) return named;
  const all = listIn(value, 'allOf');
  if (type === '' && all.length > 0)
    return all
      .map((each) => nameOfReference(each) || typeOf(each, place, depth + 1))
      .filter(Boolean)
      .join(' & ');
  const more = textIn(value, 'format');
  return more === '' ? type : `${type} (${more})`;
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Keywords that are shown as they are written. */
const KEYWORDS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern'];
const FLAGS = ['readOnly', 'writeOnly'];
const MAX_PATTERN = 200;

/** What a value may be: choices, bounds, what it is when it is absent, and an example; of references with more said beside them, both. */
function limitsOf(given: unknown, { api, labels }: Place, example?: unknown): PhrasingContent[] {
  const schema = resolved(given, api);
  if (schema === undefined) return [];
  const own = isValue(given) ? given : schema;
  const bases = listIn(schema, 'allOf')
    .slice(0, MAX_LEVELS)
    .flatMap((part): Value[] => {
      const base = resolved(part, api);
      return base === undefined ? [] : [base];
    });
  const all = [own, schema, ...bases];
  const choices = [...new Set(all.flatMap(choicesOf))].slice(0, 50);
  const bound = (name: string): string =>
    all.map((each) => textIn(each, name)).find((text) => text !== '') ?? '';
  const [least, most] = [bound('minimum'), bound('maximum')];
  const range =
    least !== '' && most !== ''
      ? `${least}–${most}`
      : least === ''
        ? most === ''
          ? ''
          : `≤ ${most}`
        : `≥ ${least}`;
  const first = (name: string): unknown =>
    all.map((each) => each[name]).find((value) => value !== undefined);
  const parts: PhrasingContent[][] = [];
  if (own.deprecated === true) parts.push([words(labels.deprecated)]);
  for (const flag of FLAGS) if (own[flag] === true) parts.push([code(flag)]);
  if (choices.length > 0)
    parts.push([
      words(`${labels.allowed}: `),
      ...choices.flatMap((choice, at) => [words(at === 0 ? '' : ', '), code(choice)]),
    ]);
  if (range !== '') parts.push([words(range)]);
  for (const name of KEYWORDS)
    if (bound(name) !== '') parts.push([code(`${name}: ${bound(name).slice(0, MAX_PATTERN)}`)]);
  const initial = shownValue(first('default'));
  if (initial !== '') parts.push([words(`${labels.default}: `), code(initial)]);
  const sample = shownValue(example ?? first('example') ?? listIn(schema, 'examples')[0]);
  if (sample !== '' && !choices.includes(sample))
    parts.push([words(`${labels.example}: `), code(sample)]);
  return parts.flatMap((part, at) => [...part, words(at === parts.length - 1 ? '.' : '. ')]);
}

const choicesOf = (schema: Value): string[] =>
  [
    ...listIn(schema, 'enum'),
    ...listIn(valueIn(schema, 'items'), 'enum'),
    ...(schema.const === undefined ? [] : [schema.const]),
  ]
    .slice(0, 50)
    .filter(isPlain)
    .map(String);

/** A short value on one line: empty where there is none. */
function shownValue(value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value))
    return oneLine(String(value)).slice(0, MAX_PATTERN);
  if (Array.isArray(value) && value.length > 0 && value.length <= 10 && value.every(isPlain))
    return value.join(', ');
  return '';
}

/** Headers of a response, behind its description. */
function headersOf(response: Value | undefined, place: Place): PhrasingContent[] {
  return Object.entries(valueIn(response, 'headers') ?? {})
    .slice(0, 20)
    .flatMap(([name, given], at) => {
      const description = about([textIn(resolved(given, place.api), 'description')], place);
      return [
        words(at === 0 ? '' : ' '),
        code(name),
        words(description.length === 0 ? '' : ': '),
        ...description,
        words('.'),
      ];
    });
}

function responsesOf(responses: Value | undefined, place: Place): string[] {
  const { api, labels } = place;
  const all = Object.entries(responses ?? {})
    .slice(0, 50)
    .map(([status, given]) => ({ status, value: resolved(given, api) }));
  if (all.length === 0) return [];
  const rows = all.map(
    ({ status, value }): Row => [
      [code(status)],
      about([textIn(value, 'description')], place, headersOf(value, place)),
    ],
  );
  const parts = [write(label(labels.responses)), tableOf([labels.code, labels.description], rows)];
  const success = all.find(({ status, value }) => /^2/.test(status) && value !== undefined);
  if (success?.value !== undefined) {
    const { schema, example } = contentOf(success.value, api);
    const fields = schema === undefined ? [] : schemaOf(schema, place);
    const examples = exampleOf(example, place);
    if (fields.length + examples.length > 0)
      parts.push(
        write(label([success.status, typeOf(schema, place)].filter(Boolean).join(': '))),
        ...fields,
        ...examples,
      );
  }
  return parts;
}
