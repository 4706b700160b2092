/**
 * What a librarian gets of the time that its caller waits: an answer, also one that only says TIMEOUT, has to arrive
 * before the caller gives up. Milliseconds.
 */
export const timeToAnswer = (remainingMs: number): number =>
  Math.floor(remainingMs - Math.min(REPLY_RESERVE_MS, remainingMs / 10));

/** What those whom it asks get of that: the rest is for joining their answers. Milliseconds. */
export const timeToAsk = (remainingMs: number): number =>
  Math.floor(remainingMs - Math.min(JOINING_RESERVE_MS, remainingMs / 20));

/** How long the first target may take where another is to be asked when it fails. Milliseconds. */
export const timeOfFirst = (remainingMs: number): number => Math.floor(remainingMs * FIRST_SHARE);

/** Whether a call that failed after `elapsedMs` can be made once more, after a pause, with a chance to be answered. */
export const isTimeForRetry = (remainingMs: number, elapsedMs: number): boolean =>
  remainingMs - RETRY_PAUSE_MS >= Math.max(RETRY_MINIMUM_MS, elapsedMs);

/** Between a call and its retry. */
export const RETRY_PAUSE_MS = 30;
/**
 * Time that a target must have got before its silence is held against it. The time is the caller's choice: five short ones
 * must not close a librarian that takes seconds to think to everybody else in the workspace.
 */
export const FAIR_TIME_MS = 10_000;

const REPLY_RESERVE_MS = 40;
const JOINING_RESERVE_MS = 15;
const FIRST_SHARE = 0.6;
const RETRY_MINIMUM_MS = 100;
