import { gzipSync } from 'node:zlib';
import type { HttpRoute } from '../../src/contract/routes/http-route.ts';
import { ROUTES, type RouteName } from '../../src/contract/routes/http-routes.ts';
import { exampleRequest, replyProblem } from '../../tools/build/openapi.ts';

interface Described {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, unknown> }> }>
  >;
}

interface Variant {
  what: string;
  path?: (path: string) => string;
  headers?: Record<string, string>;
  body?: unknown;
  /** For routes with a body alone. */
  needsBody?: true;
  key?: string;
}

const withQuery = (query: string) => (path: string) =>
  `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** Requests as callers get them wrong, or ask for another form of the reply. */
const variants = (keys: { noRights: string }): Variant[] => [
  { what: 'the example' },
  { what: 'events', headers: { Accept: 'text/event-stream' } },
  { what: 'JSON or events', headers: { Accept: 'application/json, text/event-stream' } },
  { what: 'Markdown', path: withQuery('format=markdown') },
  { what: 'text', path: withQuery('format=text') },
  { what: 'display', path: withQuery('format=display') },
  { what: 'lines', path: withQuery('format=jsonl') },
  { what: 'no key', key: '' },
  { what: 'a wrong key', key: 'ck_wrong_0123456789abcdef' },
  { what: 'a key without rights', key: keys.noRights },
  { what: 'another workspace', path: withQuery('workspace_id=elsewhere') },
  { what: 'an odd workspace', path: withQuery('workspace_id=%20%00') },
  { what: 'an unknown parameter', path: withQuery('surprise=1') },
  { what: 'a wrong limit', path: withQuery('limit=zero') },
  { what: 'a wrong cursor', path: withQuery('cursor=%C3%A9') },
  { what: 'a long query', path: withQuery(`text=${'a'.repeat(3000)}`) },
  {
    what: 'a long address',
    path: (path) => path.replace(/(\/[^/?]+)(\?|$)/, `/${'a'.repeat(3000)}$2`),
  },
  { what: 'an unknown id', path: (path) => path.replace(/(\/[^/?]+)(\?|$)/, '/none-of-that-id$2') },
  {
    what: 'an odd id',
    path: (path) => path.replace(/(\/[^/?]+)(\?|$)/, '/%00%F0%9F%92%A5..%2f$2'),
  },
  { what: 'no body', body: undefined, needsBody: true },
  { what: 'no JSON', body: '{"query":', needsBody: true },
  { what: 'another kind of JSON', body: '[[1]]', needsBody: true },
  { what: 'null', body: 'null', needsBody: true },
  { what: 'an empty object', body: '{}', needsBody: true },
  {
    what: 'an unknown member',
    body: { surprise: 1, query: 7, model: 'none', messages: [] },
    needsBody: true,
  },
  { what: 'a text', headers: { 'Content-Type': 'text/plain' }, needsBody: true },
  { what: 'gzip', headers: { 'Content-Encoding': 'gzip' }, body: gzipSync('{}'), needsBody: true },
  { what: 'a long body', body: JSON.stringify({ query: 'x'.repeat(300_000) }), needsBody: true },
];

interface DescribedOptions {
  url: URL;
  described: Described;
  key: string;
  noRights: string;
  /** Puts ids that exist here in place of those of the examples. */
  place: (path: string) => string;
  skip?: (name: RouteName) => boolean;
}

/**
 * What each variant of each route replies that the description does not have: its status, its media type, or a body that does not fit. Routes
 * that erase come last.
 */
export async function undescribedReplies(options: DescribedOptions) {
  const { url, described, key, noRights, place, skip = () => false } = options;
  const problems: string[] = [];
  let requests = 0;
  const names = (Object.keys(ROUTES) as RouteName[])
    .filter((name) => !skip(name))
    .toSorted(
      (one, other) => Number(one.startsWith('DELETE')) - Number(other.startsWith('DELETE')),
    );
  for (const name of names) {
    const { access }: HttpRoute = ROUTES[name];
    const [, template = ''] = name.split(' ');
    const tried = variants({ noRights }).map(async (variant): Promise<void> => {
      const { method, path, body } = exampleRequest(name);
      if (variant.needsBody && body === undefined) return;
      const address = (variant.path ?? ((same: string) => same))(place(path));
      if (!isOf(template, address)) return;
      const sent = 'body' in variant ? variant.body : body;
      const as = variant.key ?? (access === 'signed' ? '' : key);
      const response = await fetch(new URL(address, url), {
        method,
        redirect: 'manual',
        headers: {
          'Content-Type': 'application/json',
          ...(as === '' ? {} : { Authorization: `Bearer ${as}` }),
          ...variant.headers,
        },
        ...(sent === undefined
          ? {}
          : {
              body:
                typeof sent === 'string' || sent instanceof Uint8Array
                  ? (sent as BodyInit)
                  : JSON.stringify(sent),
            }),
      });
      requests += 1;
      const text = await response.text();
      const problem = problemOf(name, described, { response, text, template });
      if (problem !== undefined) problems.push(`${name}, ${variant.what}: ${problem}`);
    });
    await Promise.all(tried);
  }
  return { problems, requests };
}

/** Whether a changed address is still one of this route. */
const isOf = (template: string, address: string): boolean => {
  const [path = ''] = address.split('?');
  const pattern = template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^?]+');
  if (!new RegExp(`^${pattern}$`).test(path)) return false;
  // An id that another route has as its own word.
  return template.includes('{') || path === template;
};

const problemOf = (
  name: RouteName,
  { paths }: Described,
  { response, text, template }: { response: Response; text: string; template: string },
): string | undefined => {
  const method = name.split(' ')[0]?.toLowerCase() ?? '';
  const { status } = response;
  const known = paths[template]?.[method]?.responses[String(status)];
  const start = text.slice(0, 160);
  if (known === undefined) return `status ${status} is not described: ${start}`;
  const type = response.headers.get('Content-Type')?.split(';')[0]?.trim() ?? '';
  // No lines are a body, too.
  if (text === '') {
    return known.content === undefined || type === 'application/x-ndjson'
      ? undefined
      : `status ${status} has no body`;
  }
  if (known.content?.[type] === undefined)
    return `${type} with status ${status} is not described: ${start}`;
  const isJson = type === 'application/json';
  const wrong = isJson ? replyProblem(name, { status, body: JSON.parse(text) }) : undefined;
  return wrong === undefined
    ? undefined
    : `the body with status ${status} does not fit: ${wrong} ${start}`;
};
