/** Length of a whole token: longer ones are refused before anything is parsed. */
export const MAX_TOKEN_LENGTH = 8192;
/** Links of a token. */
export const MAX_LINKS = 8;
/** Longest time between `iat` and `exp` of one link. */
export const MAX_LIFETIME_MS = 300_000;
/** Timeout of a call that names none. */
export const DEFAULT_TIMEOUT_MS = 30_000;
/** How old the last link may be, whatever its deadline says. */
export const FRESHNESS_MS = 60_000;
/** How far `iat` may lie in the future, and how far it may run back along the chain. */
export const LEEWAY_MS = 5000;
export const MAX_CAPABILITIES = 24;
/** Audiences of a context, and of an article. */
export const MAX_AUDIENCES = 20;
export const MAX_BUDGETS = 8;
/** Largest body of a guarded route, unless the route says otherwise. */
export const MAX_BODY_BYTES = 262_144;
/** Largest body that writes an article: the longest content with every character escaped. */
export const MAX_ARTICLE_BYTES = 3_145_728;
/** Default for the largest response that a signed call reads. */
export const MAX_ANSWER_BYTES = 4_194_304;
/** Largest response of a librarian to a question, whose metadata has at most 256,000 characters. */
export const MAX_RESPONSE_BYTES = 1_048_576;
/** Questions that one librarian may delegate for one request, not counting retries and fallbacks. */
export const MAX_FAN_OUT = 8;
/**
 * Calls that a question may lead to: the budget that an origin gives its contexts, and the default when a context names no budget of
 * `calls`.
 */
export const DEFAULT_CALLS = 24;
/** Tokens and millionths of a US dollar that model calls may cost where a context limits neither: a few answers of a model. */
export const DEFAULT_TOKENS = 30_000;
export const DEFAULT_COST_MICROS = 100_000;
/** Limits of an anonymous caller's context. */
export const ANONYMOUS_MAX_HOPS = 3;
export const ANONYMOUS_TIMEOUT_MS = 15_000;

/** How long before its expiry a key directory is reported: 30 days. */
export const EXPIRY_WARNING_MS = 30 * 86_400_000;

/** Request header: the chain of links. Cloudflare blanks values whose header name contains `token` in its logs. */
export const CONTEXT_HEADER = 'Context-Token';
/** Response header: the signed receipt. */
export const RECEIPT_HEADER = 'Context-Receipt';
/** The last event of a streamed response: the signed receipt over all bytes before it. */
export const RECEIPT_EVENT = 'receipt';
