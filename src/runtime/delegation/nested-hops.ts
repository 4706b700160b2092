import { DelegationTrace, type TraceHop } from '../../contract/delegation-trace.ts';
import { readAs } from '../../contract/read-as.ts';
import { sha256, utf8 } from '../digest.ts';
import type { KeyDirectory } from '../key-directory.ts';
import { LEEWAY_MS } from '../limits.ts';
import { millis } from '../link-claims.ts';
import { type Receipt, verifyForeignReceipt } from '../receipt.ts';
import type { OriginContext, VerifiedContext } from '../request-context.ts';
import type { TargetReply } from './ask-target.ts';

interface Checking {
  context: OriginContext | VerifiedContext;
  directory: KeyDirectory;
  now: number;
  /** Hops that can still be told. */
  room: number;
}

/**
 * The hops below a target, as it reported them; none where they are unusable or of another trace. The origin of the
 * chain, to whom the whole trace is an answer, checks each; on the way there they are handed on as reported, since a
 * check costs a signature (signed context 4.13).
 */
export const nestedHops = async (
  { reported, hop, receipt }: Pick<TargetReply, 'reported' | 'hop' | 'receipt'>,
  { context, directory, now, room }: Checking,
): Promise<TraceHop[]> => {
  if (reported === undefined || receipt === undefined || hop.spanId === undefined) return [];
  const read = readAs(DelegationTrace, reported);
  if (!read.ok || read.value.traceId !== context.traceId) return [];
  const hops = read.value.hops.slice(0, room);
  if (context.caller !== undefined) return hops;
  const since = context.startedAtMs - LEEWAY_MS;
  const vouched = await Promise.all(hops.map((below) => vouchedFor(below, { directory, now, since })));
  return linked(hops, { vouched, top: { spanId: hop.spanId, to: hop.to, sub: receipt.claims.sub } });
};

/** A receipt that the target of a hop did sign for the asking librarian, during this request. */
interface Vouched {
  receipt: Receipt;
  hash: string;
}

const vouchedFor = async (
  { receipt: text, from, to, outcome }: TraceHop,
  { directory, now, since }: { directory: KeyDirectory; now: number; since: number },
): Promise<Vouched | undefined> => {
  if (text === undefined) return undefined;
  try {
    const receipt = await verifyForeignReceipt(text, { self: from, librarian: to, directory, now });
    const saysAnswer = outcome === 'answer' || outcome === 'partial';
    // An answer has not come out of an error; an error can have come out of an answer that was no use.
    if (millis(receipt.iat) < since || (saysAnswer && receipt.st >= 400)) return undefined;
    return { receipt, hash: await sha256(utf8(text)) };
  } catch {
    return undefined;
  }
};

interface Above {
  to: string;
  sub: readonly string[];
}

/** A hop is verified when its receipt is among those that the verified hop above it rests on, each receipt once. */
const linked = (
  hops: readonly TraceHop[],
  { vouched, top }: { vouched: readonly (Vouched | undefined)[]; top: Above & { spanId: string } },
): TraceHop[] => {
  const above = new Map<string, Above>([[top.spanId, top]]);
  const used = new Set<string>();
  return hops.map((hop, index) => {
    const proof = vouched[index];
    const parent = above.get(hop.parentSpanId ?? '');
    const spanId = hop.spanId ?? '';
    const verified =
      proof !== undefined &&
      parent?.to === hop.from &&
      parent.sub.includes(proof.hash) &&
      !used.has(proof.hash) &&
      spanId !== '' &&
      !above.has(spanId);
    if (verified) {
      used.add(proof.hash);
      above.set(spanId, { to: hop.to, sub: proof.receipt.sub });
    }
    return { ...hop, verified };
  });
};
