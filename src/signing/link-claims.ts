import { AUDIENCE } from './audiences.ts';
import { demand } from './context-refused.ts';
import { MAX_AUDIENCES, MAX_BUDGETS, MAX_CAPABILITIES, MAX_LIFETIME_MS, MAX_LINKS } from './limits.ts';

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
export const checkLinkClaims = (claims: Record<string, unknown>, hop: number): RootClaims | LaterClaims => {
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
};

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
  demand(Number.isInteger(max) && Number(max) >= 1 && Number(max) <= MAX_LINKS, 'max is not 1 to 8');
};

const checkCapabilities = (cap: unknown): void => {
  demand(Array.isArray(cap) && cap.length <= MAX_CAPABILITIES, 'cap is not a list of at most 24');
  for (const capability of cap) demand(matches(capability, CAPABILITY), 'cap holds something else than capabilities');
};

const checkAudiences = (see: unknown): void => {
  demand(Array.isArray(see) && see.length <= MAX_AUDIENCES, 'see is not a list of at most 20');
  for (const audience of see) demand(matches(audience, AUDIENCE), 'see holds something else than audiences');
};

const checkBudgets = (bud: unknown): void => {
  demand(isObject(bud), 'bud is not an object');
  const entries = Object.entries(bud);
  demand(entries.length <= MAX_BUDGETS, 'bud has more than 8 keys');
  for (const [name, amount] of entries) {
    demand(BUDGET_NAME.test(name), 'bud has a key that is not a name');
    demand(Number.isSafeInteger(amount) && Number(amount) >= 0, 'bud holds something else than amounts');
  }
};

const COMMON = ['iss', 'aud', 'hop', 'jti', 'iat', 'exp', 'max', 'cap', 'see', 'bud', 'op', 'bd', 'ext'];
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

const matches = (value: unknown, pattern: RegExp): value is string => typeof value === 'string' && pattern.test(value);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Seconds since 1970 with at most three decimals, so that each time has one representation. */
const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && value < 1e11 && millis(value) / 1000 === value;

/** NumericDate -> whole milliseconds, without floating-point error (300.0000002 s is 300 s). */
export const millis = (seconds: number): number => Math.round(seconds * 1000);
