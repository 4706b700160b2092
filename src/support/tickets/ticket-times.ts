import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';

/** Timeouts and retries of the work on tickets; times in milliseconds. */
export interface TicketTimes {
  /** Wait after the first failed attempt; doubles up to 600 times as much. */
  retryMs: number;
  /** How long a write with an unknown outcome may still take effect; it is repeated only afterwards. */
  settleMs: number;
  /** Timeout of one call of the helpdesk's API. */
  callMs: number;
  /** Timeout of one analysis. */
  analyseMs: number;
  /** Attempts before a job is dead. */
  attempts: number;
  /** Retention of ended jobs after their last change; marks stay. */
  keepMs: number;
}

/** Variables of the webhooks function; all may be absent. */
export interface TicketTimeVariables {
  TICKET_RETRY_MS?: string | undefined;
  TICKET_SETTLE_MS?: string | undefined;
  TICKET_CALL_MS?: string | undefined;
  TICKET_ANALYSE_MS?: string | undefined;
  TICKET_ATTEMPTS?: string | undefined;
  TICKET_KEEP_DAYS?: string | undefined;
}

const within = (least: number, most: number, usual: number) =>
  z.preprocess((text) => (text === undefined || text === '' ? usual : Number(text)), z.int().min(least).max(most));

const Variables = z.object({
  TICKET_RETRY_MS: within(10, 60_000, 1000),
  TICKET_SETTLE_MS: within(50, 600_000, 20_000),
  TICKET_CALL_MS: within(100, 30_000, 10_000),
  TICKET_ANALYSE_MS: within(100, 60_000, 15_000),
  TICKET_ATTEMPTS: within(1, 100, 24),
  TICKET_KEEP_DAYS: within(1, 365, 30),
});

/** A variable is out of range. */
class TicketTimesRefused extends Error {
  override readonly name = 'TicketTimesRefused';
}

const DAY_MS = 86_400_000;

/** @throws {TicketTimesRefused} When a variable is out of range. */
export const readTicketTimes = (variables: TicketTimeVariables): TicketTimes => {
  const read = readAs(Variables, { ...variables });
  if (!read.ok) throw new TicketTimesRefused(`Cannot use ${read.issues[0]?.path}: it ${read.issues[0]?.message}`);
  const { value } = read;
  return {
    retryMs: value.TICKET_RETRY_MS,
    settleMs: value.TICKET_SETTLE_MS,
    callMs: value.TICKET_CALL_MS,
    analyseMs: value.TICKET_ANALYSE_MS,
    attempts: value.TICKET_ATTEMPTS,
    keepMs: value.TICKET_KEEP_DAYS * DAY_MS,
  };
};

const MAX_DOUBLINGS = 20;
const MAX_TIMES = 600;

/** Wait after the `failures`-th failure in a row: doubling, with a quarter of jitter either way so that many do not come at once. */
export const backOffMs = (failures: number, { retryMs, random }: { retryMs: number; random: () => number }): number => {
  const times = Math.min(2 ** Math.min(Math.max(failures - 1, 0), MAX_DOUBLINGS), MAX_TIMES);
  return Math.ceil(retryMs * times * (0.75 + random() / 2));
};

const MAX_SPREAD_MS = 60_000;

/** Random delay after the end of a pause, so that not all waiting tickets continue at once. */
export const spreadMs = (pauseMs: number, random: () => number): number =>
  Math.ceil(random() * Math.min(Math.max(pauseMs, 0), MAX_SPREAD_MS));
