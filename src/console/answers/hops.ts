import type { DelegationTrace, TraceHop } from '../../contract/response.ts';

/** What a signed link says, as far as it is shown. It is read, not verified: the origin of the chain has done that. */
interface LinkClaims {
  hop?: number;
  iat?: number;
  /** The deadline, in seconds since 1970. */
  exp?: number;
  /** The rights that are handed down; absent when they are those of the link before. */
  cap?: string[];
  /** What may be spent. */
  bud?: Record<string, number>;
  op?: string;
}

interface ReceiptClaims {
  iss?: string;
  st?: number;
  iat?: number;
  /** What was spent. */
  use?: Record<string, number>;
}

export interface Hop {
  hop: TraceHop;
  depth: number;
  link: LinkClaims | undefined;
  receipt: ReceiptClaims | undefined;
  /** Milliseconds from the beginning of the first hop. */
  startMs: number;
}

/** The payload of a compact JWS; undefined for what is none. */
const claimsOf = <Claims extends object>(token: string | undefined): Claims | undefined => {
  const payload = token?.split('.')[1];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytesOf(payload)));
    return typeof claims === 'object' && claims !== null ? (claims as Claims) : undefined; // members are optional
  } catch {
    return undefined;
  }
};

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

/** The hops in the order of the tree: each is followed by those that it led to. */
export const hopsOf = ({ hops }: DelegationTrace): Hop[] => {
  const ids = new Set(hops.map(({ spanId }) => spanId));
  const below = (parent: string | undefined, depth: number): Omit<Hop, 'startMs'>[] =>
    hops
      .filter(({ parentSpanId }) =>
        depth === 0 ? parentSpanId === undefined || !ids.has(parentSpanId) : parentSpanId === parent,
      )
      .flatMap((hop) => [
        { hop, depth, link: claimsOf<LinkClaims>(hop.link), receipt: claimsOf<ReceiptClaims>(hop.receipt) },
        ...(hop.spanId === undefined || depth >= hops.length ? [] : below(hop.spanId, depth + 1)),
      ]);
  const ordered = below(undefined, 0);
  const starts = ordered.map(startOf);
  const first = Math.min(...starts.filter((start) => start !== undefined));
  return ordered.map((each, at) => ({ ...each, startMs: Math.max(0, (starts[at] ?? first) - first) }));
};

/** In milliseconds since 1970: when its link was signed, else its receipt less what it took. */
const startOf = ({ hop, link, receipt }: Omit<Hop, 'startMs'>): number | undefined => {
  if (link?.iat !== undefined) return link.iat * 1000;
  return receipt?.iat === undefined ? undefined : receipt.iat * 1000 - hop.durationMs;
};

export type Check = 'valid' | 'invalid' | 'no_key' | 'unsupported';

/** Checks the signature of a receipt in this browser, with the keys that its librarian publishes. */
export const checkReceipt = async (receipt: string, keys: readonly { kid: string; x: string }[]): Promise<Check> => {
  const [header = '', payload = '', signature = ''] = receipt.split('.');
  const { kid } = claimsOf<{ kid?: string }>(`.${header}.`) ?? {};
  const found = keys.find((key) => key.kid === kid);
  if (found === undefined) return 'no_key';
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: found.x };
    const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']);
    const signed = new TextEncoder().encode(`${header}.${payload}`);
    return (await crypto.subtle.verify('Ed25519', key, bytesOf(signature), signed)) ? 'valid' : 'invalid';
  } catch (error) {
    return error instanceof DOMException && error.name === 'NotSupportedError' ? 'unsupported' : 'invalid';
  }
};
