import { ContextRefused } from './context-refused.ts';
import { randomHex } from './digest.ts';
import { DEFAULT_TIMEOUT_MS, MAX_LIFETIME_MS, MAX_LINKS } from './limits.ts';

/** On whose behalf a function works, with which rights, and until when. */
export interface RequestContext {
  /** The librarian that works. */
  readonly self: string;
  /** Who asked at the door: `user:`, `svc:` or `anon:` and an opaque id. Not the librarian that calls. */
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
  /** What may be done, at most. */
  readonly capabilities: readonly string[];
  /** What may be spent below here, at most; no entry, no limit. */
  readonly budgets: Readonly<Record<string, number>>;
  /** Links a chain may have. */
  readonly maxHops: number;
  /** Milliseconds since 1970 by the local clock; never later than what the caller said was left. */
  readonly deadlineMs: number;
  /** When it arrived or began, by the same clock. */
  readonly startedAtMs: number;
  /** Hash of the link that led here; empty at the origin. */
  readonly linkHash: string;
}

declare const verified: unique symbol;

/**
 * A chain of links that passed every check of `verifyContext`. Only that function makes one: nothing else can name the
 * brand, so that what nobody verified cannot be extended by type.
 */
export interface VerifiedContext extends RequestContext {
  readonly caller: string;
  /** The chain as received, for the next link. A function, so that no log and no JSON text carries it. */
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

/** A context that begins here. No link exists yet: each call out of it signs a root of its own. */
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
    budgets: origin.budgets ?? {},
    maxHops: Math.min(maxHops, MAX_LINKS),
    deadlineMs: now + Math.min(Math.floor(timeoutMs), MAX_LIFETIME_MS),
    startedAtMs: now,
    linkHash: '',
    links: () => '' as const,
  });
};
