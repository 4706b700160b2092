/**
 * Whether one of the held capabilities allows the wanted one. `*` stands for one or more segments and only at the end: `kb:*` covers
 * `kb:read`, `kb:hr:read` and `kb:*`, not `kb`.
 */
export const covers = (held: readonly string[], wanted: string): boolean =>
  held.some((capability) => coversOne(capability, wanted));

/** The intersection of two lists of capabilities: every returned item is covered by both. */
export const intersectCapabilities = (held: readonly string[], wanted: readonly string[]): string[] => {
  const kept = wanted.filter((capability) => covers(held, capability));
  const narrower = held.filter((capability) => covers(wanted, capability) && !kept.includes(capability));
  return [...new Set([...kept, ...narrower])];
};

const coversOne = (held: string, wanted: string): boolean => {
  if (held === wanted || held === '*') return true;
  return held.endsWith(':*') && wanted.length > held.length - 1 && wanted.startsWith(held.slice(0, -1));
};
