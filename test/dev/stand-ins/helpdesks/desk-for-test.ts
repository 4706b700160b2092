import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeEach } from 'vitest';
import type { LocalDesk, LocalDeskId, NewTicket } from '../../../../src/dev/stand-ins/helpdesks/desk/local-desk.ts';
import { startHelpdesks } from '../../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';

interface Given {
  body?: unknown;
  /** Another token than the desk's. */
  token?: string;
}

/** One stand-in for the tests of a file, with a clock that they set, and requests in the form of its API. */
export const startDesk = async (
  id: LocalDeskId,
  ticket: NewTicket,
  authorizationOf: (token: string, desk: LocalDesk) => Record<string, string>,
) => {
  const clock = { now: 1_768_473_000_000 };
  const helpdesks = await startHelpdesks({ now: () => clock.now });
  const desk = helpdesks.desks[id];
  afterAll(() => helpdesks.stop());
  beforeEach(() => {
    helpdesks.faults.none();
    desk.limitRate(undefined);
  });
  /** `PUT /path`, or the path alone: a GET without a body, a POST with one. */
  const call = async (route: string, { body, token = desk.connection.apiToken }: Given = {}) => {
    const [path = '', method = body === undefined ? 'GET' : 'POST'] = route.split(' ').toReversed();
    const response = await fetch(path.startsWith('http') ? path : `${desk.apiUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...authorizationOf(token, desk) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text || 'null') : null,
    };
  };
  const hmacOf = (algorithm: string, text: string, encoding: 'hex' | 'base64') =>
    createHmac(algorithm, desk.connection.secrets[0] ?? '')
      .update(text)
      .digest(encoding);
  const seen = (ticketId: string) => desk.seenByCustomer(ticketId).map(({ body }) => body);
  return { helpdesks, desk, clock, call, hmacOf, seen, create: () => desk.createTicket(ticket) };
};

/** A body as the tool documents it. */
export const payload = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../../../helpdesk/fixtures/payloads/${name}.json`, import.meta.url), 'utf8'));

/** Documented members that a signed delivery or a reply lacks. */
export const lacksOf = (name: string, actual: unknown, freely: readonly string[] = []): string[] =>
  lacks(payload(name), typeof actual === 'string' ? JSON.parse(actual) : actual, freely);

/**
 * Paths of documented members that are missing in another body or have another type. `null` matches anything on either side; each
 * element of a list is compared with the first documented one.
 *
 * @param freely Paths with members of the customer's choice: `.custom_attributes`.
 */
export const lacks = (documented: unknown, actual: unknown, freely: readonly string[] = []): string[] =>
  lacksAt('', documented, actual, freely);

const lacksAt = (path: string, documented: unknown, actual: unknown, freely: readonly string[]): string[] => {
  if (freely.some((end) => path.endsWith(end)) || documented === null) return [];
  if (actual === undefined) return [`${path} is missing`];
  if (actual === null) return [];
  if (kindOf(documented) !== kindOf(actual)) return [`${path} is ${kindOf(actual)}, not ${kindOf(documented)}`];
  if (Array.isArray(documented) && Array.isArray(actual)) {
    const [first] = documented;
    return first === undefined ? [] : actual.flatMap((each, at) => lacksAt(`${path}[${at}]`, first, each, freely));
  }
  if (kindOf(documented) !== 'object') return [];
  return Object.entries(documented as object).flatMap(([name, value]) =>
    lacksAt(`${path}.${name}`, value, (actual as Record<string, unknown>)[name], freely),
  );
};

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);
