import * as z from 'zod';
import { type ErrorCode, readAs } from '../../contract/core/error-info.ts';
import { readRequest } from '../../contract/core/read-request.ts';
import type { Omission } from '../../contract/wire/host-article.ts';
import { NO_ONE } from '../../platform/context/capabilities.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import {
  fetchJson,
  HttpFailure,
  RATE_LIMIT_HEADERS,
  retryAfterMs,
} from '../../platform/http/fetch-json.ts';
import { parseJson } from '../../platform/http/read-fields.ts';

/**
 * The articles of one helpdesk tool, page by page.
 *
 * @example
 * const faq: ArticleSource = {
 *   readPage: async ({ updatedSinceMs = 0, signal }) => {
 *     const reply = await fetch(`https://faq.example.com/since/${updatedSinceMs}`, { signal });
 *     const articles: SourceArticle[] = await reply.json();
 *     return { articles, next: undefined };
 *   },
 * };
 */
export interface ArticleSource {
  /** Throws `SourceFailed` when a page cannot be read completely: a listing without failures is complete after its last page. */
  readPage(request: PageRequest): Promise<ArticlePage>;
}

interface PageRequest {
  /** Only articles updated at this time or later, in milliseconds since 1970; all when undefined. */
  updatedSinceMs: number | undefined;
  /** Articles wanted on the page, 1 to 500; a page may have fewer, or a few more. */
  limit: number;
  /** `next` of the page before, as the caller sent it back: plain JSON that has to be validated. */
  position: unknown;
  signal: AbortSignal;
}

interface ArticlePage {
  articles: readonly (SourceArticle | UnreadableArticle)[];
  /** Position of the next page: plain JSON, a few hundred characters. Undefined on the last page only. */
  next: unknown;
}

/** A published article of a helpdesk's knowledge base, for everybody or for an audience that the settings name. */
export interface SourceArticle {
  /** Id of the tool, followed by a locale for a translation: letters, digits, `_` and `-`. Of a web site the path. */
  id: string;
  title: string;
  /** Public URL. */
  url: string | undefined;
  body: string;
  /** `commonmark` is what we have written ourselves: without HTML and marks of a dialect. */
  format: 'html' | 'markdown' | 'commonmark';
  /** Milliseconds since 1970; undefined when the tool gives no time. */
  updatedAtMs: number | undefined;
  /** Labels or tags, as in the tool. */
  labels: readonly string[];
  /** `en-us`; undefined when the tool gives none. */
  locale: string | undefined;
  /** Equal for all translations of an article, where the tool tells them. */
  translationKey?: string | undefined;
  /** What its reading left out. */
  leftOut?: readonly Omission[] | undefined;
  /** Who may read it, where the tool restricts that; no one when empty. Absent: everybody. */
  audience?: readonly string[] | undefined;
}

/** An article that is listed but cannot be read: it must not look like a deleted one. */
export interface UnreadableArticle {
  /** As in `SourceArticle`; undefined when the id cannot be read either. */
  unreadableId: string | undefined;
  /** Why, for the report of the sync: `it does not end in 8 s`. */
  problem?: string | undefined;
}

/**
 * The articles of a tool cannot be read. Whoever syncs retries after codes with a transient status (429, 5xx) and not after others.
 * The message is for the log, and quotes nothing of a reply.
 */
export class SourceFailed extends CodedError {
  override readonly name = 'SourceFailed';

  constructor(
    code: ErrorCode,
    problem: string,
    { retryAfterMs, cause }: { retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    const details =
      retryAfterMs === undefined ? {} : { retry_after_seconds: Math.ceil(retryAfterMs / 1000) };
    const reported = { message: `Cannot read the articles of the helpdesk: ${problem}`, details };
    super(code, `Cannot read the articles: ${problem}`, { reported, cause });
  }
}

/** The API of a tool's knowledge base. */
export interface ArticleApi {
  /** Base URL without a trailing slash. */
  apiUrl: string;
  /** Authentication. */
  headers: Readonly<Record<string, string>>;
  fetch: typeof fetch;
  /** Milliseconds since 1970. */
  now: () => number;
}

interface ApiCall<Schema extends z.ZodType> {
  method?: 'GET' | 'POST';
  /** Begins with a slash; values in it are encoded. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** What is needed of the reply. */
  reply: Schema;
  signal: AbortSignal;
}

/** About fifty articles of the greatest accepted length. */
const MAX_REPLY_BYTES = 24 * 1024 * 1024;

/** Longest call, the body of its reply included. */
const CALL_MS = 12_000;

/**
 * Calls a tool's API: no redirects, twelve seconds, at most 24 MiB of reply.
 *
 * @throws {SourceFailed} When the call fails or the reply is not as documented.
 * @example
 * import * as z from 'zod';
 *
 * async function titleOf(api: ArticleApi, id: string, signal: AbortSignal): Promise<string> {
 *   const reply = z.object({ title: z.string() });
 *   const path = `/articles/${encodeURIComponent(id)}`;
 *   return (await callApi(api, { method: 'GET', path, reply, signal })).title;
 * }
 */
export async function callApi<Schema extends z.ZodType>(
  { apiUrl, headers, fetch, now }: ArticleApi,
  { method, path, body, reply, signal }: ApiCall<Schema>,
): Promise<z.output<Schema>> {
  const { json } = await fetchJson(`${apiUrl}${path}`, {
    fetch,
    method,
    signal,
    timeoutMs: CALL_MS,
    maxBytes: MAX_REPLY_BYTES,
    parse: parseJson,
    headers: {
      Accept: 'application/json',
      'User-Agent': 'constellation-sources',
      ...headers,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch((error: unknown) => {
    throw error instanceof HttpFailure ? sourceFailedBy(error, now()) : error;
  });
  const read = readRequest(reply, json);
  if (!read.ok)
    throw new SourceFailed('DATA_SOURCE_ERROR', 'the reply is not what its documentation says');
  return read.value;
}

/** The same; undefined when the resource does not exist any more. */
export async function callApiIfFound<Schema extends z.ZodType>(
  api: ArticleApi,
  call: ApiCall<Schema>,
): Promise<z.output<Schema> | undefined> {
  try {
    return await callApi(api, call);
  } catch (error) {
    if (error instanceof SourceFailed && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Longest time for one article of a listing, the bodies of all its replies included. */
const ARTICLE_MS = 8000;

/**
 * Reads what belongs to one article. When that does not end in time, as a reply may send a byte a second without end, only this article cannot be
 * read, and the others are.
 *
 * @param late What stands for it then.
 */
export async function readArticleInTime<T>(
  read: (signal: AbortSignal) => Promise<T>,
  { signal, late }: { signal: AbortSignal; late: T },
): Promise<T> {
  const timeout = AbortSignal.timeout(ARTICLE_MS);
  try {
    return await read(AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    return late;
  }
}

const MAX_WAIT_MS = 3_600_000;

/** What a failed call means for whoever syncs. */
export function sourceFailedBy(
  { kind, status, headers, message, cause }: HttpFailure,
  now: number,
): SourceFailed {
  if (kind !== 'status') {
    const isTransient = kind !== 'too-large' && kind !== 'not-json';
    return new SourceFailed(isTransient ? 'SERVICE_UNAVAILABLE' : 'DATA_SOURCE_ERROR', message, {
      cause,
    });
  }
  const waitMs = retryAfterMs(headers, now, status === 429 ? RATE_LIMIT_HEADERS : undefined);
  return new SourceFailed(codeOf(status), `${message}${ADVICE[status] ?? ''}`, {
    retryAfterMs: waitMs === undefined ? undefined : Math.min(waitMs, MAX_WAIT_MS),
  });
}

/** Transient failures keep a code with a transient status, and others one without. */
const codeOf = (status: number): ErrorCode => {
  if (status === 429) return 'RATE_LIMITED';
  if (status === 408 || status === 425 || status >= 500) return 'SERVICE_UNAVAILABLE';
  if (status === 401 || status === 403) return 'UNAUTHORIZED';
  return status === 404 || status === 410 ? 'NOT_FOUND' : 'INVALID_QUERY';
};

const ADVICE: Readonly<Record<number, string>> = {
  401: ': the token is refused',
  403: ': the token may not read the help center',
  404: ': check the apiUrl and what else the source names',
};

/** Id of an article: it becomes part of a path, and of our ids. */
export const ArticleId = z
  .union([z.number().int(), z.string()])
  .transform(String)
  .pipe(z.string().regex(/^[\w-]{1,100}$/));

/** One character more than the library accepts, so that it reports which article is too long. */
const MAX_BODY = 500_001;
export const ArticleBody = z
  .string()
  .nullish()
  .transform((body) => (body ?? '').slice(0, MAX_BODY));

export const ArticleTitle = z
  .string()
  .nullish()
  .transform((title) => (title ?? '').slice(0, 1000));

/** `en`, `en-us`, `zh-Hant-TW`. */
export const Locale = z.string().regex(/^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/);

/** Without those that are not text. */
export const Labels = z
  .array(z.unknown())
  .nullish()
  .catch(undefined)
  .transform((labels) => (labels ?? []).filter((label) => typeof label === 'string').slice(0, 100));

/** A URL that may be missing; the library validates it. */
export const Address = z
  .string()
  .max(2048)
  .nullish()
  .catch(undefined)
  .transform((url) => url ?? undefined);

/** A list whose members are read one by one. */
export const List = z.array(z.unknown()).max(10_000);

/**
 * Reads a list member by member. A member that cannot be read keeps its id: an article that is missing in a listing counts as deleted.
 *
 * @param idsOf All ids that the member stands for, its translations included; its id alone by default.
 */
export function readEach<Schema extends z.ZodType>(
  members: readonly unknown[],
  schema: Schema,
  {
    take,
    idsOf = (id) => [id],
  }: {
    take: (member: z.output<Schema>) => readonly (SourceArticle | UnreadableArticle)[];
    idsOf?: (id: string, member: unknown) => readonly string[];
  },
): (SourceArticle | UnreadableArticle)[] {
  return members.flatMap((member): (SourceArticle | UnreadableArticle)[] => {
    const read = readRequest(schema, member);
    if (read.ok) return [...take(read.value)];
    const id = idOf(member);
    return id === undefined
      ? [{ unreadableId: undefined }]
      : idsOf(id, member).map((unreadableId) => ({ unreadableId }));
  });
}

const idOf = (member: unknown): string | undefined => {
  const read = readAs(z.object({ id: ArticleId }), member);
  return read.ok ? read.value.id : undefined;
};

export function isSince(updatedAtMs: number | undefined, sinceMs: number | undefined): boolean {
  return sinceMs === undefined || updatedAtMs === undefined || updatedAtMs >= sinceMs;
}

/** Validates the position of a listing. Throws `SourceFailed` when it is not one that we issued. */
export function positionIn<Schema extends z.ZodType>(
  position: unknown,
  schema: Schema,
): z.output<Schema> | undefined {
  if (position === undefined) return undefined;
  const read = readAs(schema, position);
  if (!read.ok) throw new SourceFailed('INVALID_QUERY', 'the cursor is not one of ours');
  return read.value;
}

/** Position in a list with numbered pages. */
export const NumberedPage = z.object({
  /** From 1. */
  page: z.int().min(1).max(10_000),
  /** Members on the pages before. */
  seen: z.int().min(0).max(1_000_000),
  /** Length of the list, as of the page before. */
  total: z.int().min(0).max(1_000_000).optional(),
  /** Id of the last member of the page before. */
  last: ArticleId.optional(),
});
export type NumberedPage = z.infer<typeof NumberedPage>;

export const FIRST_PAGE: NumberedPage = { page: 1, seen: 0 };

/**
 * Position of the page after this one; undefined when it was the last.
 *
 * Pages shift while they are read: when an article leaves the list, the next one moves to a page that was read already. An edit does
 * the same where the latest change comes first: the others move back by one, and a page begins with what the one before ended with. So
 * a list fails when it gets shorter, moves by more than it grew, or ends before all its members came.
 *
 * @param members Members of the page, as received.
 * @param isWhole Whether missing articles count as deleted. A listing of changes may move: the next one has what was skipped.
 * @throws {SourceFailed} When articles may have been missed.
 */
export function nextPage(
  { page, seen, total: before, last: lastBefore }: NumberedPage,
  {
    members,
    total,
    pageSize,
    isWhole,
  }: { members: readonly unknown[]; total: number | undefined; pageSize: number; isWhole: boolean },
): NumberedPage | undefined {
  if (before !== undefined && total !== undefined && total < before)
    throw new SourceFailed('DATA_SOURCE_ERROR', 'the list got shorter while it was read');
  const ids = members.map(idOf);
  const movedBy = lastBefore === undefined ? 0 : ids.lastIndexOf(lastBefore) + 1;
  if (movedBy > (total ?? 0) - (before ?? 0))
    throw new SourceFailed('DATA_SOURCE_ERROR', 'the list changed its order while it was read');
  const received = members.length;
  const soFar = seen + received;
  const isLast = received === 0 || (total === undefined ? received < pageSize : soFar >= total);
  const last = ids.at(-1);
  if (!isLast)
    return {
      page: page + 1,
      seen: soFar,
      ...(total === undefined ? {} : { total }),
      ...(last === undefined || !isWhole ? {} : { last }),
    };
  if (total !== undefined && soFar < total)
    throw new SourceFailed(
      'DATA_SOURCE_ERROR',
      `the list ended after ${soFar} of ${total} articles`,
    );
  return undefined;
}

type Kind = 'intent' | 'device' | 'audience';

/** Meaning of the tool's labels, by label. */
export type LabelMeanings = Readonly<Record<string, Partial<Record<Kind, string | undefined>>>>;

/** An article in the listing of a host knowledge base. One that cannot be read has only its id. */
export interface ListedArticle {
  id?: string;
  /** Why it cannot be read. */
  problem?: string;
  title?: string;
  url?: string;
  content?: string;
  left_out?: readonly Omission[];
  metadata?: {
    intent: string[];
    device: string[];
    audience?: string[];
    last_updated?: string;
    format?: 'html' | 'markdown' | 'commonmark';
    language?: string;
    translation_key?: string;
  };
}

/**
 * An article in the form that the library reads. Labels become intents, devices and audiences by the settings, or by their own prefix
 * `intent:`, `device:` or `audience:`.
 *
 * @param audience Who may read articles that say nothing else; everybody when absent.
 *
 * @param prefix Before the id: `zendesk-` for `zendesk-360012`.
 */
export function toHostArticle(
  article: SourceArticle | UnreadableArticle,
  {
    prefix,
    labels,
    audience,
  }: { prefix: string; labels: LabelMeanings; audience?: readonly string[] | undefined },
): ListedArticle {
  if ('unreadableId' in article) {
    const { unreadableId, problem } = article;
    if (unreadableId === undefined) return {};
    return {
      id: prefix + unreadableId,
      ...(problem === undefined ? {} : { problem: `not readable: ${problem}` }),
    };
  }
  const {
    id,
    title,
    url,
    body,
    format,
    updatedAtMs,
    locale,
    translationKey,
    leftOut = [],
  } = article;
  const named = meant(article.labels, 'audience', labels);
  const own = [article.audience, named.length > 0 ? named : undefined].filter(
    (names) => names !== undefined,
  );
  const readers = own.length === 0 ? audience : commonTo(own);
  return {
    id: prefix + id,
    title,
    ...(url === undefined ? {} : { url }),
    content: body,
    ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
    metadata: {
      intent: meant(article.labels, 'intent', labels),
      device: meant(article.labels, 'device', labels),
      ...(readers === undefined ? {} : { audience: [...readers] }),
      ...(updatedAtMs === undefined ? {} : { last_updated: new Date(updatedAtMs).toISOString() }),
      format,
      ...(locale === undefined ? {} : { language: locale.replaceAll('_', '-') }),
      ...(translationKey === undefined ? {} : { translation_key: translationKey.slice(0, 300) }),
    },
  };
}

/** Whom each of the lists names. */
const commonTo = ([first = [], ...others]: (readonly string[])[]): readonly string[] => {
  const common = first.filter((name) => others.every((names) => names.includes(name)));
  return common.length === 0 ? [NO_ONE] : common;
};

const MAX_LABELS = 100;

const meant = (labels: readonly string[], kind: Kind, meanings: LabelMeanings): string[] => {
  const found = labels.flatMap((label) => {
    const said = Object.hasOwn(meanings, label) ? meanings[label]?.[kind] : undefined;
    const own = label.toLowerCase().startsWith(`${kind}:`)
      ? label.slice(kind.length + 1)
      : undefined;
    const name = (said ?? own)?.trim().slice(0, 100);
    return name ? [name] : [];
  });
  return [...new Set(found)].slice(0, MAX_LABELS);
};
