import forms from './request-forms.json' with { type: 'json' };
import type { SentRequest } from './sent-requests.ts';

interface Form {
  /** The call of the typed client. */
  method?: string;
  streaming?: string;
  /** The tool of MCP. */
  tool?: string;
}

type Shown = Pick<SentRequest, 'route' | 'path' | 'body' | 'accept'>;

/** By the whole route, else by one with an id: `{id}` stands for a part of the path, `{path}` for all that follow. */
const formOf = ({ route }: Shown): (Form & { id?: string | undefined }) | undefined => {
  const exact = (forms as Record<string, Form>)[route];
  if (exact !== undefined) return exact;
  for (const [pattern, form] of PATTERNS) {
    const [, id] = pattern.exec(route) ?? [];
    if (id !== undefined) return { ...form, id: decodeURIComponent(id) };
  }
  return undefined;
};

const PATTERNS = Object.entries<Form>(forms).flatMap(([route, form]): [RegExp, Form][] =>
  /\{(?:id|path)\}/.test(route)
    ? [[new RegExp(`^${route.replace('{id}', '([^/]+)').replace('{path}', '(.+)')}$`), form]]
    : [],
);

const streams = ({ accept }: Shown): boolean => accept.startsWith('text/event-stream');

/** The request for a terminal. The key stays out of it: it is taken from the environment. */
export function asCurl(request: Shown, origin: string): string {
  const [method] = request.route.split(' ');
  const lines = [
    `curl -s${streams(request) ? 'N' : ''}${method === 'GET' || method === 'POST' ? '' : ` -X ${method}`} ${quoted(origin + request.path)}`,
    `  -H "Authorization: Bearer $CONSTELLATION_API_KEY"`,
    ...(streams(request) ? [`  -H 'Accept: text/event-stream'`] : []),
    ...(request.body === undefined
      ? method === 'POST'
        ? ['  -X POST']
        : []
      : [`  -H 'Content-Type: application/json'`, `  -d ${quoted(JSON.stringify(request.body))}`]),
  ];
  return lines.join(' \\\n');
}

/** A quote within single quotes of a shell ends them, stands escaped, and begins them again. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The request in TypeScript: with the typed client, or `fetch` for routes that it has no method for. */
export function asTypeScript(request: Shown, origin: string): string {
  const { method, streaming, id = '' } = formOf(request) ?? {};
  const call = streams(request) ? (streaming ?? method) : method;
  if (call === undefined) return asFetch(request, origin);
  const body = request.body as { query?: unknown } | undefined; // as it was sent
  const parameters = Object.fromEntries(new URL(request.path, origin).searchParams);
  const filled = call
    .replace('{id}', () => literal(id))
    .replace('{body}', () => literal(body ?? {}))
    .replace('{query}', () => literal(body?.query ?? ''))
    .replace('{parameters}', () =>
      Object.keys(parameters).length === 0 ? '' : literal(parameters),
    );
  const head = `import { Constellation } from '@constellation/client';\n\nconst client = new Constellation({ url: ${literal(origin)}, key: process.env.CONSTELLATION_API_KEY });\n`;
  return streams(request)
    ? `${head}for await (const event of client.${filled}) console.log(event);`
    : `${head}console.log(await client.${filled});`;
}

const asFetch = ({ route, path, body }: Shown, origin: string): string => {
  const [method = 'GET'] = route.split(' ');
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${literal(method)},`]),
    '  headers: {',
    "    authorization: 'Bearer ' + process.env.CONSTELLATION_API_KEY,",
    ...(body === undefined ? [] : [`    'content-type': 'application/json',`]),
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body)}),`]),
  ];
  return `const response = await fetch(${literal(origin + path)}, {\n${options.join('\n')}\n});\nconsole.log(await response.json());`;
};

const literal = (value: unknown): string => JSON.stringify(value, null, 2);

/** The request as a call of a tool at `POST /mcp`; undefined for routes that no tool translates to. */
export function asMcp(request: Shown, origin: string): string | undefined {
  const tool = formOf(request)?.tool;
  if (tool === undefined) return undefined;
  const given = request.body ?? Object.fromEntries(new URL(request.path, origin).searchParams);
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: given },
  };
  return JSON.stringify(call, null, 2);
}
