import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeEmbedding, encodeEmbedding } from '../../../src/platform/storage/embedding-store.ts';

it('round-trips 32-bit floats', () => {
  const float = fc.float({ noNaN: true, noDefaultInfinity: true });
  const property = fc.property(fc.array(float, { minLength: 1, maxLength: 40 }), (embedding) => {
    expect(decodeEmbedding(encodeEmbedding(embedding), embedding.length)).toEqual(embedding);
  });
  fc.assert(property, { numRuns: 300 });
});
it('round-trips thousands of numbers, in a text that is never valid JSON', () => {
  const embedding = Array.from({ length: 4096 }, (_, at) => Math.fround(Math.sin(at)));
  expect(decodeEmbedding(encodeEmbedding(embedding), 4096)).toEqual(embedding);
  expect(() => JSON.parse(encodeEmbedding(embedding))).toThrow(SyntaxError);
});
it('decodes only a complete value with the right number of finite numbers', () => {
  const text = encodeEmbedding([1, 2, 3]);
  const others = [
    text.replace('f32:', 'f64:'),
    text.replace(/.(?==*$)/, '*'),
    encodeEmbedding([1, 2]),
  ];
  const changed = [text.slice(4), text.slice(0, -1), `${text}=`, ` ${text}`, ...others];
  for (const each of [...changed, '', 5, null, undefined])
    expect(decodeEmbedding(each, 3)).toBeUndefined();
  expect(decodeEmbedding(text, 2)).toBeUndefined();
  for (const number of [Number.NaN, Number.POSITIVE_INFINITY])
    expect(decodeEmbedding(encodeEmbedding([1, 2, number]), 3)).toBeUndefined();
});
