import { readAs } from '../../contract/issue.ts';
import { DelegationTrace, type TraceHop } from '../../contract/response.ts';
import { readJws } from '../compact-jws.ts';
import { sha256, utf8 } from '../digest.ts';
import type { KeyDirectory } from '../key-directory.ts';
import { verifyForeignReceipt } from '../receipt.ts';
import type { OriginContext, VerifiedContext } from '../request-context.ts';
import type { TargetReply } from './ask-target.ts';

interface Checking {
  context: OriginContext | VerifiedContext;
  directory: KeyDirectory;
  now: number;
}

/**
 * The hops below a target, as it reported them; none where they are unusable or of another trace, and none that says it
 * was asked here. The origin of the chain, to whom the whole trace is an answer, checks each, and leaves out what proves
 * nothing; on the way there they are handed on with their proofs, unchecked, since a check costs a signature (signed
 * context 4.13).
 */
export const nestedHops = async (
  { reported, hop, receipt }: Pick<TargetReply, 'reported' | 'hop' | 'receipt'>,
  { context, directory, now }: Checking,
): Promise<TraceHop[]> => {
  if (reported === undefined || receipt === undefined || hop.spanId === undefined) return [];
  const read = readAs(DelegationTrace, reported);
  if (!read.ok || read.value.traceId !== context.traceId) return [];
  const hops = read.value.hops.filter(({ from }) => from !== context.self);
  if (context.caller !== undefined) return hops.map((below) => ({ ...below, verified: false }));
  // That the receipt is for the link of this call was checked when it came.
  const { req, sub } = receipt.claims;
  const above = new Map<string, Above>([[hop.spanId, { to: hop.to, sub, linkHash: req, place: 0 }]]);
  const checking = { above, tried: new Set<string>(), directory, now };
  const checked: TraceHop[] = [];
  for (const below of hops) checked.push(await checkedHop(below, checking));
  return checked;
};

/** A hop that is verified, and what those below it have to fit. */
interface Above {
  to: string;
  /** Hashes of the receipts that its answer rests on. */
  sub: readonly string[];
  linkHash: string;
  /** Of its link in the chain, from 0. */
  place: number;
}

interface Below extends Pick<Checking, 'directory' | 'now'> {
  /** By the span id of their calls. */
  above: Map<string, Above>;
  /** Hashes of the receipts that were looked at: each counts once. */
  tried: Set<string>;
}

const checkedHop = async (hop: TraceHop, checking: Below): Promise<TraceHop> => {
  const { spanId = '', parentSpanId = '' } = hop;
  const vouched = await vouchedFor(hop, checking.above.get(parentSpanId), checking);
  if (vouched !== undefined) {
    checking.above.set(spanId, vouched);
    return { ...hop, verified: true };
  }
  const { receipt: _receipt, link: _link, ...rest } = hop;
  return { ...rest, verified: false };
};

/**
 * The link says that the one above asked, in this very call of this very request; the receipt, that the target answered
 * exactly that link; and the receipt above, that its answer rests on this one. Signatures come last: they cost most.
 */
const vouchedFor = async (
  { receipt: text, link, spanId, from, to, outcome }: TraceHop,
  parent: Above | undefined,
  { tried, directory, now }: Below,
): Promise<Above | undefined> => {
  if (text === undefined || link === undefined || parent?.to !== from) return undefined;
  try {
    const { claims } = readJws(link, 'ctx+jwt');
    const place = parent.place + 1;
    const isOfCall = claims.iss === from && claims.aud === to && claims.jti === spanId;
    if (!isOfCall || claims.hop !== place || claims.prv !== parent.linkHash) return undefined;
    const hash = await sha256(utf8(text));
    if (!parent.sub.includes(hash) || tried.has(hash)) return undefined;
    tried.add(hash);
    const receipt = await verifyForeignReceipt(text, { self: from, librarian: to, directory, now });
    const linkHash = await sha256(utf8(link));
    const saysAnswer = outcome === 'answer' || outcome === 'partial';
    // An answer has not come out of an error; an error can have come out of an answer that was no use.
    if (receipt.req !== linkHash || (saysAnswer && receipt.st >= 400)) return undefined;
    return { to, sub: receipt.sub, linkHash, place };
  } catch {
    return undefined;
  }
};
