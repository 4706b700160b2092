import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ROOT } from '../functions.ts';
import { DESCRIBED, type DescribedRoute, type SchemaName, schemaOf } from './openapi.ts';

const ALL = Object.entries<DescribedRoute>(DESCRIBED);

/** How the console shows each request: as a call of the typed client and of a tool of MCP. `{path}` stands for an id with slashes. */
export function requestForms(): Record<string, RequestForm> {
  const forms = ALL.flatMap(
    ([name, { client: method, clientStream: streaming, tool, hasSlashes }]) => {
      const form = { method, streaming, tool };
      if (Object.values(form).every((value) => value === undefined)) return [];
      return [[hasSlashes === true ? name.replace('{id}', '{path}') : name, form] as const];
    },
  );
  // Without members that are undefined.
  return JSON.parse(JSON.stringify(Object.fromEntries(forms))) as Record<string, RequestForm>;
}

interface RequestForm {
  method?: string;
  streaming?: string;
  tool?: string;
}

/** The table of the routes of a group, as docs/http-api.md has it under the heading of that name. */
export function routeTable(tag: string): string {
  const rows = ALL.filter(([, route]) => route.tag === tag).map(([name, route]) => {
    const { capability, alsoNeeds, access = 'any', summary } = route;
    const rights = [capability, alsoNeeds].flatMap((right) => (right ? [code(right)] : []));
    const needs = rights.length === 0 ? access : rights.join(', ');
    return `| ${code(name)} | ${needs} | ${summary} | ${exchange(route)} |`;
  });
  return [
    '| route | capability | what it does | in → out |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

const code = (text: string): string => `\`${text}\``;

/** What a route takes, and gives: `{query, limit?}` → `{hits, edition}`. */
const exchange = ({ query, body, reply }: DescribedRoute): string => {
  const inQuery =
    query === undefined ? [] : shapesOf(query).map(({ names }) => `?${listed(names)}`);
  const inBody = body === undefined ? [] : shapesOf(body).map(membersText);
  const taken = [...inQuery, inBody.join(' or ')].filter((text) => text !== '').map(code);
  return [...taken, '→', replyText(reply)].join(' ');
};

const replyText = (reply: DescribedRoute['reply']): string => {
  if (reply === undefined) return '204';
  if (reply === 'text/plain') return code(reply);
  const [shape] = shapesOf(reply);
  return code(shape !== undefined && shape.names.length <= FEW ? membersText(shape) : reply);
};

/** Members of a query or a body that are shown, and of a reply that stand in place of its name. */
const SHOWN = 8;
const FEW = 2;

interface Shape {
  names: string[];
  required: readonly string[];
}

const membersText = ({ names, required }: Shape): string => {
  const members = names.map((name) => (required.includes(name) ? name : `${name}?`));
  return `{${listed(members)}}`;
};

const listed = (members: readonly string[]): string => {
  const rest = members.length > SHOWN || members.length === 0 ? ['…'] : [];
  return [...members.slice(0, SHOWN), ...rest].join(', ');
};

/** The members of an object, or of each object that a union has. */
const shapesOf = (name: SchemaName): Shape[] => {
  const schema = z.toJSONSchema(schemaOf(name), {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
  });
  const options = (schema.anyOf ?? schema.oneOf ?? [schema]) as z.core.JSONSchema.JSONSchema[];
  return options.flatMap(({ type, properties = {}, required = [] }) =>
    type === 'object' ? [{ names: Object.keys(properties), required }] : [],
  );
};

const FORMS = join(ROOT, 'src/web/console/session/request-forms.json');
const PAGE = join(ROOT, 'docs/http-api.md');

/** A page with the tables of all its groups. */
export function withTables(page: string): string {
  return page.replaceAll(
    /^### (\w+)\n([^|]*)\| route \|.*\n(?:\|.*\n)*/gm,
    (_, tag: string, text: string) => `### ${tag}\n${text}${routeTable(tag)}\n`,
  );
}

/** `node tools/build/route-tables.ts` writes both. */
if (import.meta.main) {
  writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8')));
  writeFileSync(FORMS, `${JSON.stringify(requestForms(), null, 2)}\n`);
}
