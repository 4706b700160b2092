import { covers } from '../signing/capabilities.ts';
import { type Amounts, type Budget, MAX_CAPABILITIES } from '../signing/limits.ts';
import { CAPABILITY } from '../signing/link-claims.ts';

/** The share of the time that delegates get: the rest is for joining their answers. Milliseconds. */
export const timeToAsk = (remainingMs: number): number =>
  Math.floor(remainingMs - Math.min(JOINING_RESERVE_MS, remainingMs / 20));

/** Timeout of a target that has a fallback. Milliseconds. */
export const timeOfFirst = (remainingMs: number): number => Math.floor(remainingMs * FIRST_SHARE);

/** Whether a call that failed after `elapsedMs` can be retried, after a pause, with a chance of an answer. */
export const isTimeForRetry = (remainingMs: number, elapsedMs: number): boolean =>
  remainingMs - RETRY_DELAY_MS >= Math.max(RETRY_MINIMUM_MS, elapsedMs);

export const RETRY_DELAY_MS = 30;
const JOINING_RESERVE_MS = 15;
const FIRST_SHARE = 0.6;
const RETRY_MINIMUM_MS = 100;

/** Divides the remaining budget into `count` shares that differ by one at most, larger ones first; each has a call if enough are left. */
export const sharesOf = (budget: Budget, count: number): Amounts[] =>
  Array.from({ length: count }, (_, index) =>
    leftOf(budget, (left) => Math.floor(left / count) + (index < left % count ? 1 : 0)),
  );

/**
 * The budgets that one call hands down to its target, the call itself excluded. Half is reserved for a fallback; otherwise one call for a
 * retry, if that is a small part of what is left.
 */
export const handedDown = (budget: Budget, { hasFallback }: { hasFallback: boolean }): Amounts => {
  const calls = Math.floor(budget.left('calls')) - 1;
  if (hasFallback) return { ...leftOf(budget, (left) => Math.floor(left / 2)), calls: Math.floor(calls / 2) };
  return { ...leftOf(budget), calls: calls >= RETRY_RESERVED_FROM ? calls - 1 : calls };
};

/** The remaining limited amounts, rounded down. */
const leftOf = (budget: Budget, part: (left: number) => number = (left) => left): Amounts =>
  Object.fromEntries(budget.names.map((name) => [name, part(Math.floor(budget.left(name)))]));

const RETRY_RESERVED_FROM = 4;

/** Divides a limit fairly: each gets what it wants, or the same share as all others whose wish exceeds it (max-min fairness). */
export const fairShares = (wanted: readonly number[], limit: number): number[] => {
  const shares = wanted.map(() => 0);
  let left = limit;
  const smallestFirst = wanted.map((count, index) => ({ count, index })).toSorted((a, b) => a.count - b.count);
  for (const [done, { count, index }] of smallestFirst.entries()) {
    const share = Math.min(count, Math.floor(left / (wanted.length - done)));
    shares[index] = share;
    left -= share;
  }
  return shares;
};

/**
 * The capabilities of a context that are handed down with a question: those that read. A question may contain untrusted text, so its
 * recipient can neither write nor send anything in the user's name. A wildcard becomes the capabilities below it that read. `undefined`
 * when none is removed, so that the link need not repeat the list.
 *
 * @param options.isTainted The question has words that its asker did not say: they may be instructed by an article or another librarian,
 * and come from what the asker alone may read. A web search would send them out, so its capability is removed too.
 */
export const readingCapabilities = (
  held: readonly string[],
  { isTainted = false }: { isTainted?: boolean } = {},
): readonly string[] | undefined => {
  const mayStay = (capability: string) => onlyReads(capability) && !(isTainted && capability === WEB_SEARCH);
  if (held.every(mayStay)) return undefined;
  const kept = held.flatMap((capability) => (onlyReads(capability) ? [capability] : readingPartOf(capability)));
  const handed = [...new Set(kept)].filter((capability) => CAPABILITY.test(capability) && mayStay(capability));
  return handed.slice(0, MAX_CAPABILITIES);
};

/** Neither a write or send capability, nor a wildcard, which may include one. */
const onlyReads = (capability: string): boolean =>
  !capability.endsWith('*') &&
  !capability.endsWith(':write') &&
  !/^(?:webhook(?::|$)|tool:web(?::|$))/.test(capability);

const readingPartOf = (capability: string): string[] => {
  if (!capability.endsWith('*') || /^(?:webhook|tool):/.test(capability)) return [];
  const named = READING.filter((reading) => covers([capability], reading));
  return capability === '*' ? named : [`${capability.slice(0, -2)}:read`, ...named];
};

/** The only reading capability that sends the text of a question out of the deployment. */
const WEB_SEARCH = 'web:search';
/** The capabilities of our functions that read. */
const READING = ['kb:read', 'memory:read', 'sql:read', WEB_SEARCH, 'support:analyze'];
