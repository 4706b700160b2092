import { afterAll, afterEach, expect } from 'vitest';
import type { ServiceFailure } from '../../src/ai/openai-client.ts';
import {
  type OpenAIServer,
  QUOTA_USED_UP,
  startOpenAIServer,
} from '../../tools/stand-ins/openai/openai-server.ts';
import type { Fault } from '../../tools/stand-ins/server/faults.ts';

/** A server for the tests of a file, without faults, requests and scripts before each of them. */
export async function openaiForTest(): Promise<OpenAIServer> {
  const server = await startOpenAIServer();
  afterEach(() => {
    server.faults.none();
    server.forgetRequests();
    server.answerWith(undefined);
  });
  afterAll(() => server.stop());
  return server;
}

/** Faults of the service, and the reason that every adapter reports for them. */
export const FAULTS: [what: string, fault: Fault, reason: ServiceFailure][] = [
  ['it refuses the key', { kind: 'status', status: 401 }, 'refused'],
  ['the quota is used up', QUOTA_USED_UP, 'refused'],
  [
    'it redirects',
    { kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:9/' } },
    'refused',
  ],
  ['it takes no more requests', { kind: 'status', status: 429, retryAfter: 30 }, 'rate_limited'],
  ['it fails', { kind: 'status', status: 500, retryAfter: 0 }, 'unavailable'],
  ['a proxy cannot reach it', { kind: 'html-502' }, 'unavailable'],
  ['it cuts the connection', { kind: 'reset' }, 'unavailable'],
  ['it cuts the connection in the middle', { kind: 'reset-in-body' }, 'unavailable'],
  ['its answer is no JSON', { kind: 'malformed-json' }, 'malformed'],
  ['its answer is half of one', { kind: 'truncated-json' }, 'malformed'],
];

/** Faults in which the service never finishes its answer. */
export const HANGS: [what: string, fault: Fault][] = [
  ['has not begun to answer', { kind: 'hang-before-headers' }],
  ['stops in the middle of its answer', { kind: 'hang-in-body' }],
];

/** The failure of a call, of this class, without a word of the question, the key or the service. */
export async function failureOf<Failure extends Error>(
  call: Promise<unknown>,
  failure: new (...args: never[]) => Failure,
): Promise<Failure> {
  const error = await call.then(() => undefined).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(failure);
  const { message, stack, cause } = error as Failure; // as the line above found
  expect(`${message} ${stack} ${String(cause)}`).not.toMatch(/Anna|0170|sk-local|quota, please/);
  return error as Failure; // as above
}

/** A `fetch` that modifies JSON replies, for replies that the real service never sends. */
export function changeReply(change: (json: never) => unknown): typeof fetch {
  return async (...request) => {
    const response = await fetch(...request);
    // The reply is the one of the test's own server.
    const changed = JSON.stringify(change((await response.json()) as never));
    return new Response(changed, {
      status: response.status,
      headers: { 'content-type': 'application/json' },
    });
  };
}
