import type { ErrorCode } from '../../contract/core/error-info.ts';
import { encodeBase64url, randomHex, utf8 } from '../encoding.ts';
import {
  ANONYMOUS_MAX_HOPS,
  ANONYMOUS_TIMEOUT_MS,
  DEFAULT_TIMEOUT_MS,
  MAX_LIFETIME_MS,
  MAX_LINKS,
} from './limits.ts';

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
  /** The sampled flag of the incoming `traceparent`, which is not signed; absent without one. */
  readonly sampled?: boolean | undefined;
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
interface Origin {
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
  sampled?: boolean | undefined;
}

/** A context that starts here. It has no link yet: each outgoing call signs its own root link. */
export interface OriginContext extends RequestContext {
  readonly caller: undefined;
  links(): '';
}

/** Starts a context at the librarian that authenticated the subject. */
export function originate(origin: Origin): OriginContext {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxHops = MAX_LINKS, now } = origin;
  if (!(timeoutMs > 0)) throw new ContextRefused('TIMEOUT', 'no time is left');
  return Object.freeze({
    self: origin.self,
    subject: origin.subject,
    workspace: origin.workspace,
    authentication: origin.authentication,
    traceId: origin.traceId ?? randomHex(16),
    spanId: origin.spanId ?? randomHex(8),
    sampled: origin.sampled,
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
}

/** What an unauthenticated caller of a public librarian gets. */
export interface Anonymity {
  workspace: string;
  /** Capabilities of anonymous callers, e.g. `kb:public`. */
  capabilities: readonly string[];
  budgets?: Readonly<Record<string, number>> | undefined;
  /** HMAC secret, so that the ids of anonymous callers cannot be turned back into addresses. */
  secret: string;
}

/** A context for an anonymous caller at `address`: an id that changes daily, at most 3 hops, a short timeout. */
export async function originateAnonymous(
  anonymity: Anonymity,
  { self, address, now, sampled }: Pick<Origin, 'self' | 'now' | 'sampled'> & { address: string },
): Promise<OriginContext> {
  return originate({
    self,
    subject: `anon:${await dailyId(anonymity.secret, { address, now })}`,
    workspace: anonymity.workspace,
    authentication: 'none',
    capabilities: anonymity.capabilities,
    budgets: anonymity.budgets,
    maxHops: ANONYMOUS_MAX_HOPS,
    timeoutMs: ANONYMOUS_TIMEOUT_MS,
    now,
    sampled,
  });
}

const dailyId = async (
  secret: string,
  { address, now }: { address: string; now: number },
): Promise<string> => {
  const day = new Date(now).toISOString().slice(0, 10);
  return (await hmac(`${secret}/${day}`, address)).slice(0, 22);
};

const hmac = async (secret: string, text: string): Promise<string> => {
  const key = await crypto.subtle.importKey(
    'raw',
    utf8(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  return encodeBase64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(text))));
};

/** A context that was not accepted, or a call that may not be made. `reason` is for the log and for tests; callers get the code alone. */
export class ContextRefused extends Error {
  override readonly name = 'ContextRefused';
  readonly code: ErrorCode;
  readonly reason: string;
  /** The caller and the hash of its link, once all signatures have been verified: such a refusal gets a receipt. */
  caller: { id: string; linkHash: string } | undefined;

  constructor(code: ErrorCode, reason: string, options: { cause?: unknown } = {}) {
    super(`${code}: ${reason}`, options);
    this.code = code;
    this.reason = reason;
  }
}

/** One named check. Every refusal of the verifier goes through here, so that the mutation test can disable each of them. */
export function demand(
  condition: boolean,
  reason: string,
  code: ErrorCode = 'UNAUTHORIZED',
  options?: { cause?: unknown },
): asserts condition {
  if (!condition) throw new ContextRefused(code, reason, options);
}
