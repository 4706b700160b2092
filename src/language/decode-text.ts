import { analyse } from 'chardet';

/**
 * Text as editors and sites store it: UTF-16 with or without its byte order mark, UTF-8, the encoding that the text declares
 * (`<meta charset>`, `<?xml encoding?>`), or else the one that its bytes speak for.
 *
 * @param label Encoding that its host declares: `gb2312`.
 * @returns Undefined for bytes that are no text, and where no encoding is likely enough.
 */
export function decodeText(bytes: Uint8Array, label?: string | undefined): string | undefined {
  const wide = utf16Of(bytes);
  if (wide !== undefined) return decode(bytes, wide);
  for (const each of [label, 'utf-8', declaredIn(bytes)]) {
    const text = each === undefined ? undefined : decode(bytes, each);
    if (text !== undefined) return text;
    if (each === 'utf-8') {
      const mostly = mostlyUtf8(bytes);
      if (mostly !== undefined) return mostly;
    }
  }
  const guess = guessOf(bytes);
  return guess === undefined ? undefined : decode(bytes, guess);
}

/** Undefined when the bytes are not in that encoding, or there is none of that name. */
const decode = (bytes: Uint8Array, label: string): string | undefined => {
  try {
    const text = new TextDecoder(label, { fatal: true, ignoreBOM: false }).decode(bytes);
    return UNUSED.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
};

/** Other encodings have no such sequences: so many valid ones stand beside each byte that is none. */
const MIN_VALID = 3;
const MIN_VALID_PER_FAULT = 4;

/** UTF-8 with single bytes that are none, which become U+FFFD, and with control characters that stand for those of Windows-1252. */
function mostlyUtf8(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('utf-8').decode(bytes);
  if (text.includes('\0')) return undefined;
  const faults = text.match(/\ufffd/g)?.length ?? 0;
  const valid = (text.match(/[\u0080-\u{10ffff}]/gu)?.length ?? 0) - faults;
  if (valid < MIN_VALID || valid < faults * MIN_VALID_PER_FAULT) return undefined;
  return text.replace(/[\u0080-\u0084\u0086-\u009f]/g, (control) =>
    new TextDecoder('windows-1252').decode(Uint8Array.of(control.charCodeAt(0))),
  );
}

/** NUL and control characters, which no text holds: bytes that an encoding does not use become them. */
const UNUSED = /[\0\u0080-\u0084\u0086-\u009f]/;

/** The place at which a text declares its encoding (HTML Standard, 13.2.3.2). */
const MAX_HEAD = 1024;

const declaredIn = (bytes: Uint8Array): string | undefined => {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, MAX_HEAD));
  return (
    /<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w:-]{1,40})/i.exec(head)?.[1] ??
    /<\?xml[^>]{0,200}encoding\s{0,9}=\s{0,9}["']([\w:-]{1,40})/i.exec(head)?.[1]
  );
};

const MAX_ANALYSED = 65_536;
/** Confidence of the library, 0 to 100, below which only bytes that are mostly ASCII are decoded. */
const MIN_CONFIDENCE = 30;
const MAX_OTHER_SHARE = 0.2;

const WESTERN = /^(?:windows-1252|iso-8859-1)$/i;
const CENTRAL = /^(?:windows-1250|iso-8859-2)$/i;

const guessOf = (bytes: Uint8Array): string | undefined => {
  const part = bytes.subarray(0, MAX_ANALYSED);
  const matches = analyse(part).filter(({ name }) => decode(bytes, name) !== undefined);
  const [first] = matches;
  // The library compares with few languages. Those of Western Europe fit theirs better than the others: a text that fits both alike is Czech, say.
  const best =
    first !== undefined && WESTERN.test(first.name)
      ? (matches.find(
          ({ name, confidence }) => CENTRAL.test(name) && confidence >= first.confidence,
        ) ?? first)
      : first;
  if (best !== undefined && best.confidence >= MIN_CONFIDENCE) return best.name;
  const others = part.reduce((count, byte) => count + (byte > 127 ? 1 : 0), 0);
  if (others >= MAX_OTHER_SHARE * part.length) return undefined;
  return best !== undefined && CENTRAL.test(best.name) ? best.name : 'windows-1252';
};

/** Without a mark it shows by the NUL on the same side of each letter, which other text does not have. */
const utf16Of = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  let [even, odd] = [0, 0];
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1))
    at % 2 === 0 ? even++ : odd++;
  const most = Math.max(even, odd);
  if (most === 0 || most < bytes.length / RARE || Math.min(even, odd) > most / RARE)
    return undefined;
  return even > odd ? 'utf-16be' : 'utf-16le';
};

const RARE = 16;
