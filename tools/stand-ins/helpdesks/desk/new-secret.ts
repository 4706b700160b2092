import { randomBytes } from 'node:crypto';

/**
 * A secret of this process: whoever knows the source cannot sign deliveries for it.
 *
 * @param kind Its beginning, so that a person recognises it in a setting.
 */
export function newSecret(kind: string): string {
  return `${kind}-${randomBytes(24).toString('base64url')}`;
}
