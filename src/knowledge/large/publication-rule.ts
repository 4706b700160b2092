/**
 * The rule by which a library publishes over an index that is eventually consistent, as decisions without a database or a clock of their
 * own. Records never change: each has the number of the edition that it was born in, and a manifest names the current edition and the
 * tombstones of articles. What a manifest shows is `isVisible` of `passage-record.ts`.
 */

/** The numbers of a library. */
export interface EditionNumbers {
  /** The current edition; 0 before the first. */
  edition: number;
  /** The highest number that records were given: that of the edition being published, else the current one. */
  highest: number;
}

/**
 * What deleting an article changes: its records born below the tombstone are dead. The edition stays, since its next number may be that
 * of an edition being published, whose records would then be shown before all of them are there. The tombstone is above every number
 * given out, so that records of the article that are on their way are dead too.
 */
export function deletionOf({ edition, highest }: EditionNumbers): EditionNumbers & {
  tombstone: number;
} {
  return { edition, highest, tombstone: highest + 1 };
}

/** The number of the next edition to publish, and of its records. */
export function nextNumber({ highest }: EditionNumbers): number {
  return highest + 1;
}

/** The tombstone of an article whose new records were born in `born`. One that a deletion left may be higher, and counts. */
export function tombstoneAfter(tombstone: number | undefined, born: number): number {
  return Math.max(tombstone ?? 0, born);
}

/**
 * Whether an edition may be shown: a count of pending records of 0 is itself late, so it has to be seen twice in a row, and a sample of
 * the new records has to be found by queries.
 */
export function isIndexed({
  zeros,
  sample,
  hits,
}: {
  /** How often in a row no record was pending. */
  zeros: number;
  /** Records that were looked for, and how many of them were found. */
  sample: number;
  hits: number;
}): boolean {
  return zeros >= 2 && hits >= sample;
}

/** Age of the oldest manifest that a reader uses, in milliseconds. */
const MANIFEST_AGE_MS = 300_000;
/** Queries may return a record for a while after it was deleted. */
const LINGER_MS = 600_000;

/** When the records of a dead article are deleted: no reader has a manifest that shows them then. */
export function removalDueAt(deadAt: number, ageMs = MANIFEST_AGE_MS): number {
  return deadAt + ageMs + 1;
}

/**
 * Whether deleted records are gone: a request may have been lost, and a record that queries do not find yet when it is deleted may still
 * appear.
 */
export function isRemoved({
  stored,
  pending,
}: {
  /** How many of the records the index still stores. */
  stored: number;
  /** How many of all records queries do not find yet. */
  pending: number;
}): boolean {
  return stored === 0 && pending === 0;
}

/**
 * When the tombstone of an article is dropped, once all its dead records are gone; never before that is known.
 *
 * @param removedAt When the index was asked and `isRemoved`, in milliseconds since 1970.
 */
export function dropDueAt(removedAt: number | undefined, lingerMs = LINGER_MS): number | undefined {
  return removedAt === undefined ? undefined : removedAt + lingerMs + 1;
}
