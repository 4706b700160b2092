import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBase64url, encodeBase64url } from '../../../src/platform/encoding.ts';

it('agree with Node on any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64url');
      expect(encodeBase64url(bytes)).toBe(text);
      expect(decodeBase64url(text)).toEqual(new Uint8Array(bytes));
    }),
  );
});
it('are canonical: a decoded text encodes to the same text', () => {
  const anyText = fc.string({ unit: fc.constantFrom(...'ABab01-_+/= \n\u00e9'), maxLength: 12 });
  fc.assert(
    fc.property(anyText, (text) => {
      const bytes = decodeBase64url(text);
      if (bytes !== undefined) expect(encodeBase64url(bytes)).toBe(text);
    }),
    { numRuns: 2000 },
  );
});
it.each(['A', 'AB', 'AAB', 'AA==', 'AA AA', 'AA+A', 'AA/A', 'AAA\n', 'AA\u0141A'])(
  'refuse %j',
  (text) => {
    expect(decodeBase64url(text)).toBeUndefined();
  },
);
