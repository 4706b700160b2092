import { describe, expect, it } from 'vitest';
import { openClassifier } from '../../../src/support/intents/classifier.ts';
import {
  checksumOf,
  contentHash,
  HEADER,
  hashText,
  InvalidModel,
  layoutOf,
} from '../../../src/support/intents/packed-model.ts';
import { trainClassifier } from '../../../src/support/intents/train-classifier.ts';
import { smallTaxonomy, withFirstIntent } from './small-taxonomy.ts';

const taxonomy = smallTaxonomy();
const packed = trainClassifier(taxonomy);

/** The packed model with a changed 32-bit number and a matching checksum. */
const resealed = (at: number, value: number): Uint8Array => {
  const bytes = packed.slice();
  const numbers = new Uint32Array(bytes.buffer);
  numbers[at] = value;
  numbers[HEADER.checksum] = checksumOf(numbers);
  return bytes;
};
const opening =
  (bytes: Uint8Array, of = taxonomy) =>
  () =>
    openClassifier(bytes, of);

describe('a packed model', () => {
  it('works at any offset of a buffer, and is not changed by use', () => {
    const padded = new Uint8Array(packed.length + 3);
    padded.set(packed, 3);
    const shifted = openClassifier(padded.subarray(3), taxonomy);
    const own = openClassifier(packed, taxonomy);
    for (const text of ['Where is my parcel?', 'loud fan', 'nonsense'])
      expect(shifted.classify(text)).toEqual(own.classify(text));
    expect(padded.subarray(3)).toEqual(packed);
  });
  it('opens after changes of the taxonomy that do not affect training', () => {
    const changed = withFirstIntent(
      { reply_template: 'Another text', devices: ['Apollo'] },
      { name: 'Renamed' },
    );
    expect(opening(packed, changed)).not.toThrow();
  });
  it.each([
    ['another example', { examples: ['One more'] }],
    ['another title', { title: 'Something else' }],
    ['a description', { description: 'It has one now' }],
    ['another id', { id: 'freight' }],
    ['another out-of-scope example', {}, ['Spam']],
  ])('is refused by a taxonomy with %s', (_, change, out_of_scope_examples: string[] = []) => {
    const refusal = new InvalidModel(
      'Cannot open the trained model: it was trained from another taxonomy',
    );
    expect(opening(packed, withFirstIntent(change, { out_of_scope_examples }))).toThrow(refusal);
  });
  const { starts } = layoutOf(new Uint32Array(packed.buffer, 0, 16));
  it.each<[string, Uint8Array, string?]>([
    ['nothing', new Uint8Array(0)],
    [
      'a text',
      new TextEncoder().encode(
        'not a model at all, but long enough to be taken for one by its length',
      ),
    ],
    ['its first half', packed.slice(0, (packed.length >> 3) << 2)],
    ['one with trailing bytes', Uint8Array.of(...packed, 0, 0, 0, 0)],
    ['another version', resealed(HEADER.version, 99)],
    ['one with too many features in its header', resealed(HEADER.features, 1_000_000)],
    ['one whose numbers overflow', resealed(HEADER.weights, 0xffffffff)],
    ['a threshold that is not a number', resealed(HEADER.threshold, 0x7fc00000)],
    [
      'one of parts that do not fit',
      resealed(starts.stemStarts / 4 + 1, 0xffffff),
      'its parts do not fit together',
    ],
    [
      'one of other unfit parts',
      resealed(starts.weightStarts / 4 + 1, 0xffffff),
      'its parts do not fit together',
    ],
  ])('is refused when it is %s', (_, bytes, message = '') => {
    expect(opening(bytes)).toThrow(InvalidModel);
    expect(opening(bytes)).toThrow(message);
  });
  it('is refused when any byte is changed', () => {
    for (let at = 0; at < packed.length; at += Math.ceil(packed.length / 300))
      expect(opening(packed.with(at, (packed[at] ?? 0) ^ 0x10)), `byte ${at}`).toThrow(
        InvalidModel,
      );
  });
});

describe('contentHash()', () => {
  it('is 16 hex digits, and deterministic', () => {
    expect(hashText(contentHash(taxonomy))).toMatch(/^[0-9a-f]{16}$/);
    expect(contentHash(smallTaxonomy())).toEqual(contentHash(taxonomy));
  });
  it('depends on the boundaries between texts', () => {
    const hashes = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['', 'abc']].map((examples) =>
      hashText(
        contentHash({ intents: [{ id: 'a', title: 'b', examples }], out_of_scope_examples: [] }),
      ),
    );
    expect(new Set(hashes).size).toBe(5);
  });
});
