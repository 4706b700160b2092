import { readAs } from '../../contract/core/error-info.ts';
import { isWithin } from '../../contract/core/json-object.ts';
import {
  DelegationTrace,
  type LibrarianResponse,
  MAX_TRACE_HOPS,
  METADATA_LIMITS,
  type TraceHop,
} from '../../contract/core/response.ts';
import { readJws } from '../../platform/context/compact-jws.ts';
import type { KeyDirectory } from '../../platform/context/key-directory.ts';
import { verifyForeignReceipt } from '../../platform/context/receipt.ts';
import type { OriginContext, VerifiedContext } from '../../platform/context/request-context.ts';
import { sha256, utf8 } from '../../platform/encoding.ts';
import { fairShares, type TargetReply } from './call.ts';

/** An own call, and the hops that its target reported. */
export interface RecordedHop {
  own: TraceHop;
  below: readonly TraceHop[];
}

/**
 * The hops of a trace, each before its nested hops. Own calls come first; the rest of the limit is shared among the targets, so that one
 * with many hops displaces none of another.
 */
export function assembleHops(recorded: readonly RecordedHop[]): TraceHop[] {
  const kept = recorded.slice(0, MAX_TRACE_HOPS);
  const shares = fairShares(
    kept.map(({ below }) => below.length),
    MAX_TRACE_HOPS - kept.length,
  );
  return kept.flatMap(({ own, below }, index) => [own, ...below.slice(0, shares[index])]);
}

interface Verification {
  context: OriginContext | VerifiedContext;
  directory: KeyDirectory;
  now: number;
}

/**
 * The hops below a target, as it reported them; empty if they are invalid or of another trace, without any that claims to have been
 * called from here. The origin of the chain verifies each hop and drops invalid proofs; other librarians pass hops and proofs on
 * unverified, since each verification costs a signature.
 */
export async function nestedHops(
  { reported, hop, receipt }: Pick<TargetReply, 'reported' | 'hop' | 'receipt'>,
  { context, directory, now }: Verification,
): Promise<TraceHop[]> {
  if (reported === undefined || receipt === undefined || hop.spanId === undefined) return [];
  const read = readAs(DelegationTrace, reported);
  if (!read.ok || read.value.traceId !== context.traceId) return [];
  const hops = read.value.hops.filter(({ from }) => from !== context.self);
  if (context.caller !== undefined) return hops.map((below) => ({ ...below, verified: false }));
  // The receipt was matched with the link of this call on arrival.
  const { req, sub } = receipt.claims;
  const parents = new Map<string, Parent>([
    [hop.spanId, { to: hop.to, sub, linkHash: req, depth: 0 }],
  ]);
  const chain = { parents, seen: new Set<string>(), directory, now };
  const checked: TraceHop[] = [];
  for (const below of hops) checked.push(await checkHop(below, chain));
  return checked;
}

/** A verified hop, against which its nested hops are checked. */
interface Parent {
  to: string;
  /** Hashes of the receipts that its answer is based on. */
  sub: readonly string[];
  linkHash: string;
  /** Index of its link in the chain. */
  depth: number;
}

interface Chain extends Pick<Verification, 'directory' | 'now'> {
  /** By span id of the call. */
  parents: Map<string, Parent>;
  /** Hashes of receipts seen so far: each counts once. */
  seen: Set<string>;
}

const checkHop = async (hop: TraceHop, chain: Chain): Promise<TraceHop> => {
  const { spanId = '', parentSpanId = '' } = hop;
  const verified = await verifyHop(hop, chain.parents.get(parentSpanId), chain);
  if (verified !== undefined) {
    chain.parents.set(spanId, verified);
    return { ...hop, verified: true };
  }
  const { receipt: _receipt, link: _link, ...rest } = hop;
  return { ...rest, verified: false };
};

/**
 * The link proves that the parent made this very call for this very request; the receipt, that the target answered exactly that link; the
 * receipt above, that its answer is based on this one. Signatures are verified last, as the most expensive check.
 */
const verifyHop = async (
  { receipt: text, link, spanId, from, to, outcome }: TraceHop,
  parent: Parent | undefined,
  { seen, directory, now }: Chain,
): Promise<Parent | undefined> => {
  if (text === undefined || link === undefined || parent?.to !== from) return undefined;
  try {
    const { claims } = readJws(link, 'ctx+jwt');
    const depth = parent.depth + 1;
    const isOfCall = claims.iss === from && claims.aud === to && claims.jti === spanId;
    if (!isOfCall || claims.hop !== depth || claims.prv !== parent.linkHash) return undefined;
    const hash = await sha256(utf8(text));
    if (!parent.sub.includes(hash) || seen.has(hash)) return undefined;
    seen.add(hash);
    const receipt = await verifyForeignReceipt(text, { self: from, librarian: to, directory, now });
    const linkHash = await sha256(utf8(link));
    const isAnswer = outcome === 'answer' || outcome === 'partial';
    // An answer needs a successful receipt; an error may stem from a response that was unusable.
    if (receipt.req !== linkHash || (isAnswer && receipt.st >= 400)) return undefined;
    return { to, sub: receipt.sub, linkHash, depth };
  } catch {
    return undefined;
  }
};

/**
 * A response with its trace under `metadata.trace`; unchanged if nothing was called. If both are too large for one response, the proofs
 * are dropped first, then the largest of the other metadata, then all of it; `omitted` names what is missing. The hops always stay.
 */
export function withTrace(response: LibrarianResponse, trace: DelegationTrace): LibrarianResponse {
  if (trace.hops.length === 0) return response;
  const traced = withMetadata(response, { trace });
  if (traced !== undefined) return traced;
  const bare = {
    ...trace,
    hops: trace.hops.map(({ receipt: _receipt, link: _link, ...hop }) => hop),
  };
  const { metadata = {}, ...rest } = response;
  const names = Object.keys(metadata);
  const largest = largestOf(metadata);
  const { [largest]: _largest, ...others } = metadata;
  return (
    withMetadata(response, { trace: bare }) ??
    withMetadata({ ...rest, metadata: others }, { trace, omitted: reportableNames([largest]) }) ??
    withMetadata(
      { ...rest, metadata: others },
      { trace: bare, omitted: reportableNames([largest]) },
    ) ??
    withMetadata(rest, { trace, omitted: reportableNames(names) }) ?? {
      ...rest,
      metadata: { trace: bare, omitted: reportableNames(names) },
    }
  );
}

/** A response with further metadata, which replaces what was there under the same names; `undefined` if it gets too large. */
export function withMetadata(
  response: LibrarianResponse,
  added: Record<string, unknown>,
): LibrarianResponse | undefined {
  const metadata = { ...response.metadata, ...added };
  return isWithin(metadata, METADATA_LIMITS) ? { ...response, metadata } : undefined;
}

const largestOf = (metadata: Record<string, unknown>): string => {
  const sizes = Object.entries(metadata).map(([name, value]) => ({
    name,
    size: JSON.stringify(value)?.length ?? 0,
  }));
  return sizes.toSorted((one, other) => other.size - one.size)[0]?.name ?? '';
};

/** Names short enough to be reported. */
const reportableNames = (names: readonly string[]): string[] =>
  names.filter((name) => name.length <= 64).slice(0, 16);
