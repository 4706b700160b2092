import { describe, expect, it } from 'vitest';
import { describeCause } from '../../../src/platform/log.ts';
import type { StoreFailure } from '../../../src/platform/storage/store-unavailable.ts';
import type { Fault } from '../../../tools/stand-ins/server/faults.ts';
import type { LocalServer } from '../../../tools/stand-ins/server/local-server.ts';
import { loopbackServer } from '../http/loopback-server.ts';

interface Upstash {
  server(): LocalServer;
  /** Operations of an adapter; each makes one request. */
  calls(access: { url?: string; token?: string; timeoutMs?: number }): Record<string, Call>;
  /** Strings in a command that no error may contain. */
  secrets: readonly string[];
}
type Call = (signal?: AbortSignal) => Promise<unknown>;

const FAULTS: [name: string, fault: Fault, reason: StoreFailure, requests: number][] = [
  ['refuses the token', { kind: 'status', status: 401 }, 'refused', 1],
  [
    'refuses the request',
    { kind: 'status', status: 422, message: 'Invalid: 0.123456789' },
    'refused',
    1,
  ],
  ['limits the rate', { kind: 'status', status: 429 }, 'rate_limited', 1],
  ['fails', { kind: 'status', status: 500 }, 'unavailable', 1],
  ['is down behind a proxy', { kind: 'html-502' }, 'unavailable', 1],
  [
    'redirects',
    { kind: 'status', status: 307, headers: { location: 'http://127.0.0.1:1/' } },
    'refused',
    1,
  ],
  ['does not answer', { kind: 'hang-before-headers' }, 'unavailable', 1],
  ['hangs in the middle of a reply', { kind: 'hang-in-body' }, 'unavailable', 1],
  ['drops the connection', { kind: 'reset' }, 'unavailable', 2],
  ['drops the connection in the middle of a reply', { kind: 'reset-in-body' }, 'unavailable', 1],
  ['answers with malformed JSON', { kind: 'malformed-json' }, 'malformed', 1],
  ['answers with truncated JSON', { kind: 'truncated-json' }, 'malformed', 1],
];

/** Timeouts for a service that hangs, and for one that fails by itself on a busy machine. */
const HANGING_MS = 300;
const TIMEOUT_MS = 10_000;

/** Tests that every Upstash adapter reports a faulty service. */
export function describeUpstashFaults(name: string, { server, calls, secrets }: Upstash): void {
  const TOKEN = 'token-that-is-never-logged';
  const expectFailure = async (call: Call, reason: StoreFailure, signal?: AbortSignal) => {
    const error = await call(signal).catch((thrown: unknown) => thrown);
    expect(error, String(call)).toMatchObject({ name: 'StoreUnavailable', reason });
    const texts = [
      String(error),
      describeCause(error),
      JSON.stringify(error),
      error instanceof Error ? error.stack : '',
    ];
    for (let cause = error; cause instanceof Error; cause = cause.cause) texts.push(cause.message);
    for (const secret of [...secrets, TOKEN]) expect(texts.join('\n')).not.toContain(secret);
  };
  const failWith = (fault: Fault) => {
    server().faults.none();
    server().faults.always(fault);
    server().forgetRequests();
  };
  describe(`${name}: faults`, () => {
    it.each(FAULTS)(
      'throws StoreUnavailable, without values, when it %s',
      async (_name, fault, reason, requests) => {
        const timeoutMs = fault.kind.startsWith('hang') ? HANGING_MS : TIMEOUT_MS;
        for (const call of Object.values(calls({ timeoutMs }))) {
          failWith(fault);
          await expectFailure(call, reason);
          // A request can arrive after its timeout on a busy machine.
          await expect
            .poll(() => server().requests.length, { interval: 5, timeout: 60_000 })
            .toBe(requests);
        }
      },
    );
    it('throws `refused` for a wrong token, and `unavailable` when the connection is refused', async () => {
      const { url, close } = await loopbackServer(() => {});
      await close();
      const nowhere = { url, token: TOKEN, timeoutMs: TIMEOUT_MS };
      for (const call of Object.values(calls({ token: TOKEN })))
        await expectFailure(call, 'refused');
      for (const call of Object.values(calls(nowhere))) await expectFailure(call, 'unavailable');
    });
    it.each(['hang-before-headers', 'hang-in-body', 'reset'] as const)(
      'is `aborted` by the caller: %s',
      async (kind) => {
        for (const call of Object.values(calls({ timeoutMs: TIMEOUT_MS }))) {
          failWith({ kind });
          await expectFailure(call, 'aborted', AbortSignal.timeout(30));
        }
      },
    );
    it('succeeds when only the first connection is dropped', async () => {
      for (const call of Object.values(calls({}))) {
        server().faults.none();
        server().faults.next(1, { kind: 'reset' });
        await call();
      }
    });
  });
}
