import { type Bytes, decodeBase64url } from '../../runtime/base64url.ts';
import { utf8 } from '../../runtime/digest.ts';

/** The bytes of a proof as a header writes them; undefined for anything that is not written exactly so. Linear. */
export const decodeProof = (text: string, encoding: 'hex' | 'base64' | 'text'): Bytes | undefined => {
  if (encoding === 'text') return utf8(text);
  return encoding === 'hex' ? decodeHex(text) : decodeBase64(text);
};

/** Base64 with its padding (RFC 4648, section 4): one text for one value. */
export const decodeBase64 = (text: string): Bytes | undefined => {
  if (text.length % 4 !== 0 || /[-_]/.test(text)) return undefined;
  const bare = text.endsWith('==') ? text.slice(0, -2) : text.endsWith('=') ? text.slice(0, -1) : text;
  return decodeBase64url(bare.replaceAll('+', '-').replaceAll('/', '_'));
};

/** Lower case, as every tool writes it. */
const decodeHex = (text: string): Bytes | undefined => {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(text.slice(at * 2, at * 2 + 2), 16);
  return bytes;
};
