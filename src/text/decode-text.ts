/**
 * Text as editors store it: UTF-8, UTF-16 with or without its byte order mark, or else Windows-1252.
 *
 * @returns Undefined for bytes that are no text, and for other encodings as far as they show.
 */
export const decodeText = (bytes: Uint8Array): string | undefined => {
  const wide = utf16Of(bytes);
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    const text = new TextDecoder('windows-1252').decode(bytes);
    return UNUSED.test(text) ? undefined : text;
  }
};

/** NUL, and what Windows-1252 has no character for: lead bytes of most encodings of Chinese, Japanese and Korean. */
const UNUSED = /[\0\u0080-\u009f]/;

/** Without a mark it shows by the NUL on the same side of each letter, which other text does not have. */
const utf16Of = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  let [even, odd] = [0, 0];
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) at % 2 === 0 ? even++ : odd++;
  const most = Math.max(even, odd);
  if (most === 0 || most < bytes.length / RARE || Math.min(even, odd) > most / RARE) return undefined;
  return even > odd ? 'utf-16be' : 'utf-16le';
};

const RARE = 16;
