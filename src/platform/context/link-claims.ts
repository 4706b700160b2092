import { type Bytes, randomHex, sha256 } from '../encoding.ts';
import { AUDIENCE, intersectCapabilities } from './capabilities.ts';
import { type Signer, signJws } from './compact-jws.ts';
import {
  DEFAULT_TIMEOUT_MS,
  MAX_AUDIENCES,
  MAX_BUDGETS,
  MAX_CAPABILITIES,
  MAX_LIFETIME_MS,
  MAX_LINKS,
  MAX_TOKEN_LENGTH,
} from './limits.ts';
import { demand, type OriginContext, type VerifiedContext } from './request-context.ts';

/** Claims of every link. Times are seconds with at most three decimals. */
interface LinkClaims {
  iss: string;
  aud: string;
  hop: number;
  /** The call: 16 hex digits, the parent span id of W3C Trace Context. */
  jti: string;
  iat: number;
  /** The deadline. */
  exp: number;
  /** `METHOD path[?query]` exactly as sent. */
  op: string;
  /** SHA-256 of the body, base64url. */
  bd: string;
  max?: number;
  cap?: string[];
  /** Audiences whose articles may be read. Absent in the first link: none. */
  see?: string[];
  bud?: Record<string, number>;
  ext?: Record<string, unknown>;
}

/** The first link: the subject, its workspace and its rights. */
export interface RootClaims extends LinkClaims {
  /** The trace: 32 hex digits. */
  tid: string;
  /** `user:`, `svc:` or `anon:` and an opaque id. */
  sub: string;
  ws: string;
  amr: string;
  max: number;
  cap: string[];
  bud: Record<string, number>;
}

/** A later link: the link that it continues. What it does not restrict, it inherits. */
export interface LaterClaims extends LinkClaims {
  /** SHA-256 of the complete previous link, base64url. */
  prv: string;
}

/**
 * Checks the types and bounds of one link's claims by hand, as a schema library would cost more than the rest of the parsing. `hop` is
 * the position of the link in the chain, from 0.
 */
export function checkLinkClaims(
  claims: Record<string, unknown>,
  hop: number,
): RootClaims | LaterClaims {
  const known = hop === 0 ? ROOT : LATER;
  for (const name of Object.keys(claims)) demand(known.has(name), 'a claim is unknown');
  demand(matches(claims.iss, LIBRARIAN_ID), 'iss is not a librarian id');
  demand(matches(claims.aud, LIBRARIAN_ID), 'aud is not a librarian id');
  demand(claims.iss !== claims.aud, 'a link is addressed to its own issuer');
  demand(claims.hop === hop, 'hop is not the position');
  demand(matches(claims.jti, SPAN_ID), 'jti is not 16 hex digits');
  demand(matches(claims.op, OPERATION), 'op is not an operation');
  demand(matches(claims.bd, HASH), 'bd is not a hash');
  checkTimes(claims.iat, claims.exp);
  if (hop === 0 || claims.max !== undefined) checkMaxHops(claims.max);
  if (hop === 0 || claims.cap !== undefined) checkCapabilities(claims.cap);
  if (claims.see !== undefined) checkAudiences(claims.see);
  if (hop === 0 || claims.bud !== undefined) checkBudgets(claims.bud);
  demand(claims.ext === undefined || isObject(claims.ext), 'ext is not an object');
  return hop === 0 ? checkRoot(claims) : checkLater(claims);
}

const checkRoot = (claims: Record<string, unknown>): RootClaims => {
  demand(matches(claims.tid, TRACE_ID), 'tid is not 32 hex digits');
  demand(matches(claims.sub, SUBJECT), 'sub is not a subject');
  demand(matches(claims.ws, WORKSPACE_ID), 'ws is not a workspace id');
  demand(matches(claims.amr, AUTHENTICATION), 'amr is not a method of authentication');
  // Each member has just been checked.
  return claims as unknown as RootClaims;
};

const checkLater = (claims: Record<string, unknown>): LaterClaims => {
  demand(matches(claims.prv, HASH), 'prv is not a hash');
  // Each member has just been checked, the others in checkLinkClaims.
  return claims as unknown as LaterClaims;
};

const checkTimes = (iat: unknown, exp: unknown): void => {
  demand(isTime(iat), 'iat is not a time');
  demand(isTime(exp), 'exp is not a time');
  demand(exp > iat, 'exp is not after iat');
  demand(millis(exp) - millis(iat) <= MAX_LIFETIME_MS, 'the lifetime is above the cap');
};

const checkMaxHops = (max: unknown): void => {
  demand(
    Number.isInteger(max) && Number(max) >= 1 && Number(max) <= MAX_LINKS,
    'max is not 1 to 8',
  );
};

const checkCapabilities = (cap: unknown): void => {
  demand(Array.isArray(cap) && cap.length <= MAX_CAPABILITIES, 'cap is not a list of at most 24');
  for (const capability of cap)
    demand(matches(capability, CAPABILITY), 'cap holds something else than capabilities');
};

const checkAudiences = (see: unknown): void => {
  demand(Array.isArray(see) && see.length <= MAX_AUDIENCES, 'see is not a list of at most 20');
  for (const audience of see)
    demand(matches(audience, AUDIENCE), 'see holds something else than audiences');
};

const checkBudgets = (bud: unknown): void => {
  demand(isObject(bud), 'bud is not an object');
  const entries = Object.entries(bud);
  demand(entries.length <= MAX_BUDGETS, 'bud has more than 8 keys');
  for (const [name, amount] of entries) {
    demand(BUDGET_NAME.test(name), 'bud has a key that is not a name');
    demand(
      Number.isSafeInteger(amount) && Number(amount) >= 0,
      'bud holds something else than amounts',
    );
  }
};

const COMMON = [
  'iss',
  'aud',
  'hop',
  'jti',
  'iat',
  'exp',
  'max',
  'cap',
  'see',
  'bud',
  'op',
  'bd',
  'ext',
];
const ROOT = new Set([...COMMON, 'tid', 'sub', 'ws', 'amr']);
const LATER = new Set([...COMMON, 'prv']);

/** Also the rule for keys of a directory. */
export const LIBRARIAN_ID = /^[a-z0-9][a-z0-9._-]{0,47}$/;
export const CAPABILITY = /^(?=.{1,64}$)(?:[a-z0-9_-]+(?::[a-z0-9_-]+)*(?::\*)?|\*)$/;
const SPAN_ID = /^[0-9a-f]{16}$/;
const TRACE_ID = /^[0-9a-f]{32}$/;
const OPERATION = /^[A-Z]{1,16} \/[\x21-\x7e]{0,2047}$/;
// 32 bytes: the last letter holds four bits, so that its two lowest are zero.
export const HASH = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
const SUBJECT = /^(?:user|svc|anon):[A-Za-z0-9._:-]{1,64}$/;
const WORKSPACE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const AUTHENTICATION = /^[a-z]{1,16}$/;
const BUDGET_NAME = /^[a-z][a-z0-9_]{0,31}$/;

const matches = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Seconds since 1970 with at most three decimals, so that each time has one representation. */
const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && value < 1e11 && millis(value) / 1000 === value;

/** NumericDate -> whole milliseconds, without floating-point error (300.0000002 s is 300 s). */
export function millis(seconds: number): number {
  return Math.round(seconds * 1000);
}

/** One call to be signed. */
interface LinkRequest {
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
export async function mintContext(
  context: OriginContext,
  request: LinkRequest,
): Promise<SignedLink> {
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
    cap: capabilities
      ? intersectCapabilities(context.capabilities, capabilities)
      : [...context.capabilities],
    // Left out when there are none, as functions of an earlier version know no such claim.
    ...(audiences.length === 0 ? {} : { see: audiences }),
    bud: lowerBudgets(context.budgets, request.budgets),
  };
  return signed(context, { claims, request, budgets: claims.bud });
}

/**
 * Signs the next link of a verified chain. It never grants more than was received: the earlier deadline, the intersection of
 * capabilities, the lower budgets and hops.
 *
 * @throws {ContextRefused} LOOP_DETECTED, MAX_DEPTH_EXCEEDED or TIMEOUT, before anything is sent.
 */
export async function extendContext(
  context: VerifiedContext,
  request: LinkRequest,
): Promise<SignedLink> {
  const shared = await nextClaims(context, request);
  const { capabilities, audiences, budgets, maxHops } = request;
  const effective = lowerBudgets(context.budgets, budgets);
  const claims: LaterClaims = {
    ...shared,
    prv: context.linkHash,
    ...(maxHops === undefined ? {} : { max: Math.min(context.maxHops, maxHops) }),
    ...(capabilities ? { cap: intersectCapabilities(context.capabilities, capabilities) } : {}),
    ...(audiences && context.audiences.length > 0
      ? { see: intersectCapabilities(context.audiences, audiences) }
      : {}),
    ...(budgets ? { bud: effective } : {}),
  };
  return signed(context, { claims, request, budgets: effective });
}

/** `mintContext` at an origin, `extendContext` everywhere else. */
export function signLink(
  context: OriginContext | VerifiedContext,
  request: LinkRequest,
): Promise<SignedLink> {
  return context.caller === undefined
    ? mintContext(context, request)
    : extendContext(context, request);
}

const nextClaims = async (context: OriginContext | VerifiedContext, request: LinkRequest) => {
  const { self, chain, deadlineMs, maxHops } = context;
  const { aud, now, timeoutMs = DEFAULT_TIMEOUT_MS, reserveMs = 0 } = request;
  const hop = chain.length;
  demand(aud !== self, 'the target is this librarian', 'LOOP_DETECTED');
  demand(!chain.includes(aud), 'the target is in the chain', 'LOOP_DETECTED');
  demand(
    hop + 1 <= Math.min(maxHops, request.maxHops ?? maxHops),
    'one more link is too many',
    'MAX_DEPTH_EXCEEDED',
  );
  const expMs = Math.floor(
    Math.min(deadlineMs - reserveMs, now + Math.min(timeoutMs, MAX_LIFETIME_MS)),
  );
  demand(expMs > now, 'no time is left for the call', 'TIMEOUT');
  const bd = await sha256(request.body);
  return {
    iss: self,
    aud,
    hop,
    jti: spanId(),
    iat: now / 1000,
    exp: expMs / 1000,
    op: request.op,
    bd,
  };
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
  demand(
    token.length <= MAX_TOKEN_LENGTH,
    'the token would be longer than 8,192 bytes',
    'MAX_DEPTH_EXCEEDED',
  );
  return {
    token,
    link,
    traceId: context.traceId,
    spanId: claims.jti,
    deadlineMs: millis(claims.exp),
    budgets,
  };
};

const lowerBudgets = (
  held: Readonly<Record<string, number>>,
  wanted: Readonly<Record<string, number>> = {},
): Record<string, number> => {
  const lower = { ...held };
  for (const [name, amount] of Object.entries(wanted))
    lower[name] = Math.min(amount, held[name] ?? amount);
  return lower;
};

const spanId = (): string => randomHex(8);
