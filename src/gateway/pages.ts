import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { html, raw } from 'hono/html';
import * as z from 'zod';
import { type ErrorCode, HTTP_STATUS, readAs } from '../contract/error-info.ts';
import { HostArticle } from '../contract/host-article.ts';
import { type KnowledgeHit, KnowledgeSearchResponse } from '../contract/knowledge.ts';
import { QUERY_MAX_LENGTH } from '../contract/names.ts';
import { KnowledgeFile } from '../contract/navigator-response.ts';
import { markdownToHtml, markdownToText } from '../markup/render-markdown.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { type OriginContext, originate } from '../signing/request-context.ts';
import { wordsOf } from '../text/analyse-text.ts';
import { splitSentences } from '../text/split-sentences.ts';
import { stem } from '../text/stem.ts';
import { type Credentials, demand, signIn, workspaceOf } from './authenticate.ts';
import { GatewayError, type RateLimits, withinPublicRate } from './gateway-error.ts';
import texts from './pages.json' with { type: 'json' };
import type { GatewayEnv } from './request-log.ts';
import { type FixedReply, fixedReply, type PersonWays } from './small-talk.ts';

export interface PagesParts extends Credentials {
  client: SignedClient;
  limits: RateLimits;
  /** The workspace whose articles anybody may search and read here; undefined: only with a key, as the password of HTTP Basic. */
  publicWorkspace?: string | undefined;
  /** How a person is reached, by workspace; unknown when absent. */
  personWays?: PersonWays | undefined;
  now: () => number;
}

type Language = keyof typeof texts;
type Html = ReturnType<typeof html>;

const SEARCHED = 20;
const SHOWN = 10;
/** Below this relevance the best passage seems not to answer, and only the closest articles are listed. */
const WEAK = 0.1;
const SHOWN_WHEN_WEAK = 3;
const PASSAGE_LENGTH = 320;
const TIMEOUT_MS = 10_000;

/**
 * `GET /search?q=` and `GET /kb/{id}`: the articles as plain pages that work without JavaScript, for people and for the search engine of an
 * intranet. Callers without credentials see the public workspace, if there is one. Others send an API key as the password of HTTP Basic
 * (RFC 7617) or as a bearer token. Texts are in the language that the browser prefers.
 */
export const createPages = (parts: PagesParts) => {
  /** Runs a page in the name of whoever asks; what goes wrong is a page too. */
  const page =
    (show: (c: Context<GatewayEnv>, asker: OriginContext) => Promise<Response>) =>
    async (c: Context<GatewayEnv>): Promise<Response> => {
      c.set('headersOfFile', PAGE_HEADERS);
      try {
        return await show(c, await askerOf(c, parts));
      } catch (error) {
        if (error instanceof GatewayError) return refusalPage(c, error);
        throw error;
      }
    };
  const read = async (asker: OriginContext, path: string, signal: AbortSignal): Promise<unknown> => {
    const answer = await parts.client.call(asker, { to: 'library', method: 'GET', path, signal });
    if (answer.ok && answer.status === 200) return answer.json();
    throw new GatewayError(answer.ok && answer.status === 404 ? 'NOT_FOUND' : 'SERVICE_UNAVAILABLE');
  };
  return {
    search: page(async (c, asker) => {
      const query = (c.req.query('q') ?? '').trim();
      if (query.length > QUERY_MAX_LENGTH) throw new GatewayError('INVALID_QUERY');
      if (query === '') return resultsPage(c, query, []);
      // A reader who reports danger or looks for a person is not sent through articles.
      const fixed = fixedReply(query, parts.personWays?.(asker.workspace));
      if (fixed?.response.metadata?.small_talk === 'person') return replyPage(c, query, fixed);
      const path = '/v1/knowledge/search';
      const body = { query, limit: SEARCHED };
      const signal = c.req.raw.signal;
      const answer = await parts.client.call(asker, { to: 'semantic', method: 'POST', path, body, signal });
      if (answer.ok && answer.status === 400) return resultsPage(c, query, []);
      const found = answer.ok && answer.status === 200 ? readAs(KnowledgeSearchResponse, answer.json()) : undefined;
      if (found?.ok !== true) throw new GatewayError('SERVICE_UNAVAILABLE');
      return resultsPage(c, query, found.value.hits);
    }),
    article: page(async (c, asker) => {
      const id = KnowledgeFile.safeParse(c.req.param('id'));
      if (!id.success) throw new GatewayError('NOT_FOUND');
      const address = id.data.split('/').map(encodeURIComponent).join('/');
      const [article, text] = await Promise.all([
        read(asker, `/api/kb/articles/${address}`, c.req.raw.signal),
        read(asker, `/api/kb/text/${address}`, c.req.raw.signal),
      ]);
      return articlePage(c, HostArticle.parse(article), z.object({ text: z.string() }).parse(text).text);
    }),
  };
};

const askerOf = async (c: Context<GatewayEnv>, parts: PagesParts): Promise<OriginContext> => {
  const { publicWorkspace, limits, now } = parts;
  const authorization = bearerOf(c.req.header('Authorization'));
  if (authorization === undefined && publicWorkspace !== undefined) {
    const address = c.req.header('CF-Connecting-IP') ?? 'unknown';
    if (!(await withinPublicRate(address, limits))) throw new GatewayError('RATE_LIMITED');
    return begin(c, { subject: 'anon:pages', workspace: publicWorkspace, audiences: [], authentication: 'none', now });
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
  }: Pick<OriginContext, 'subject' | 'workspace' | 'audiences' | 'authentication'> & { now: () => number },
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

const replyPage = async (
  c: Context<GatewayEnv>,
  query: string,
  { response: { answer = '' }, language }: FixedReply,
): Promise<Response> => {
  const own = languageOf(c);
  const body = html`<h1>${query}</h1>
<div role="alert" lang="${language}">${raw(markdownToHtml(answer))}</div>`;
  return c.html(layout(own, { title: `${query} – ${texts[own].title}`, query, body }));
};

/** The pages load their style sheet and nothing else. */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language, Authorization',
};

/** The language that the browser prefers among ours; English when it names none of them. */
const languageOf = (c: Context<GatewayEnv>): Language => {
  const language = accepts(c, {
    header: 'Accept-Language',
    supports: Object.keys(texts),
    default: 'en',
    match: (wanted, { supports, default: other }) =>
      wanted
        .filter(({ q }) => q > 0)
        .toSorted((one, next) => next.q - one.q)
        .map(({ type }) => type.toLowerCase().split('-')[0] ?? '')
        .find((primary) => supports.includes(primary)) ?? other,
  });
  return isLanguage(language) ? language : 'en';
};

const isLanguage = (tag: string): tag is Language => Object.hasOwn(texts, tag);

const layout = (language: Language, { title, query, body }: { title: string; query: string; body: Html }): Html => {
  const text = texts[language];
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/pages.css">
</head>
<body>
<form action="/search" role="search">
<label for="q">${text.label}</label>
<input id="q" name="q" type="search" value="${query}" maxlength="${QUERY_MAX_LENGTH}" autocomplete="off">
<button>${text.button}</button>
</form>
<main>${body}</main>
</body>
</html>`;
};

const resultsPage = async (c: Context<GatewayEnv>, query: string, hits: readonly KnowledgeHit[]): Promise<Response> => {
  const language = languageOf(c);
  const text = texts[language];
  const ranked = hits.toSorted((one, other) => other.relevance - one.relevance);
  const best = ranked.filter(({ article_id: id }, at) => ranked.findIndex((hit) => hit.article_id === id) === at);
  const isWeak = (best[0]?.relevance ?? 0) < WEAK;
  const said = hits.length === 0 ? (query === '' ? '' : text.none) : isWeak ? text.weak : text.found;
  const shown = best.slice(0, isWeak ? SHOWN_WHEN_WEAK : SHOWN);
  const words = new Set(wordsOf(query).map(stem));
  const body = html`<h1>${query === '' ? text.title : query}</h1>
<p class="quiet">${said}</p>
<ol class="results">${shown.map((hit) => resultOf(hit, { words, language }))}</ol>`;
  return c.html(layout(language, { title: query === '' ? text.title : `${query} – ${text.title}`, query, body }));
};

const resultOf = (hit: KnowledgeHit, { words, language }: { words: ReadonlySet<string>; language: Language }): Html =>
  html`<li>
<h2><a href="${hit.url}">${hit.title}</a></h2>
<p class="quiet">${hit.heading === '' ? '' : `${hit.heading} · `}${texts[language].updated} <time datetime="${hit.last_updated}">${dayOf(hit.last_updated, language)}</time></p>
<p class="passage">${marked(passageOf(markdownToText(hit.text).replaceAll(/\n{2,}/g, '\n'), words), words)}</p>
</li>`;

const dayOf = (moment: string, language: Language): string =>
  new Date(moment).toLocaleDateString(language, { dateStyle: 'medium', timeZone: 'UTC' });

const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu;
const isWanted = (word: string, words: ReadonlySet<string>): boolean =>
  wordsOf(word).some((part) => words.has(stem(part)));

/** The text from the sentence on that has most of the wanted words. */
const passageOf = (text: string, words: ReadonlySet<string>): string => {
  const wantedIn = ({ start, end }: { start: number; end: number }): number =>
    new Set(
      wordsOf(text.slice(start, end))
        .map(stem)
        .filter((word) => words.has(word)),
    ).size;
  const spans = splitSentences(text);
  const [best] = spans.toSorted((one, other) => wantedIn(other) - wantedIn(one));
  const from = best?.start ?? 0;
  const passage = text.slice(from, from + PASSAGE_LENGTH);
  const isCut = from + PASSAGE_LENGTH < text.length;
  return `${from > 0 ? '… ' : ''}${isCut ? `${passage.replace(/\s+\S*$/, '')} …` : passage}`;
};

const marked = (passage: string, words: ReadonlySet<string>): Html[] => {
  const parts: Html[] = [];
  let at = 0;
  for (const { 0: word, index } of passage.matchAll(WORD)) {
    if (!isWanted(word, words)) continue;
    parts.push(html`${passage.slice(at, index)}<mark>${word}</mark>`);
    at = index + word.length;
  }
  return [...parts, html`${passage.slice(at)}`];
};

const articlePage = async (c: Context<GatewayEnv>, article: HostArticle, markdown: string): Promise<Response> => {
  const language = languageOf(c);
  const { last_updated: updated } = article.metadata;
  const body = html`<article>
<h1>${article.title}</h1>
<p class="quiet">${texts[language].updated} <time datetime="${updated}">${dayOf(updated, language)}</time></p>
${raw(markdownToHtml(markdown))}
</article>`;
  return c.html(layout(language, { title: article.title, query: '', body }));
};

/** Refusals as pages, with the status of their code, so that a browser asks for the key. */
const refusalPage = async (c: Context<GatewayEnv>, { code }: GatewayError): Promise<Response> => {
  const language = languageOf(c);
  const { refusals }: { refusals: Partial<Record<ErrorCode, { title: string; hint: string }>> } = texts[language];
  const { title, hint } = refusals[code] ?? texts[language].refusals.SERVICE_UNAVAILABLE;
  c.set('outcome', code);
  if (code === 'UNAUTHORIZED') c.header('WWW-Authenticate', 'Basic realm="Constellation", charset="UTF-8"');
  c.status(HTTP_STATUS[code]);
  const body = html`<h1>${title}</h1><p>${hint}</p>`;
  return c.html(layout(language, { title, query: (c.req.query('q') ?? '').slice(0, 200), body }));
};
