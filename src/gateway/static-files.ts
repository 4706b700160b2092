import type { Context } from 'hono';
import type { Target } from '../platform/context/signed-client.ts';
import type { GatewayEnv } from './access/request-log.ts';

type Headers_ = Readonly<Record<string, string>>;

/** Asked for again with its entity tag, so that a new deployment is seen at once. */
const REVALIDATED: Headers_ = { 'Cache-Control': 'no-cache' };

/** Its name holds a hash of its content. */
const IMMUTABLE: Headers_ = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** The viewer styles its parts inline and draws its icons from `data:`. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The console makes no HTML of texts, so no script may do so at all. */
const consolePolicy = (ancestors = "'none'"): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors ${ancestors}; trusted-types 'none'; require-trusted-types-for 'script'`;

const CONSOLE_PAGE: Headers_ = {
  ...REVALIDATED,
  'Content-Security-Policy': consolePolicy(),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};

type Assets = Target | undefined;

/** A file at its own path: the description of the API, the styles of the search page. */
export function staticFile(c: Context<GatewayEnv>, assets: Assets) {
  return file(c, assets, c.req.path, REVALIDATED);
}

/** The page that shows it, and its parts. */
export function docsFile(c: Context<GatewayEnv>, assets: Assets) {
  const path = c.req.path === '/docs' ? '/docs/index.html' : c.req.path;
  return file(c, assets, path, { ...REVALIDATED, 'Content-Security-Policy': DOCS_POLICY });
}

/** A script or the styles of the console. */
export function consoleFile(c: Context<GatewayEnv>, assets: Assets) {
  return c.req.path.endsWith('.html') ? c.notFound() : file(c, assets, c.req.path, IMMUTABLE);
}

/** The page of the console, at the address of any of its views. */
export function consolePage(c: Context<GatewayEnv>, assets: Assets) {
  return file(c, assets, '/console/index.html', CONSOLE_PAGE);
}

/**
 * The page beside a ticket, which only these helpdesks may show in a frame.
 *
 * @param origins As `https://acme.zendesk.com`. What is no origin is left out; with none left no page may show it.
 */
export function panelPage(c: Context<GatewayEnv>, assets: Assets, origins: readonly string[]) {
  const ancestors = origins.filter(
    (origin) => URL.canParse(origin) && new URL(origin).origin === origin,
  );
  const policy = consolePolicy(ancestors.length === 0 ? undefined : ancestors.join(' '));
  return file(c, assets, '/console/panel.html', {
    ...CONSOLE_PAGE,
    'Content-Security-Policy': policy,
  });
}

/** A script of the answer box, which pages of any origin may load. */
export function widgetFile(c: Context<GatewayEnv>, assets: Assets) {
  return file(c, assets, c.req.path, {
    ...REVALIDATED,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  });
}

/** Whether a person opens an address in a browser: what programs send gets errors as JSON. */
export function opensPage({ req }: Context<GatewayEnv>): boolean {
  return (
    req.method === 'GET' &&
    /\btext\/html\b/.test(req.header('Accept') ?? '') &&
    !NO_VIEWS.test(req.path)
  );
}

/** What looks like a file, or belongs to programs, is no view. */
const NO_VIEWS =
  /\.[a-z0-9]{1,8}$|^\/(?:v1|api|docs|kb|search|console|panel|webhooks|mcp|a2a|\.well-known)(?:\/|$)|^\/librarians\//i;

/** A static file; `c.notFound()` answers for one that was not built. */
const file = async (
  c: Context<GatewayEnv>,
  assets: Assets,
  path: string,
  headersOfFile: Headers_,
): Promise<Response> => {
  const headers = new Headers();
  const etag = c.req.header('If-None-Match');
  if (etag !== undefined) headers.set('If-None-Match', etag);
  const found = await assets?.fetch(new Request(new URL(path, c.req.url), { headers }));
  if (found === undefined || found.status >= 400) return c.notFound();
  c.set('headersOfFile', headersOfFile);
  return new Response(found.body, found);
};
