/** Bytes of a text in UTF-8; a lone surrogate becomes U+FFFD. */
export const utf8Length = (text: string): number => {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) length += 1;
    else if (code < 0x800) length += 2;
    else if (code >= 0xd800 && code <= 0xdbff && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      length += 4;
      at++;
    } else length += 3;
  }
  return length;
};
