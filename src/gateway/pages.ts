import type { Context } from 'hono';
import * as z from 'zod';
import { HTTP_STATUS, readAs } from '../contract/core/error-info.ts';
import { KnowledgeFile } from '../contract/core/knowledge-file.ts';
import { QUERY_MAX_LENGTH } from '../contract/core/names.ts';
import { HostArticle } from '../contract/wire/host-article.ts';
import { KnowledgeSearchResponse } from '../contract/wire/knowledge.ts';
import { type OriginContext, originate } from '../platform/context/request-context.ts';
import type { SignedClient } from '../platform/context/signed-client.ts';
import {
  articlePage,
  languageOf,
  refusalPage,
  replyPage,
  resultsPage,
} from '../web/pages/page-html.ts';
import { type Credentials, demand, signIn, workspaceOf } from './access/authenticate.ts';
import { GatewayError, type RateLimits, withinPublicRate } from './access/gateway-error.ts';
import type { GatewayEnv } from './access/request-log.ts';
import { fixedReply, type PersonWays } from './ask/small-talk.ts';

interface PagesParts extends Credentials {
  client: SignedClient;
  limits: RateLimits;
  /** The workspace whose articles anybody may search and read here; undefined: only with a key, as the password of HTTP Basic. */
  publicWorkspace?: string | undefined;
  /** How a person is reached, by workspace; unknown when absent. */
  personWays?: PersonWays | undefined;
  now: () => number;
}

const SEARCHED = 20;
const TIMEOUT_MS = 10_000;

/**
 * `GET /search?q=` and `GET /kb/{id}`: the articles as plain pages that work without JavaScript, for people and for the search engine of an
 * intranet. Callers without credentials see the public workspace, if there is one. Others send an API key as the password of HTTP Basic
 * (RFC 7617) or as a bearer token. Texts are in the language that the browser prefers.
 */
export function createPages(parts: PagesParts) {
  /** Runs a page in the name of whoever asks; what goes wrong is a page too. */
  const page =
    (show: (c: Context<GatewayEnv>, asker: OriginContext) => Promise<Response>) =>
    async (c: Context<GatewayEnv>): Promise<Response> => {
      c.set('headersOfFile', PAGE_HEADERS);
      try {
        return await show(c, await askerOf(c, parts));
      } catch (error) {
        if (error instanceof GatewayError) return refusal(c, error);
        throw error;
      }
    };
  const read = async (
    asker: OriginContext,
    path: string,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const answer = await parts.client.call(asker, { to: 'library', method: 'GET', path, signal });
    if (answer.ok && answer.status === 200) return answer.json();
    throw new GatewayError(
      answer.ok && answer.status === 404 ? 'NOT_FOUND' : 'SERVICE_UNAVAILABLE',
    );
  };
  return {
    search: page(async (c, asker) => {
      const query = (c.req.query('q') ?? '').trim();
      if (query.length > QUERY_MAX_LENGTH) throw new GatewayError('INVALID_QUERY');
      if (query === '') return c.html(resultsPage(languageOf(c), query, []));
      // A reader who reports danger or looks for a person is not sent through articles.
      const fixed = fixedReply(query, parts.personWays?.(asker.workspace));
      if (fixed?.response.metadata?.small_talk === 'person')
        return c.html(replyPage(languageOf(c), query, fixed));
      const path = '/v1/knowledge/search';
      const body = { query, limit: SEARCHED };
      const signal = c.req.raw.signal;
      const answer = await parts.client.call(asker, {
        to: 'semantic',
        method: 'POST',
        path,
        body,
        signal,
      });
      if (answer.ok && answer.status === 400) return c.html(resultsPage(languageOf(c), query, []));
      const found =
        answer.ok && answer.status === 200
          ? readAs(KnowledgeSearchResponse, answer.json())
          : undefined;
      if (found?.ok !== true) throw new GatewayError('SERVICE_UNAVAILABLE');
      return c.html(resultsPage(languageOf(c), query, found.value.hits));
    }),
    article: page(async (c, asker) => {
      const id = KnowledgeFile.safeParse(c.req.param('id'));
      if (!id.success) throw new GatewayError('NOT_FOUND');
      const address = id.data.split('/').map(encodeURIComponent).join('/');
      const [article, text] = await Promise.all([
        read(asker, `/api/kb/articles/${address}`, c.req.raw.signal),
        read(asker, `/api/kb/text/${address}`, c.req.raw.signal),
      ]);
      const { text: markdown } = z.object({ text: z.string() }).parse(text);
      return c.html(articlePage(languageOf(c), HostArticle.parse(article), markdown));
    }),
  };
}

const askerOf = async (c: Context<GatewayEnv>, parts: PagesParts): Promise<OriginContext> => {
  const { publicWorkspace, limits, now } = parts;
  const authorization = bearerOf(c.req.header('Authorization'));
  if (authorization === undefined && publicWorkspace !== undefined) {
    const address = c.req.header('CF-Connecting-IP') ?? 'unknown';
    if (!(await withinPublicRate(address, limits))) throw new GatewayError('RATE_LIMITED');
    return begin(c, {
      subject: 'anon:pages',
      workspace: publicWorkspace,
      audiences: [],
      authentication: 'none',
      now,
    });
  }
  const key = await signIn(c, parts, authorization);
  demand(key, 'kb:read');
  const workspace = workspaceOf(key, c.req.query('workspace_id'));
  const { audiences = [], authentication = 'key' } = key;
  return begin(c, { subject: `user:${key.id}`, workspace, audiences, authentication, now });
};

const begin = (
  c: Context<GatewayEnv>,
  {
    now,
    ...who
  }: Pick<OriginContext, 'subject' | 'workspace' | 'audiences' | 'authentication'> & {
    now: () => number;
  },
): OriginContext =>
  originate({
    ...who,
    self: 'gateway',
    capabilities: ['kb:read'],
    budgets: { calls: 4 },
    timeoutMs: TIMEOUT_MS,
    now: now(),
    traceId: c.get('traceId'),
  });

/** The password of HTTP Basic as a bearer token, so that a browser can sign in without a script. */
const bearerOf = (authorization: string | undefined): string | undefined => {
  const encoded = /^Basic +([A-Za-z0-9+/=]{1,400}) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return authorization;
  try {
    const credentials = atob(encoded);
    return `Bearer ${credentials.slice(credentials.indexOf(':') + 1)}`;
  } catch {
    return authorization;
  }
};

/** The pages load their style sheet and nothing else. */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language, Authorization',
};

/** Refusals as pages, with the status of their code, so that a browser asks for the key. */
const refusal = (c: Context<GatewayEnv>, { code }: GatewayError): Response | Promise<Response> => {
  c.set('outcome', code);
  if (code === 'UNAUTHORIZED')
    c.header('WWW-Authenticate', 'Basic realm="Constellation", charset="UTF-8"');
  c.status(HTTP_STATUS[code]);
  return c.html(refusalPage(languageOf(c), code, (c.req.query('q') ?? '').slice(0, 200)));
};
