import type { ErrorCode } from '../core/error-info.ts';

/** What a function needs to know of a route, those that only other functions call included. */
export interface ServedRoute {
  /** The capability that the API key needs. Absent: any key will do. */
  capability?: string;
  /** A second capability that the API key needs, for what the reply quotes. */
  alsoNeeds?: string;
  /** The capability that the function demands in place of the first, where that is another one. */
  grants?: string;
  /** Whether the last parameter of the path may hold slashes. */
  hasSlashes?: true;
  /** Schemas by their names in the contract. */
  query?: string;
  body?: string;
}

/**
 * A route of the gateway: what it is served by. With its description, in the same file, it is defined once; the gateway, the functions
 * behind it, the description of the API, the console and the tables of docs/http-api.md are made of both. Schemas are named instead of held,
 * so that no function carries those of others; `tools/build/openapi.ts` does not compile when the contract has none of a name.
 */
export interface HttpRoute extends ServedRoute {
  /** The function that answers it at the same path; the gateway itself when absent. */
  function?: string;
  /** Called without an API key: unauthenticated, or signed by the caller. */
  access?: 'public' | 'signed';
  /** Whether it answers as server-sent events to callers that accept them. */
  streams?: true;
  /** Whether it administers: it erases, restores, writes, publishes, or decides what is answered from then on. The audit log notes it. */
  isAudited?: true;
  /** Whether web pages may use it with a publishable key. */
  isPublishable?: true;
  /** Whether clients of MCP may call it with their key, beside asking: it administers and erases nothing. */
  isForMcp?: true;
  /** Longest body; 65,536 when absent. */
  maxBytes?: number;
}

/** How a route is shown to people and programs. It stands apart so that no function carries it. */
export interface RouteDescription {
  /** The group in which documentation shows it. */
  tag:
    | 'Ask'
    | 'Answers'
    | 'Knowledge'
    | 'Support'
    | 'Articles'
    | 'Sync'
    | 'Memory'
    | 'Librarians'
    | 'OpenAI'
    | 'MCP'
    | 'A2A'
    | 'Operations';
  /** One line, as a sentence without its full stop. */
  summary: string;
  /** Schema of the reply, or its media type; absent: 204 without a body. */
  reply?: string;
  /** Events of a stream before its last one. */
  events?: string;
  /** The body of every error; `ErrorBody` when absent. */
  error?: string;
  /** Media types of the reply beside JSON: a schema, or `text`. */
  media?: Record<string, string>;
  /** Status of success; 200 (204 without a body) when absent. */
  status?: number;
  /** Further statuses that are no failure, with what they say; `true` for those with the reply as their body. */
  also?: Record<number, { description: string; hasReply?: true }>;
  /** Codes beside those that every route has. */
  errors?: readonly ErrorCode[];
  /** Statuses of failures that no code stands for. */
  refusals?: Record<number, string>;
  /** The call of the typed client, with the parts of the request in braces. */
  client?: string;
  clientStream?: string;
  /** The tool of MCP that translates to it. */
  tool?: string;
}

/** Largest body that writes an article: the longest content with every character escaped. */
export const MAX_ARTICLE_BYTES = 3_145_728;
/** Fits the longest message or memory in any script, with an ordinary history or a vector, and the records of an export in one request. */
export const MAX_RECORD_BYTES = 262_144;

/** Codes of whatever a question is asked of. */
export const ASKED = [
  'NOT_FOUND',
  'DATA_SOURCE_ERROR',
  'AI_UNAVAILABLE',
  'LOOP_DETECTED',
  'MAX_DEPTH_EXCEEDED',
] as const;

/** The reply has not changed since the caller has read it, by its `ETag`. */
export const UNCHANGED = { 304: { description: 'Not changed.' } };

/** A path as Hono takes it: `/api/kb/articles/{id}` -> `/api/kb/articles/:id{.+}`. */
export function honoPath(path: string, { hasSlashes }: ServedRoute = {}): string {
  const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return hasSlashes ? `${pattern}{.+}` : pattern;
}
