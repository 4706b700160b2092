/** Bytes of memories in one answer of a store, but for the last one: 4 MiB. Escaped as JSON they may be four times that. */
export const MAX_ANSWER_BYTES = 4_194_304;

/** Places that are looked through for one answer. */
export const EXAMINED = 10_000;

/**
 * Words of a search: how many memories the rarest of them may stand in together for all of these to be candidates; how many of the
 * newest memories are, where even the rarest stands in more; and how often a candidate is then looked for among those of a commoner
 * word. Redis serves nobody else meanwhile: 20 to 30 ms with 60,000 memories.
 */
export const POSTINGS = 10_000;
export const NEWEST = 5000;
export const LOOKUPS = 10_000;
