/**
 * A reader of whole numbers written as varints, with working memory of its own.
 *
 * @returns A function from bytes to the numbers in them: a view that is valid until the function is called again.
 * Damaged bytes give other numbers, never more of them than there are bytes.
 */
export const varintReader = (): ((bytes: Uint8Array) => Uint32Array) => {
  let scratch = new Uint32Array(1024);
  return (bytes) => {
    if (bytes.length > scratch.length) scratch = new Uint32Array(bytes.length * 2);
    let count = 0;
    let at = 0;
    while (at < bytes.length) {
      let byte = bytes[at++] ?? 0;
      let value = byte & 127;
      for (let shift = 7; byte >= 128 && at < bytes.length && shift < 35; shift += 7) {
        byte = bytes[at++] ?? 0;
        value |= (byte & 127) << shift;
      }
      scratch[count++] = value;
    }
    return scratch.subarray(0, count);
  };
};
