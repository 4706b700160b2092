import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  articleHash,
  isVisible,
  type Passage,
  passageRecord,
  readPassage,
  visibleOnly,
} from '../../../src/knowledge/large/passage-record.ts';
import { meetsFilter } from '../../../src/platform/storage/vector-index.ts';

const KEY = 'ab'.repeat(32);
const VECTORS = { dense: [1, 0], sparse: { indices: [1], values: [1] } };

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const passages: fc.Arbitrary<Passage> = fc.record({
  article: fc.record({
    id: fc.string({ minLength: 1, maxLength: 20 }),
    title: text,
    url: text,
    lastUpdated: text,
    intents: fc.array(text, { maxLength: 3 }),
    devices: fc.array(text, { maxLength: 3 }),
    author: fc.option(text, { nil: undefined }),
    language: fc.option(text, { nil: undefined }),
    translationKey: fc.option(text, { nil: undefined }),
  }),
  version: fc.constantFrom('0a', '1b'),
  chunk: fc.record({
    position: fc.nat(),
    start: fc.nat(),
    end: fc.nat(),
    tokenCount: fc.nat(),
    headingPath: fc.array(text, { maxLength: 3 }),
    text,
  }),
  born: fc.integer({ min: 1, max: 5 }),
  audienceList: fc.nat(3),
});

const recordOf = (passage: Passage, workspace = 'acme', key = KEY) =>
  passageRecord(passage, { workspace, key, ...VECTORS });

describe('a passage in the index', () => {
  it('is read as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(passages, async (passage) => {
        const record = await recordOf(passage);
        expect(record.id).toMatch(/^[0-9a-f]{32}$/);
        expect(await readPassage(record, { workspace: 'acme', key: KEY })).toEqual(passage);
      }),
    );
  });
  it('is refused when a character of its data, its id, the workspace or the key is another', async () => {
    await fc.assert(
      fc.asyncProperty(passages, fc.nat(), async (passage, place) => {
        const { id, data } = await recordOf(passage);
        const at = place % data.length;
        const changed = `${data.slice(0, at)}~${data.slice(at + 1)}`;
        const own = { workspace: 'acme', key: KEY };
        if (changed !== data) expect(await readPassage({ id, data: changed }, own)).toBeUndefined();
        const other = await recordOf(passage, 'other');
        expect(await readPassage(other, own)).toBeUndefined();
        expect(await readPassage({ id, data }, { ...own, key: 'cd'.repeat(32) })).toBeUndefined();
      }),
    );
  });
  it('has another id when it is born again, and the same one when the step is repeated', async () => {
    const [passage] = fc.sample(passages, { numRuns: 1, seed: 1 });
    if (passage === undefined) throw new Error('no sample');
    const { id } = await recordOf(passage);
    expect((await recordOf(passage)).id).toBe(id);
    expect((await recordOf({ ...passage, born: passage.born + 1 })).id).not.toBe(id);
    expect((await recordOf({ ...passage, audienceList: 4 })).id).not.toBe(id);
  });
  it('is shown from its birth on, until a later tombstone, to those who may read it', async () => {
    await fc.assert(
      fc.asyncProperty(
        passages,
        fc.integer({ min: 1, max: 5 }),
        fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
        fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        async (passage, edition, tombstone, readable) => {
          const hash = articleHash(passage.article.id);
          const tombstones = new Map(tombstone === undefined ? [] : [[hash, tombstone]]);
          const visibility = { edition, tombstones, readable };
          const isDead = tombstone !== undefined && passage.born < tombstone;
          const shown = isVisible(passage, visibility);
          expect(shown).toBe(
            passage.born <= edition && !isDead && readable[passage.audienceList] === true,
          );
          const { metadata } = await recordOf(passage);
          // What is shown passes the filter of the index; what passes may still be dead.
          if (shown) expect(meetsFilter(metadata, visibleOnly(visibility))).toBe(true);
          else if (!isDead) expect(meetsFilter(metadata, visibleOnly(visibility))).toBe(false);
        },
      ),
    );
  });
  it('asks for no audiences where the filter would be too long', () => {
    const readable = Array.from({ length: 300 }, (_, at) => at > 0);
    expect(visibleOnly({ edition: 1, tombstones: new Map(), readable })).toEqual([
      { field: 'b', atMost: 1 },
    ]);
  });
});
