import * as z from 'zod';
import { callHelpdesk } from '../../call-helpdesk.ts';
import type { HelpdeskConnection } from '../../helpdesk-tool.ts';
import { neededOption, neededToken } from '../needed.ts';

const MAX_TOKENS = 100;
/** They hold for two days; kept for less, so that a secret that was withdrawn is noticed. */
const MAX_AGE_MS = 3_600_000;
/** Left of its life when it is renewed. */
const MARGIN_MS = 60_000;

const TokenReply = z.object({
  access_token: z.string().min(1).max(4096),
  expires_in: z.number().min(0).max(1e9).catch(7200),
});

interface TokenOptions {
  fetch: typeof fetch;
  now: () => number;
  signal: AbortSignal;
  /** Whether what is kept is of no use. */
  renewed: boolean;
}

/** Tokens by OAuth's client credentials (RFC 6749, section 4.4), kept for connections that were used last, at most 100. */
export const accessTokens = () => {
  const kept = new Map<string, { token: string; until: number }>();
  return async (connection: HelpdeskConnection, { fetch, now, signal, renewed }: TokenOptions): Promise<string> => {
    const clientId = neededOption(connection, 'clientId', 'Help Scout');
    const secret = neededToken(connection, 'Help Scout');
    const key = JSON.stringify([connection.apiUrl, clientId, secret]);
    const known = kept.get(key);
    kept.delete(key);
    if (known !== undefined && !renewed && known.until > now()) {
      kept.set(key, known);
      return known.token;
    }
    const value = await callHelpdesk(
      { tool: 'Help Scout', apiUrl: connection.apiUrl, headers: async () => ({}), fetch, now },
      {
        doing: 'get an access token',
        method: 'POST',
        path: '/v2/oauth2/token',
        body: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
        reply: TokenReply,
        signal,
        // Another token may be asked for: nothing is written.
        isSafe: true,
      },
    );
    const until = now() + Math.min(value.expires_in * 1000 - MARGIN_MS, MAX_AGE_MS);
    kept.set(key, { token: value.access_token, until });
    const [oldest] = kept.keys();
    if (kept.size > MAX_TOKENS && oldest !== undefined) kept.delete(oldest);
    return value.access_token;
  };
};
