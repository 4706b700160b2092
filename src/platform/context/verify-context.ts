import { type Bytes, sha256, utf8 } from '../encoding.ts';
import { covers, intersectCapabilities } from './capabilities.ts';
import { readJws, type UnverifiedJws } from './compact-jws.ts';
import { audiencesOf, capabilitiesOf, type KeyDirectory } from './key-directory.ts';
import { FRESHNESS_MS, LEEWAY_MS, MAX_LINKS, MAX_TOKEN_LENGTH } from './limits.ts';
import { checkLinkClaims, type LaterClaims, millis, type RootClaims } from './link-claims.ts';
import { ContextRefused, demand, type VerifiedContext } from './request-context.ts';

interface Verification {
  /** The librarian that was called: from its configuration, never from the request. */
  self: string;
  directory: KeyDirectory;
  /** `METHOD path[?query]` exactly as received. */
  op: string;
  /** The raw body. Read only once the caller's signature has been verified. */
  body: () => Promise<Bytes> | Bytes;
  /** Milliseconds since 1970, when the call arrived. */
  now: number;
  /** The flag of the incoming `traceparent`: passed on, not verified. */
  sampled?: boolean | undefined;
  /** Links that this librarian accepts, 1 to 8. */
  maxHops?: number | undefined;
  /** The only librarians that may call; all when absent. */
  callers?: readonly string[] | undefined;
  replay?: ReplayStore | undefined;
  cache?: LinkCache | undefined;
}

/**
 * Verifies the value of `Context-Token`, in fixed steps: cheap checks first, the caller's signature before any expensive work, and time,
 * depth and loops only after all signatures.
 *
 * @throws {ContextRefused} With the code for the caller; TIMEOUT, LOOP_DETECTED and MAX_DEPTH_EXCEEDED only for authentic chains (except
 * for more than eight links).
 */
export async function verifyContext(
  token: string,
  verification: Verification,
): Promise<VerifiedContext> {
  const { directory, now, body, cache } = verification;
  const links = readLinks(token);
  checkTarget(links, verification);
  checkKeys(links, { directory, now });
  const last = lastOf(links);
  await checkSignature(last, directory);
  const hashes = await checkHashes(links);
  await checkEarlierSignatures(links, { hashes, directory, cache });
  const linkHash = hashes[links.length - 1] ?? '';
  try {
    // Step 8.
    demand(
      (await sha256(await body())) === last.claims.bd,
      'the body is not the one that was signed',
    );
    return await checkMeaning(token, { links, linkHash, verification });
  } catch (error) {
    if (error instanceof ContextRefused) error.caller = { id: last.claims.iss, linkHash };
    throw error;
  }
}

/**
 * The librarian that made a call, by the signature of the last link alone: enough to count its calls, not to serve one.
 *
 * @returns Undefined for a malformed, forged or old token.
 */
export async function callerOf(
  token: string,
  { directory, now }: Pick<Verification, 'directory' | 'now'>,
): Promise<string | undefined> {
  try {
    const last = lastOf(readLinks(token));
    checkKeys([last], { directory, now });
    await checkSignature(last, directory);
    checkTime([last], now);
    return last.claims.iss;
  } catch (error) {
    if (error instanceof ContextRefused) return undefined;
    throw error;
  }
}

/** A well-formed link. */
interface Link extends Omit<UnverifiedJws, 'claims'> {
  claims: RootClaims | LaterClaims;
}

/** Steps 1 and 2: checks the size, then the form of every link. */
const readLinks = (token: string): Link[] => {
  demand(token.length <= MAX_TOKEN_LENGTH, 'the token is longer than 8,192 bytes');
  const texts = token.split('~', MAX_LINKS + 1);
  demand(texts.length <= MAX_LINKS, 'the token has more than 8 links', 'MAX_DEPTH_EXCEEDED');
  return texts.map((text, hop) => {
    const jws = readJws(text, 'ctx+jwt');
    return { ...jws, claims: checkLinkClaims(jws.claims, hop) };
  });
};

/** Step 3: the token is for this librarian and operation, and each link was issued by the addressee of the previous one. */
const checkTarget = (links: Link[], { self, op }: Verification): void => {
  const { claims } = lastOf(links);
  demand(claims.aud === self, 'the token is for another librarian');
  demand(claims.op === op, 'the token is for another operation');
  links.forEach((link, hop) => {
    const previous = links[hop - 1];
    demand(
      previous === undefined || link.claims.iss === previous.claims.aud,
      'a link is not issued by the addressee',
    );
  });
};

/** Step 4: every key is known, owned by its issuer and valid at the time; its librarian is not revoked. */
const checkKeys = (
  links: Link[],
  { directory, now }: { directory: KeyDirectory; now: number },
): void => {
  demand(now < directory.expiresAtMs, 'the key directory has expired');
  for (const { kid, claims } of links) {
    const key = directory.key(kid);
    demand(key !== undefined, 'a key is unknown');
    demand(key.librarian === claims.iss, 'a key belongs to another librarian');
    // Compared with `iat`: a link lives 300 s at most, so back-dating it into the validity of a retired key gains nothing.
    demand(claims.iat >= key.nbf, 'a key is not valid yet');
    demand(claims.iat < key.exp, 'a key is retired');
    demand(
      claims.iat >= (directory.librarian(claims.iss)?.revokedBefore ?? 0),
      'a librarian is revoked',
    );
  }
};

/** Step 5, and each signature of step 7. */
const checkSignature = async (
  { kid, signature, signed }: Link,
  directory: KeyDirectory,
): Promise<void> => {
  const valid = (await directory.key(kid)?.verify(signature, signed)) ?? false;
  demand(valid, 'a signature is wrong');
};

/** Step 6: each link names the previous one by its full hash. Returns the hashes of all links. */
const checkHashes = async (links: Link[]): Promise<string[]> => {
  const hashes = await Promise.all(links.map(({ text }) => sha256(utf8(text))));
  links.forEach(({ claims }, hop) => {
    demand(
      !('prv' in claims) || claims.prv === hashes[hop - 1],
      'a link does not continue the one before',
    );
  });
  return hashes;
};

/** Step 7: verifies all earlier signatures, except those of links cached for the same directory. */
const checkEarlierSignatures = async (
  links: Link[],
  {
    hashes,
    directory,
    cache,
  }: { hashes: string[]; directory: KeyDirectory; cache: LinkCache | undefined },
): Promise<void> => {
  const earlier = links.slice(0, -1);
  const isKnown = (hop: number) => cache?.has(directory.version, hashes[hop] ?? '') ?? false;
  await Promise.all(
    earlier.map((link, hop) => (isKnown(hop) ? undefined : checkSignature(link, directory))),
  );
  // The last link is new on every call; caching it pays when its bytes return as a prefix.
  links.forEach((_, hop) => {
    cache?.add(directory.version, hashes[hop] ?? '');
  });
};

/** Steps 9 to 15: checks the claims of the links, which are authentic now. */
const checkMeaning = async (
  token: string,
  {
    links,
    linkHash,
    verification,
  }: { links: Link[]; linkHash: string; verification: Verification },
): Promise<VerifiedContext> => {
  const { directory, now } = verification;
  const root = rootOf(links);
  const last = lastOf(links).claims;
  checkOrigin(root, directory);
  const granted = checkAttenuation(root, links);
  const issuers = links.map(({ claims }) => claims.iss);
  const deadlineMs = checkTime(links, now);
  const maxHops = Math.min(granted.maxHops, verification.maxHops ?? MAX_LINKS);
  demand(links.length <= maxHops, 'the chain has too many links', 'MAX_DEPTH_EXCEEDED');
  demand(!issuers.includes(last.aud), 'this librarian is in the chain', 'LOOP_DETECTED');
  demand(
    new Set(issuers).size === issuers.length,
    'a librarian is in the chain twice',
    'LOOP_DETECTED',
  );
  demand(verification.callers?.includes(last.iss) ?? true, 'the caller is not on the list');
  await checkReplay(linkHash, { ...verification, workspace: root.ws });
  const context = {
    self: last.aud,
    subject: root.sub,
    workspace: root.ws,
    authentication: root.amr,
    traceId: root.tid,
    spanId: last.jti,
    chain: issuers,
    caller: last.iss,
    ...granted,
    capabilities: heldByAll(granted.capabilities, issuers, (id) =>
      capabilitiesOf(directory, id, root.ws),
    ),
    audiences: heldByAll(granted.audiences, issuers, (id) => audiencesOf(directory, id, root.ws)),
    maxHops,
    deadlineMs,
    startedAtMs: now,
    linkHash,
    sampled: verification.sampled,
    links: () => token,
  };
  // The brand exists for the compiler only; no other code may set it.
  return Object.freeze(context) as unknown as VerifiedContext;
};

/** Step 9: the first issuer may speak for this subject, in this workspace, with these capabilities. */
const checkOrigin = (
  { iss, sub, ws, cap, see = [] }: RootClaims,
  directory: KeyDirectory,
): void => {
  const entry = directory.librarian(iss);
  const [kind, id] = [sub.slice(0, sub.indexOf(':')), sub.slice(sub.indexOf(':') + 1)];
  demand(
    kind !== 'user' || (entry?.origin?.includes('user') ?? false),
    'the origin may not speak for users',
  );
  demand(kind !== 'svc' || id === iss, 'a service speaks for another');
  demand(
    entry?.ws?.some((allowed) => allowed === '*' || allowed === ws) ?? false,
    'the origin is outside its workspaces',
  );
  // Without this check, a librarian that may start a context for itself could grant itself every capability.
  demand(
    cap.every((wanted) => covers(capabilitiesOf(directory, iss, ws), wanted)),
    'the origin gives what it may not give',
  );
  demand(
    see.every((audience) => covers(audiencesOf(directory, iss, ws), audience)),
    'the origin shows what it may not see',
  );
};

/** Deadline, hops, capabilities, audiences and budgets never grow; `iat` does not run backwards. */
const checkAttenuation = (root: RootClaims, links: Link[]) => {
  let { exp, iat, max: maxHops, cap: capabilities, see: audiences = [] } = root;
  const budgets = { ...root.bud };
  for (const { claims } of links.slice(1)) {
    demand(claims.exp <= exp, 'the deadline grows');
    demand(millis(claims.iat) >= millis(iat) - LEEWAY_MS, 'iat runs backwards');
    demand((claims.max ?? maxHops) <= maxHops, 'max grows');
    demand(
      (claims.cap ?? []).every((wanted) => covers(capabilities, wanted)),
      'a capability is added',
    );
    demand(
      (claims.see ?? []).every((wanted) => covers(audiences, wanted)),
      'an audience is added',
    );
    for (const [name, amount] of Object.entries(claims.bud ?? {})) {
      demand(amount <= (budgets[name] ?? amount), 'a budget grows');
      budgets[name] = amount;
    }
    ({ exp, iat } = claims);
    maxHops = claims.max ?? maxHops;
    capabilities = claims.cap ?? capabilities;
    audiences = claims.see ?? audiences;
  }
  return { capabilities, audiences, budgets, maxHops };
};

/** What every issuer may hand down: a librarian that was given more than its entry allows cannot use it elsewhere. */
const heldByAll = (
  granted: readonly string[],
  issuers: readonly string[],
  mostOf: (id: string) => readonly string[],
): string[] => issuers.reduce((held, id) => intersectCapabilities(held, mostOf(id)), [...granted]);

/** Returns the deadline by the local clock, never later than the time that the caller granted. */
const checkTime = (links: Link[], now: number): number => {
  for (const { claims } of links)
    demand(millis(claims.iat) <= now + LEEWAY_MS, 'a link is issued in the future');
  const { iat, exp } = lastOf(links).claims;
  const remainingMs = millis(exp) - Math.max(now, millis(iat));
  demand(remainingMs > 0, 'the deadline has passed', 'TIMEOUT');
  demand(now - millis(iat) <= FRESHNESS_MS, 'the call is older than 60 s');
  return now + remainingMs;
};

/** Second half of step 15; runs last, so that unauthenticated callers cannot fill the store. */
const checkReplay = async (
  linkHash: string,
  { replay, now, workspace }: Verification & { workspace: string },
): Promise<void> => {
  if (replay === undefined) return;
  const ttlSeconds = (FRESHNESS_MS + LEEWAY_MS) / 1000;
  let cause: unknown;
  const isFirst = await replay
    .isFirst(linkHash, { workspace, ttlSeconds, nowMs: now })
    .catch((error: unknown) => {
      cause = error;
      return undefined;
    });
  demand(isFirst !== undefined, 'the replay store does not answer', 'SERVICE_UNAVAILABLE', {
    cause,
  });
  demand(isFirst, 'the call is a replay');
};

const lastOf = (links: Link[]): Link => {
  const last = links.at(-1);
  demand(last !== undefined, 'the token has no link');
  return last;
};

const rootOf = (links: Link[]): RootClaims => {
  const claims = links[0]?.claims;
  demand(claims !== undefined && 'sub' in claims, 'the first link is not a root');
  return claims;
};

/** Cache of links whose signature has been verified, so that sibling calls of one chain cost one verification each. */
export interface LinkCache {
  /** `linkHash` covers the full link including its signature, so that no other signature matches it. */
  has(directoryVersion: string, linkHash: string): boolean;
  add(directoryVersion: string, linkHash: string): void;
}

/** Holds at most `limit` links, evicting the least recently used; cleared when the directory changes. */
export function linkCache(limit = 512): LinkCache {
  const links = new Set<string>();
  let version = '';
  const forgetOther = (current: string) => {
    if (current === version) return;
    links.clear();
    version = current;
  };
  return {
    has: (current, linkHash) => {
      forgetOther(current);
      if (!links.delete(linkHash)) return false;
      links.add(linkHash);
      return true;
    },
    add: (current, linkHash) => {
      forgetOther(current);
      links.delete(linkHash);
      links.add(linkHash);
      if (links.size > limit) links.delete(links.values().next().value ?? '');
    },
  };
}

/** Stores the hashes of calls, so that an exact replay is refused. For routes with side effects. */
export interface ReplayStore {
  /**
   * Stores a link hash for at least `ttlSeconds` and returns whether it is new. Throws when that is unknown; the call is then refused.
   *
   * @param options.workspace Workspace of the verified context, so that each may have its own store.
   */
  isFirst(
    linkHash: string,
    options: { workspace: string; ttlSeconds: number; nowMs: number },
  ): Promise<boolean>;
}

/** In memory: best effort, since other isolates do not share it. */
export function memoryReplayStore(limit = 4096): ReplayStore {
  const until = new Map<string, number>();
  return {
    isFirst: async (linkHash, { ttlSeconds, nowMs }) => {
      if ((until.get(linkHash) ?? 0) > nowMs) return false;
      until.delete(linkHash);
      until.set(linkHash, nowMs + ttlSeconds * 1000);
      if (until.size > limit) until.delete(until.keys().next().value ?? '');
      return true;
    },
  };
}
