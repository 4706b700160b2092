import { describe, expect, it } from 'vitest';
import type { Passage } from '../../../src/knowledge/large/passage-record.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';
import {
  hostArticle,
  hostWith,
  Killed,
  killedAfter,
  mapStorage,
  survives,
  workThrough,
} from '../library/library-for-test.ts';
import { largeLibrary, manifestNow, passagesShown } from './large-library.ts';
import { lateIndexes } from './late-index.ts';

const START = 1_800_000_000_000;
const DELAYS = { lateMs: 3000, lingerMs: 20_000 };

/** Several passages long. */
const longText = (topic: string): string =>
  [1, 2, 3, 4]
    .map((part) => `# Part ${part}\n\n${`The ${topic} has a rule in part ${part}. `.repeat(40)}`)
    .join('\n\n');

const ids = ['a.md', 'b.md', 'c.md', 'd.md', 'e.md'];
const articlesOf = (topics: Record<string, string>) =>
  Object.entries(topics).map(([id, topic]) => hostArticle(id, longText(topic)));
const BEFORE = Object.fromEntries(ids.map((id) => [id, `${id} before`]));
const AFTER = { ...BEFORE, 'b.md': 'b.md after', 'd.md': 'd.md after', 'f.md': 'f.md after' };

/** A base with an edition, on whose host some articles are changed and added; one of the changed ones will be deleted. */
async function startWithEdition() {
  const clock = { now: START };
  const indexes = lateIndexes(clock, DELAYS);
  const host = hostWith(articlesOf(BEFORE));
  const stored = { sql: nodeSql(), editionStorage: mapStorage() };
  const parts = largeLibrary(host, { indexes, clock, ...stored });
  parts.library.startSync({});
  await workThrough(parts, { withinMs: 60_000 });
  host.articles = articlesOf(AFTER);
  return { clock, indexes, host, stored };
}

/** Versions of each article that are shown, and of how many passages. */
const versionsOf = (passages: readonly Passage[]): Map<string, Map<string, number>> => {
  const versions = new Map<string, Map<string, number>>();
  for (const { article, version } of passages) {
    const own = versions.get(article.id) ?? new Map<string, number>();
    own.set(version, (own.get(version) ?? 0) + 1);
    versions.set(article.id, own);
  }
  return versions;
};

describe('a library in large mode whose process ends between any two steps', () => {
  /** @returns Whether the process has ended before all was done. */
  const crashAfter = async (writes: number): Promise<boolean> => {
    const { clock, indexes, host, stored } = await startWithEdition();
    const mortal = killedAfter(writes, stored);
    // A call of the index counts as a write.
    indexes.onCall = () => void mortal.sql.run('SELECT 1');
    const faults: unknown[] = [];
    const isAlive = await survives(async () => {
      const first = largeLibrary(host, { indexes, clock, ...mortal });
      first.library.startSync({ full: true });
      await first.library.work();
      await first.library.deleteArticle('b.md');
      await workThrough(first, { withinMs: 30_000 });
      faults.push(...first.faults);
    });
    const isEnded = !isAlive || faults.some((fault) => fault instanceof Killed);
    indexes.onCall = () => {};
    const parts = largeLibrary(host, { indexes, clock, ...stored });
    await expectWhole(parts, indexes);
    // A deletion that was not answered is published within five seconds.
    const isAnswered = await parts.library.deleteArticle('b.md');
    const hiddenBy = clock.now + (isAnswered ? 0 : 5000);
    for (let at = 0; at < 40; at += 1) {
      const shown = await expectWhole(parts, indexes);
      if (clock.now >= hiddenBy) expect(versionsOf(shown).has('b.md')).toBe(false);
      clock.now += 500;
      await parts.library.work();
    }
    parts.library.startSync({ full: true });
    await workThrough(parts, { withinMs: 2_000_000 });
    const shown = await expectWhole(parts, indexes);
    expect(shown.map(({ chunk }) => chunk.text).join('\n')).toContain('d.md after');
    expect([...versionsOf(shown).keys()].sort()).toEqual(['a.md', 'c.md', 'd.md', 'e.md', 'f.md']);
    const manifest = await manifestNow(parts.library);
    expect(manifest.tombstones).toEqual({});
    expect(indexes.visible(manifest.namespace)).toHaveLength(shown.length);
    return isEnded;
  };

  const expectWhole = async (
    { library }: ReturnType<typeof largeLibrary>,
    indexes: ReturnType<typeof lateIndexes>,
  ): Promise<Passage[]> => {
    const shown = await passagesShown(await manifestNow(library), indexes);
    for (const [article, versions] of versionsOf(shown))
      expect([article, [...versions.values()]]).toEqual([article, [4]]);
    const others = ids.filter((id) => id !== 'b.md');
    expect([...versionsOf(shown).keys()]).toEqual(expect.arrayContaining(others));
    return shown;
  };

  it.each([0, 1, 2, 3, 4, 5])('loses nothing and shows nothing wrong (%i)', async (from) => {
    let count = 0;
    for (let writes = 2 + from; writes < 200; writes += 48)
      if (await crashAfter(writes)) count += 1;
    expect(count).toBeGreaterThan(1);
  });
});
