/**
 * Whether one of the held capabilities allows the wanted one. `*` stands for one or more segments and only at the end: `kb:*` covers
 * `kb:read`, `kb:hr:read` and `kb:*`, not `kb`.
 *
 * @example
 * covers(['kb:*'], 'kb:read'); // true
 * covers(['kb:read'], 'kb:write'); // false
 */
export function covers(held: readonly string[], wanted: string): boolean {
  return held.some((capability) => coversOne(capability, wanted));
}

/** The intersection of two lists of capabilities: every returned item is covered by both. */
export function intersectCapabilities(
  held: readonly string[],
  wanted: readonly string[],
): string[] {
  const kept = wanted.filter((capability) => covers(held, capability));
  const narrower = held.filter(
    (capability) => covers(wanted, capability) && !kept.includes(capability),
  );
  return [...new Set([...kept, ...narrower])];
}

const coversOne = (held: string, wanted: string): boolean => {
  if (held === wanted || held === '*') return true;
  return (
    held.endsWith(':*') && wanted.length > held.length - 1 && wanted.startsWith(held.slice(0, -1))
  );
};

/** An audience that can be held: a name, or `*` for all of them. */
export const AUDIENCE = /^(?!none$)(?:[a-z0-9][a-z0-9._-]{0,63}|\*)$/;

/** The audience of an article that only those read who read everything: no key and no context can hold it. */
export const NO_ONE = 'none';

/**
 * Whether who holds some audiences may read what names others: one of them is enough, and what names none is for everybody.
 *
 * @param held Of a context.
 * @param named Of an article.
 */
export function mayRead(held: readonly string[], named: readonly string[] = []): boolean {
  return named.length === 0 || named.some((audience) => covers(held, audience));
}

/**
 * Whether who holds some audiences may read what was made with others, such as an answer, a gap or a turn of a conversation: any of them
 * may have contributed to it, so all of them are needed.
 *
 * @param held Of the context that reads.
 * @param askedWith Of the context that asked.
 */
export function mayReadAsked(held: readonly string[], askedWith: readonly string[] = []): boolean {
  return askedWith.every((audience) => covers(held, audience));
}
