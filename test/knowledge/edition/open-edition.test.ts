import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { attachSection, SPARE_BYTES } from '../../../src/knowledge/edition/edition-format.ts';
import {
  cachedArticle,
  cachedChunk,
  type Edition,
  openEdition,
} from '../../../src/knowledge/edition/open-edition.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { editionOfTexts, entryOf, IDENTITY, type Sketch } from '../search/edition-fixture.ts';

const FAN: Sketch = {
  id: 'fan',
  title: 'Clean the fan',
  intents: ['care'],
  devices: ['Apollo'],
  sections: [
    { heading: ['Before'], text: 'Unplug the Apollo-3 miner.' },
    { text: 'Blow out the dust with AirSpray.' },
  ],
};
const NET: Sketch = {
  id: 'net',
  sections: [{ text: 'Connect the ethernet cable; café 重置 works.' }],
};
const build = () => buildEdition([FAN, NET].map(entryOf), IDENTITY);

/** Reads everything, to check that it terminates within bounds. */
const readAll = (bytes: Uint8Array): void => {
  const edition = openEdition(bytes);
  for (const question of [
    'clean fan apollo',
    'etherent cabel',
    '重置 AirSpray',
    'apollo 3 dust unplug',
  ]) {
    const { hits } = searchEdition(edition, question, {
      limit: 50,
      devices: ['Apollo'],
      filter: { intent: 'care' },
    });
    for (const { chunk, article } of [...hits, ...searchEdition(edition, question).hits]) {
      if (chunk >= edition.chunkCount) throw new Error(`chunk ${chunk} of ${edition.chunkCount}`);
      edition.chunk(chunk);
      edition.article(article);
    }
  }
  for (let at = 0; at < Math.min(edition.articleCount, 1000); at++) edition.article(at);
  edition.findArticle('net');
  edition.devices();
};

const readOr = <T, E>(read: () => T, refused: E): T | E => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && error.name === 'EditionFormatError') return refused;
    throw error;
  }
};

const readsOrRefuses = (bytes: Uint8Array) =>
  readOr((): 'read' | 'refused' => {
    readAll(bytes);
    return 'read';
  }, 'refused');

describe('openEdition()', () => {
  it('opens bytes at any offset of their buffer', () => {
    const shifted = new Uint8Array([0, ...build()]).subarray(1);
    expect(searchEdition(openEdition(shifted), 'fan').hits).toEqual(
      searchEdition(openEdition(build()), 'fan').hits,
    );
  });
  it('refuses an edition truncated at any byte, and with a header that states the new length', () => {
    const bytes = build();
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.slice(0, length);
      expect(() => openEdition(cut)).toThrow(/Cannot read the edition/);
      if (length < 32 || length % 4 > 0) continue;
      new DataView(cut.buffer).setUint32(8, length, true);
      expect(() => openEdition(cut)).toThrow(/Cannot read the edition/);
    }
  });
  it('refuses other bytes, other versions, longer bytes and a section outside of them', () => {
    const bytes = build();
    expect(() => openEdition(new ArrayBuffer(5000))).toThrow('does not begin like an edition');
    expect(() => openEdition(bytes.with(4, 99))).toThrow('its version is 99, known are 5 to 7');
    expect(() => openEdition(new Uint8Array([...bytes, 0, 0, 0, 0]))).toThrow(
      'its length is not the one it states',
    );
    const attached = attachSection(bytes, 'last', Uint8Array.of(1));
    const view = new DataView(attached.buffer);
    view.setUint32(32 * view.getUint32(12, true) + 28, 1_000_000, true);
    expect(() => openEdition(attached)).toThrow('a section lies outside of it');
  });
  it('refuses or reads safely when any byte is changed', () => {
    const bytes = build();
    const seen = { read: 0, refused: 0 };
    for (let at = 0; at < bytes.length; at++) {
      for (const change of [0x01, 0x80, 0xff]) {
        const damaged = bytes.slice();
        damaged[at] = (damaged[at] ?? 0) ^ change;
        seen[readsOrRefuses(damaged)]++;
      }
    }
    expect(seen.read).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);
  });
  it('is not affected by an earlier search that failed on damage', () => {
    const bytes = build();
    const failed = new Set<number>();
    for (let at = 2080; at < bytes.length; at++) {
      const damaged = bytes.with(at, (bytes[at] ?? 0) ^ 0x80);
      const [edition, fresh] = [damaged, damaged].map((copy) =>
        readOr(() => openEdition(copy), undefined),
      );
      if (!edition || !fresh) continue;
      const search = (of: Edition, question: string) =>
        readOr(() => searchEdition(of, question, { filter: { device: 'Apollo' } }), 'refused');
      if (search(edition, 'clean the fan') !== 'refused') continue;
      failed.add(at);
      expect(search(edition, 'unplug')).toEqual(search(fresh, 'unplug'));
    }
    expect(failed.size).toBeGreaterThan(0);
  });
  it('refuses or reads safely when many bytes are changed', () => {
    const bytes = build();
    const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), {
      minLength: 1,
      maxLength: 40,
    });
    const property = fc.property(changes, (drawn) => {
      const damaged = bytes.slice();
      for (const [at, value] of drawn) damaged[at] = value;
      readsOrRefuses(damaged);
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe('attachSection()', () => {
  it('adds a readable section without affecting search', () => {
    const before = searchEdition(openEdition(build()), 'clean the fan');
    const first = attachSection(build(), 'decision', Uint8Array.of(1, 2, 3));
    const edition = openEdition(attachSection(first, 'other', new Uint8Array(0)));
    const found = ['decision', 'other', 'missing'].map((name) => edition.section(name));
    expect(found).toEqual([Uint8Array.of(1, 2, 3), new Uint8Array(0), undefined]);
    expect(searchEdition(edition, 'clean the fan')).toEqual(before);
  });
  it('copies only when there is no room, and writes the same bytes with and without', () => {
    const bytes = build();
    expect(attachSection(bytes, 'small', new Uint8Array(100)).buffer).toBe(bytes.buffer);
    const large = attachSection(build(), 'large', new Uint8Array(SPARE_BYTES + 1).fill(7));
    expect(openEdition(large).section('large')?.at(-1)).toBe(7);
    const [tight, roomy] = [build().slice(), build()].map((each) =>
      attachSection(each, 'a', Uint8Array.of(9)),
    );
    expect(tight).toEqual(roomy);
  });
  it.each(['texts', 'Upper', '', 'x'.repeat(25), 'a b'])('refuses the name %j', (name) => {
    expect(() => attachSection(build(), name, new Uint8Array(1))).toThrow(RangeError);
  });
});

const numbered = (count: number) =>
  editionOfTexts(...Array.from({ length: count }, (_, at) => `It opens at ${at} bar.`));

it('cachedChunk() returns the chunk of its edition, with its article', () => {
  const [edition, other] = [numbered(3), numbered(3)];
  expect(cachedChunk(edition, 2)).toEqual({ ...edition.chunk(2), source: edition.article(2) });
  expect(cachedArticle(edition, 1)).toEqual(edition.article(1));
  expect(cachedChunk(edition, 0)).not.toBe(cachedChunk(other, 0));
  expect(() => cachedChunk(edition, 3)).toThrow(RangeError);
});

it('cachedChunk() caches 500 chunks and evicts the least recently used', () => {
  const edition = numbered(501);
  const [first, second] = [cachedChunk(edition, 0), cachedChunk(edition, 1)];
  for (let at = 2; at < 500; at++) cachedChunk(edition, at);
  expect(cachedChunk(edition, 0)).toBe(first);
  cachedChunk(edition, 500);
  expect(cachedChunk(edition, 0)).toBe(first);
  expect(cachedChunk(edition, 1)).not.toBe(second);
});
