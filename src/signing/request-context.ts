import { ContextRefused } from './context-refused.ts';
import { randomHex } from './digest.ts';
import { DEFAULT_TIMEOUT_MS, MAX_LIFETIME_MS, MAX_LINKS } from './limits.ts';

/** The subject of a request, its rights and its deadline. */
export interface RequestContext {
  /** The current librarian. */
  readonly self: string;
  /** The subject authenticated at the origin: `user:`, `svc:` or `anon:` and an opaque id. Not the calling librarian. */
  readonly subject: string;
  /** The tenant. */
  readonly workspace: string;
  /** How the subject was authenticated: `session`, `oauth`, `key`, `none`. */
  readonly authentication: string;
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the call that led here. */
  readonly spanId: string;
  /** Librarians passed through, in order, without `self`; empty at the origin. */
  readonly chain: readonly string[];
  /** The librarian that called; `undefined` at the origin. */
  readonly caller: string | undefined;
  /** Granted capabilities. */
  readonly capabilities: readonly string[];
  /** Audiences whose articles may be read beside those for everybody; `*` for all. */
  readonly audiences: readonly string[];
  /** Limits of what may be spent from here on; an absent entry means no limit. */
  readonly budgets: Readonly<Record<string, number>>;
  /** Maximum number of links in a chain. */
  readonly maxHops: number;
  /** Milliseconds since 1970 by the local clock; never later than the time that the caller granted. */
  readonly deadlineMs: number;
  /** When the request arrived or began, by the same clock. */
  readonly startedAtMs: number;
  /** Hash of the link that led here; empty at the origin. */
  readonly linkHash: string;
}

declare const verified: unique symbol;

/**
 * A chain of links that passed every check of `verifyContext`. Only that function creates one: no other code can name the brand, so the
 * type system prevents extending an unverified chain.
 */
export interface VerifiedContext extends RequestContext {
  readonly caller: string;
  /** The chain as received, for the next link. A function, so that it appears in no log and no JSON. */
  links(): string;
  readonly [verified]: true;
}

/** What an origin vouches for when it starts a context. */
export interface Origin {
  self: string;
  subject: string;
  workspace: string;
  authentication: string;
  capabilities: readonly string[];
  /** None when absent. */
  audiences?: readonly string[] | undefined;
  budgets?: Readonly<Record<string, number>> | undefined;
  /** 1 to 8. */
  maxHops?: number | undefined;
  /** 1 to 300,000; 30,000 when absent. */
  timeoutMs?: number | undefined;
  /** Milliseconds since 1970. */
  now: number;
  traceId?: string | undefined;
  spanId?: string | undefined;
}

/** A context that starts here. It has no link yet: each outgoing call signs its own root link. */
export interface OriginContext extends RequestContext {
  readonly caller: undefined;
  links(): '';
}

/** Starts a context at the librarian that authenticated the subject. */
export const originate = (origin: Origin): OriginContext => {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxHops = MAX_LINKS, now } = origin;
  if (!(timeoutMs > 0)) throw new ContextRefused('TIMEOUT', 'no time is left');
  return Object.freeze({
    self: origin.self,
    subject: origin.subject,
    workspace: origin.workspace,
    authentication: origin.authentication,
    traceId: origin.traceId ?? randomHex(16),
    spanId: origin.spanId ?? randomHex(8),
    chain: [],
    caller: undefined,
    capabilities: origin.capabilities,
    // All of them says it all: a longer list could outgrow a link.
    audiences: origin.audiences?.includes('*') ? ['*'] : (origin.audiences ?? []),
    budgets: origin.budgets ?? {},
    maxHops: Math.min(maxHops, MAX_LINKS),
    deadlineMs: now + Math.min(Math.floor(timeoutMs), MAX_LIFETIME_MS),
    startedAtMs: now,
    linkHash: '',
    links: () => '' as const,
  });
};
