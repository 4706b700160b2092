import { createHash, createHmac } from 'node:crypto';

export function hmac(
  algorithm: 'sha1' | 'sha256',
  secret: string,
  { content, encoding }: { content: string; encoding: 'hex' | 'base64' },
): string {
  return createHmac(algorithm, secret).update(content).digest(encoding);
}

/** JSON as Rails writes it, with `<`, `>` and `&` as escapes. */
export function railsJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A UUID that is the same for the same text. */
export function uuidOf(text: string): string {
  return createHash('sha256')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5');
}
