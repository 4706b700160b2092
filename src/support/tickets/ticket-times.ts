import {
  readSettings,
  type SettingsSchema,
  type Variables,
} from '../../platform/settings/settings.ts';
import { wholeNumber } from '../../platform/settings/values.ts';

/** Timeouts and retries of the work on tickets; times in milliseconds. */
export interface TicketTimes {
  /** Wait after the first failed attempt, in milliseconds; doubles up to 600 times this value, at most an hour. */
  retryMs: number;
  /** How long a write with an unknown outcome may still take effect; it is repeated only afterwards. */
  settleMs: number;
  /** Timeout of one call of the helpdesk's API. */
  callMs: number;
  /** Timeout of one analysis. */
  analyseMs: number;
  /** Attempts before a job is dead. */
  attempts: number;
  /** Tickets of a workspace that are worked on at once. */
  atOnce: number;
  /** Retention of ended jobs after their last change; marks stay. */
  keepMs: number;
}

export const ticketSettings = {
  TICKET_RETRY_MS: wholeNumber({
    from: 10,
    to: 60_000,
    usual: 1000,
    what: 'Wait before the first retry of a ticket; doubles up to 600 times this value, at most an hour ([tickets](tickets.md))',
  }),
  TICKET_SETTLE_MS: wholeNumber({
    from: 50,
    to: 600_000,
    usual: 20_000,
    what: 'How long a write to a helpdesk whose reply was lost may still take effect',
  }),
  TICKET_CALL_MS: wholeNumber({
    from: 100,
    to: 30_000,
    usual: 10_000,
    what: "Timeout of one call of a helpdesk's API",
  }),
  TICKET_ANALYSE_MS: wholeNumber({
    from: 100,
    to: 60_000,
    usual: 15_000,
    what: 'Timeout of the analysis of one message',
  }),
  TICKET_ATTEMPTS: wholeNumber({
    from: 1,
    to: 100,
    usual: 24,
    what: 'Attempts before a message is listed as dead',
  }),
  TICKET_AT_ONCE: wholeNumber({
    from: 1,
    to: 200,
    usual: 5,
    what: 'Tickets of a workspace that are worked on at once; more with a model, whose replies take seconds',
  }),
  TICKET_KEEP_DAYS: wholeNumber({
    from: 1,
    to: 365,
    usual: 30,
    what: 'Days that jobs of a ticket are kept ([retention](tickets.md#retention))',
  }),
} satisfies SettingsSchema;
export type TicketTimeVariables = Variables<typeof ticketSettings>;

const DAY_MS = 86_400_000;

/** @throws {SettingRefused} When a variable is out of range. */
export function readTicketTimes(variables: TicketTimeVariables): TicketTimes {
  const values = readSettings(ticketSettings, variables);
  return {
    retryMs: values.TICKET_RETRY_MS,
    settleMs: values.TICKET_SETTLE_MS,
    callMs: values.TICKET_CALL_MS,
    analyseMs: values.TICKET_ANALYSE_MS,
    attempts: values.TICKET_ATTEMPTS,
    atOnce: values.TICKET_AT_ONCE,
    keepMs: values.TICKET_KEEP_DAYS * DAY_MS,
  };
}
