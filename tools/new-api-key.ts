import { type ApiKeyRecord, PUBLISHABLE_PREFIX } from '../src/gateway/access/api-keys.ts';
import { encodeBase64url } from '../src/platform/encoding.ts';

/** Rights of who administers a deployment: every view and act of the console, articles for every audience, and every librarian. */
export const ADMINISTRATOR: Pick<ApiKeyRecord, 'capabilities' | 'audiences'> = {
  capabilities: [
    'kb:*',
    'memory:*',
    'sql:read',
    'web:search',
    'support:analyze',
    'helpdesk:*',
    'metrics:read',
    'answers:*',
    'audit:read',
  ],
  audiences: ['*'],
};

/** A new key: 32 random bytes, with a prefix that scanners for leaked keys recognise, and another one for publishable keys. */
export function newApiKey({ isPublishable = false } = {}): string {
  return `${isPublishable ? PUBLISHABLE_PREFIX : 'ck_'}${encodeBase64url(crypto.getRandomValues(new Uint8Array(32)))}`;
}
