import { encodeBase64url } from './base64url.ts';
import { utf8 } from './digest.ts';
import { ANONYMOUS_MAX_HOPS, ANONYMOUS_TIMEOUT_MS } from './limits.ts';
import { type OriginContext, originate } from './request-context.ts';

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
export const originateAnonymous = async (
  anonymity: Anonymity,
  { self, address, now }: { self: string; address: string; now: number },
): Promise<OriginContext> =>
  originate({
    self,
    subject: `anon:${await dailyId(anonymity.secret, { address, now })}`,
    workspace: anonymity.workspace,
    authentication: 'none',
    capabilities: anonymity.capabilities,
    budgets: anonymity.budgets,
    maxHops: ANONYMOUS_MAX_HOPS,
    timeoutMs: ANONYMOUS_TIMEOUT_MS,
    now,
  });

const dailyId = async (secret: string, { address, now }: { address: string; now: number }): Promise<string> => {
  const day = new Date(now).toISOString().slice(0, 10);
  return (await hmac(`${secret}/${day}`, address)).slice(0, 22);
};

const hmac = async (secret: string, text: string): Promise<string> => {
  const key = await crypto.subtle.importKey('raw', utf8(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return encodeBase64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(text))));
};
