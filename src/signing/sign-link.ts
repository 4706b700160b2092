import type { Bytes } from './base64url.ts';
import { intersectCapabilities } from './capabilities.ts';
import { signJws } from './compact-jws.ts';
import { demand } from './context-refused.ts';
import { randomHex, sha256 } from './digest.ts';
import { DEFAULT_TIMEOUT_MS, MAX_LIFETIME_MS, MAX_TOKEN_LENGTH } from './limits.ts';
import { type LaterClaims, millis, type RootClaims } from './link-claims.ts';
import type { OriginContext, VerifiedContext } from './request-context.ts';
import type { Signer } from './signer.ts';

/** One call to be signed. */
export interface LinkRequest {
  /** Must be the signer of the context's `self`. */
  signer: Signer;
  /** The librarian that is called. */
  aud: string;
  /** `METHOD path[?query]` exactly as sent. */
  op: string;
  /** Exactly as sent. */
  body: Bytes;
  /** Milliseconds since 1970. */
  now: number;
  /** Timeout of the call; never beyond the context's own deadline. */
  timeoutMs?: number | undefined;
  /** Time reserved for the work after the call. */
  reserveMs?: number | undefined;
  /** Requested capabilities; granted are those that the context holds. All of them when absent. */
  capabilities?: readonly string[] | undefined;
  /** Requested audiences; granted are those that the context holds. All of them when absent. */
  audiences?: readonly string[] | undefined;
  /** Budgets to hand down; never more than the context holds. */
  budgets?: Readonly<Record<string, number>> | undefined;
  maxHops?: number | undefined;
  newSpanId?: () => string;
}

/** A signed call, ready to be sent. */
export interface SignedLink {
  /** The value of `Context-Token`. */
  token: string;
  /** Its last link, whose hash a receipt must name. */
  link: string;
  traceId: string;
  spanId: string;
  deadlineMs: number;
  /** What the target may spend at most. */
  budgets: Readonly<Record<string, number>>;
}

/**
 * Signs the first link of a chain, at the origin.
 *
 * @throws {ContextRefused} LOOP_DETECTED, MAX_DEPTH_EXCEEDED or TIMEOUT, before anything is sent.
 */
export const mintContext = async (context: OriginContext, request: LinkRequest): Promise<SignedLink> => {
  const shared = await nextClaims(context, request);
  const { capabilities, maxHops } = request;
  const audiences = intersectCapabilities(context.audiences, request.audiences ?? ['*']);
  const claims: RootClaims = {
    ...shared,
    tid: context.traceId,
    sub: context.subject,
    ws: context.workspace,
    amr: context.authentication,
    max: Math.min(context.maxHops, maxHops ?? context.maxHops),
    cap: capabilities ? intersectCapabilities(context.capabilities, capabilities) : [...context.capabilities],
    // Left out when there are none, as functions of an earlier version know no such claim.
    ...(audiences.length === 0 ? {} : { see: audiences }),
    bud: lowerBudgets(context.budgets, request.budgets),
  };
  return signed(context, { claims, request, budgets: claims.bud });
};

/**
 * Signs the next link of a verified chain. It never grants more than was received: the earlier deadline, the intersection of
 * capabilities, the lower budgets and hops.
 *
 * @throws {ContextRefused} LOOP_DETECTED, MAX_DEPTH_EXCEEDED or TIMEOUT, before anything is sent.
 */
export const extendContext = async (context: VerifiedContext, request: LinkRequest): Promise<SignedLink> => {
  const shared = await nextClaims(context, request);
  const { capabilities, audiences, budgets, maxHops } = request;
  const effective = lowerBudgets(context.budgets, budgets);
  const claims: LaterClaims = {
    ...shared,
    prv: context.linkHash,
    ...(maxHops === undefined ? {} : { max: Math.min(context.maxHops, maxHops) }),
    ...(capabilities ? { cap: intersectCapabilities(context.capabilities, capabilities) } : {}),
    ...(audiences && context.audiences.length > 0 ? { see: intersectCapabilities(context.audiences, audiences) } : {}),
    ...(budgets ? { bud: effective } : {}),
  };
  return signed(context, { claims, request, budgets: effective });
};

/** `mintContext` at an origin, `extendContext` everywhere else. */
export const signLink = (context: OriginContext | VerifiedContext, request: LinkRequest): Promise<SignedLink> =>
  context.caller === undefined ? mintContext(context, request) : extendContext(context, request);

const nextClaims = async (context: OriginContext | VerifiedContext, request: LinkRequest) => {
  const { self, chain, deadlineMs, maxHops } = context;
  const { aud, now, timeoutMs = DEFAULT_TIMEOUT_MS, reserveMs = 0, newSpanId = spanId } = request;
  const hop = chain.length;
  demand(aud !== self, 'the target is this librarian', 'LOOP_DETECTED');
  demand(!chain.includes(aud), 'the target is in the chain', 'LOOP_DETECTED');
  demand(hop + 1 <= Math.min(maxHops, request.maxHops ?? maxHops), 'one more link is too many', 'MAX_DEPTH_EXCEEDED');
  const expMs = Math.floor(Math.min(deadlineMs - reserveMs, now + Math.min(timeoutMs, MAX_LIFETIME_MS)));
  demand(expMs > now, 'no time is left for the call', 'TIMEOUT');
  const bd = await sha256(request.body);
  return { iss: self, aud, hop, jti: newSpanId(), iat: now / 1000, exp: expMs / 1000, op: request.op, bd };
};

const signed = async (
  context: OriginContext | VerifiedContext,
  {
    claims,
    request,
    budgets,
  }: { claims: RootClaims | LaterClaims; request: LinkRequest; budgets: SignedLink['budgets'] },
): Promise<SignedLink> => {
  const link = await signJws(claims, { typ: 'ctx+jwt', signer: request.signer });
  const received = context.links();
  const token = received === '' ? link : `${received}~${link}`;
  demand(token.length <= MAX_TOKEN_LENGTH, 'the token would be longer than 8,192 bytes', 'MAX_DEPTH_EXCEEDED');
  return { token, link, traceId: context.traceId, spanId: claims.jti, deadlineMs: millis(claims.exp), budgets };
};

const lowerBudgets = (
  held: Readonly<Record<string, number>>,
  wanted: Readonly<Record<string, number>> = {},
): Record<string, number> => {
  const lower = { ...held };
  for (const [name, amount] of Object.entries(wanted)) lower[name] = Math.min(amount, held[name] ?? amount);
  return lower;
};

const spanId = (): string => randomHex(8);
