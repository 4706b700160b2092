/** Bytes of memories in one answer of a store, but for the last one: 4 MiB. Escaped as JSON they may be four times that. */
export const MAX_ANSWER_BYTES = 4_194_304;

/** Places that are looked through for one answer. */
export const EXAMINED = 20_000;

/**
 * Words of a search: how many memories the rarest of them may stand in together for all of these to be candidates, and how often,
 * then, a candidate is looked for among those of a commoner word. Redis serves nobody else meanwhile.
 */
export const POSTINGS = 20_000;
export const LOOKUPS = 40_000;
