import {
  articleHash,
  isVisible,
  type Visibility,
} from '../../../src/knowledge/large/passage-record.ts';
import {
  type deletionOf,
  type dropDueAt,
  type EditionNumbers,
  type isIndexed,
  type isRemoved,
  nextNumber,
  removalDueAt,
  tombstoneAfter,
} from '../../../src/knowledge/large/publication-rule.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';

/** The decisions of a library that a test can replace by wrong ones. */
export interface Rule {
  deletionOf: typeof deletionOf;
  isIndexed: typeof isIndexed;
  dropDueAt: typeof dropDueAt;
  isRemoved: typeof isRemoved;
}

/** What readers saw, over all runs. Everything but `shown` and `deletions` has to be 0. */
export interface Sight {
  shown: number;
  /** Records of another version of an article than the edition has. */
  wrong: number;
  /** Records of articles that the edition does not have. */
  deleted: number;
  /** Articles of an edition that a reader saw in part, or not at all. */
  lost: number;
  /** Articles deleted, and how many of them while an edition was being published. */
  deletions: number;
  deletionsMeanwhile: number;
}

interface Manifest extends Visibility {
  /** Born of each article that the edition has. */
  truth: Map<string, number>;
}

interface IndexedRecord {
  article: string;
  born: number;
  writtenAt: number;
  visibleAt: number;
  goneAt: number;
  isDeleted: boolean;
}

/** How late one run is, in steps. */
interface Delays {
  upsert: number;
  remove: number;
  manifest: number;
}

const STEPS = 400;
const ARTICLES = Array.from({ length: 30 }, (_, at) => `a${at}`);
const HASHES = new Map(ARTICLES.map((id) => [id, articleHash(id)]));
const PASSAGES = 3;
const ARTICLE = { title: '', url: '', intents: [], devices: [], lastUpdated: '' };

/**
 * Runs libraries that publish, change and delete articles over an index that shows what was written late, keeps what was deleted for a while, and
 * loses deletions, for readers whose manifests are old.
 */
export function simulate(
  rule: Rule,
  { runs, seed, deletes }: { runs: number; seed: number; deletes: boolean },
): Sight {
  const sight = { shown: 0, wrong: 0, deleted: 0, lost: 0, deletions: 0, deletionsMeanwhile: 0 };
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  for (let run = 0; run < runs; run += 1) {
    const delays = { upsert: 1 + below(16), remove: below(6), manifest: 1 + below(3) };
    const library = simulatedLibrary(rule, delays, below);
    for (let now = 0; now < STEPS; now += 1) {
      library.step(now);
      if (deletes && below(6) === 0) library.deleteOne(now, sight);
      library.read(now, sight);
    }
  }
  return sight;
}

const simulatedLibrary = (rule: Rule, delays: Delays, below: (limit: number) => number) => {
  let numbers: EditionNumbers = { edition: 0, highest: 0 };
  const truth = new Map<string, number>();
  const tombstones = new Map<string, number>();
  let pending:
    | { number: number; changed: Set<string>; gone: Set<string>; zeros: number }
    | undefined;
  let dead: { article: string; born: number; deadAt: number; removedAt?: number }[] = [];
  const index = simulatedIndex(delays, below);
  const manifests: { at: number; manifest: Manifest }[] = [];

  const flip = (now: number): void => {
    const manifest = {
      edition: numbers.edition,
      tombstones: new Map([...tombstones].map(([id, born]) => [HASHES.get(id) ?? id, born])),
      readable: [true],
      truth: new Map(truth),
    };
    manifests.push({ at: now, manifest });
  };

  const bury = (article: string, now: number): void => {
    for (const born of index.bornOf(article)) dead.push({ article, born, deadAt: now });
  };

  const begin = (now: number): void => {
    const number = nextNumber(numbers);
    numbers = { ...numbers, highest: number };
    const changed = new Set<string>();
    const gone = new Set<string>();
    for (let count = 1 + below(5); count > 0; count -= 1) {
      const article = ARTICLES[below(ARTICLES.length)] ?? '';
      if (changed.has(article) || gone.has(article)) continue;
      if (truth.has(article) && below(3) === 0) gone.add(article);
      else changed.add(article);
    }
    for (const article of changed) index.upsert({ article, born: number }, now);
    pending = { number, changed, gone, zeros: 0 };
  };

  const publish = (now: number): void => {
    if (pending === undefined) return;
    pending.zeros = index.pending(now) === 0 ? pending.zeros + 1 : 0;
    const { number, changed, gone, zeros } = pending;
    const sample = [...changed].slice(0, 3);
    const hits = sample.filter((article) => index.has({ article, born: number }, now)).length;
    if (!rule.isIndexed({ zeros, sample: sample.length, hits })) return;
    pending = undefined;
    numbers = { ...numbers, edition: number };
    for (const article of [...changed, ...gone]) {
      for (const born of index.bornOf(article))
        if (born < number) dead.push({ article, born, deadAt: now });
      tombstones.set(article, tombstoneAfter(tombstones.get(article), number));
      truth.delete(article);
    }
    for (const article of changed) truth.set(article, number);
    flip(now);
  };

  const clean = (now: number): void => {
    for (const each of dead) {
      if (each.removedAt !== undefined || removalDueAt(each.deadAt, delays.manifest) > now)
        continue;
      index.remove(each, now);
      const answer = { stored: index.storedCount(each), pending: index.pending(now) };
      if (rule.isRemoved(answer)) each.removedAt = now;
    }
    const before = tombstones.size;
    for (const article of tombstones.keys()) {
      const own = dead.filter((each) => each.article === article);
      const isOver = own.every(({ removedAt }) => {
        const dueAt = rule.dropDueAt(removedAt, delays.remove);
        return dueAt !== undefined && dueAt <= now;
      });
      if (!isOver || pending?.changed.has(article)) continue;
      tombstones.delete(article);
      dead = dead.filter((each) => each.article !== article);
    }
    if (tombstones.size < before) flip(now);
  };

  flip(0);
  return {
    step: (now: number): void => {
      clean(now);
      if (pending === undefined && below(4) === 0) begin(now);
      publish(now);
    },
    deleteOne: (now: number, sight: Sight): void => {
      const article = [...truth.keys()][below(truth.size)];
      if (article === undefined) return;
      sight.deletions += 1;
      if (pending !== undefined) sight.deletionsMeanwhile += 1;
      const { tombstone, ...rest } = rule.deletionOf(numbers);
      numbers = rest;
      pending?.changed.delete(article);
      pending?.gone.delete(article);
      truth.delete(article);
      bury(article, now);
      tombstones.set(article, tombstone);
      flip(now);
    },
    read: (now: number, sight: Sight): void => {
      const at = now - below(delays.manifest + 1);
      const { manifest } = manifests.findLast((each) => each.at <= at) ?? manifests[0] ?? {};
      if (manifest !== undefined) look(index.visible(now), manifest, sight);
    },
  };
};

const look = (records: readonly IndexedRecord[], manifest: Manifest, sight: Sight): void => {
  const seen = new Map<string, number>();
  for (const { article, born } of records) {
    if (!isVisible({ article: { ...ARTICLE, id: article }, born, audienceList: 0 }, manifest))
      continue;
    sight.shown += 1;
    const own = manifest.truth.get(article);
    if (own === born) seen.set(article, (seen.get(article) ?? 0) + 1);
    else if (own === undefined) sight.deleted += 1;
    else sight.wrong += 1;
  }
  for (const article of manifest.truth.keys()) if (seen.get(article) !== PASSAGES) sight.lost += 1;
};

const simulatedIndex = (delays: Delays, below: (limit: number) => number) => {
  let records: IndexedRecord[] = [];
  const isOf = (of: { article: string; born: number }) => (record: IndexedRecord) =>
    record.article === of.article && record.born === of.born;
  const isSeen = (now: number) => (record: IndexedRecord) =>
    record.visibleAt <= now && record.goneAt > now;
  return {
    upsert: (of: { article: string; born: number }, now: number): void => {
      for (let passage = 0; passage < PASSAGES; passage += 1)
        records.push({
          ...of,
          writtenAt: now,
          visibleAt: now + below(delays.upsert + 1),
          goneAt: Number.POSITIVE_INFINITY,
          isDeleted: false,
        });
    },
    /** As it was a step before, every other time. */
    pending: (now: number): number => {
      const at = now - below(2);
      return records.filter(({ writtenAt, visibleAt }) => writtenAt <= at && visibleAt > at).length;
    },
    has: (of: { article: string; born: number }, now: number): boolean =>
      records.some((record) => isOf(of)(record) && isSeen(now)(record)),
    bornOf: (article: string): Set<number> =>
      new Set(
        records
          .filter((each) => each.article === article && !each.isDeleted)
          .map(({ born }) => born),
      ),
    /** One in eight is lost. */
    remove: (of: { article: string; born: number }, now: number): void => {
      if (below(8) === 0) return;
      for (const record of records.filter(isOf(of))) {
        if (record.isDeleted) continue;
        record.isDeleted = true;
        record.goneAt = Math.max(now, record.visibleAt) + below(delays.remove + 1);
      }
    },
    storedCount: (of: { article: string; born: number }): number =>
      records.filter((record) => isOf(of)(record) && !record.isDeleted).length,
    visible: (now: number): IndexedRecord[] => {
      records = records.filter(({ goneAt }) => goneAt > now);
      return records.filter(isSeen(now));
    },
  };
};
