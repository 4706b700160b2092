import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JoinedAnswer } from '../../src/contract/joined-answer.ts';
import { DelegationTrace, LibrarianResponse } from '../../src/contract/response.ts';
import { ROOT } from '../../src/dev/functions.ts';
import { type Product, startProduct } from '../../src/dev/run/product.ts';
import type { Plan } from '../../src/dev/run/relays/index.ts';
import { relayIds, relayWorkers } from '../../src/dev/run/relays/relay-workers.ts';
import { type Rogues, serveRogues } from './rogues.ts';

const TIMEOUT_MS = 1000;
/** What an answer may be late, as the caller sees it. */
const GRACE_MS = 50;

const [, ...OTHERS] = relayIds(8);
let product: Product;
let rogues: Rogues;
const logged: string[] = [];

beforeAll(async () => {
  rogues = await serveRogues();
  const relays = relayWorkers(8);
  product = await startProduct({
    kb: 'sample',
    port: 0,
    moreWorkers: [...relays.workers, { name: 'liar', main: join(ROOT, 'test/functions/liar.ts') }],
    moreServices: { 'constellation-gateway': { ...relays.services, LIAR: 'liar' } },
    allVars: { CONTEXT_LOCAL_LIBRARIANS: `${relays.vars.CONTEXT_LOCAL_LIBRARIANS},liar` },
    partners: rogues.partners,
    onLog: (line) => void logged.push(line),
  });
  rogues.gateway = product.url.origin;
  await product.sync({ full: true });
  await ask({}, 'relay-1');
});

afterAll(async () => {
  await product?.stop();
  await rogues?.close();
});

/** Sends a question through the relays and gives what came back, and when. */
const ask = async (plan: Plan, librarian = 'relay-1') => {
  const startedAt = performance.now();
  const response = await product.fetch('/v1/ask', {
    method: 'POST',
    body: JSON.stringify({ query: 'Where is the key?', librarian, timeout_ms: TIMEOUT_MS, metadata: { plan } }),
  });
  const reply = LibrarianResponse.parse(await response.json());
  return { status: response.status, reply, elapsedMs: performance.now() - startedAt };
};

const hopsOf = ({ metadata }: LibrarianResponse) => DelegationTrace.parse(metadata?.trace).hops;

/** What each failure of a delegate is told as, and under which status. */
const OUTCOMES = {
  'partner.down': ['DELEGATION_FAILED', 502],
  'partner.slow': ['TIMEOUT', 504],
  'partner.500': ['INTERNAL_ERROR', 500],
  'partner.rubbish': ['DELEGATION_FAILED', 502],
  'partner.invalid': ['DELEGATION_FAILED', 502],
  'partner.loop': ['LOOP_DETECTED', 508],
  'partner.receipt': ['DELEGATION_FAILED', 502],
  'partner.huge': ['DELEGATION_FAILED', 502],
} as const;

describe.each(Object.entries(OUTCOMES))('a delegate like %s', (to, [code, status]) => {
  it('ends a single delegation with its code, in time', async () => {
    const asked = await ask({ delegates: [{ to }] });
    expect([asked.reply.error?.code, asked.status]).toEqual([code, status]);
    expect(asked.elapsedMs).toBeLessThan(TIMEOUT_MS + GRACE_MS);
    expect(hopsOf(asked.reply).map(({ from, to, outcome }) => [from, to, outcome])).toEqual([
      ['gateway', 'relay-1', code],
      ['relay-1', to, code],
    ]);
  });

  it('leaves a parallel one with the answer of the others, partial, the gap named, in time', async () => {
    const asked = await ask({ delegates: [{ to }, { to: 'relay-3', plan: { answer: 'Under the mat.' } }] }, 'relay-2');
    expect(asked.status).toBe(200);
    expect(asked.reply).toMatchObject({ answer: expect.stringContaining('Under the mat.'), partial: true });
    expect(asked.reply.answer).toContain(to);
    const { parts } = JoinedAnswer.parse(asked.reply.metadata);
    expect(parts.map(({ librarian, error }) => [librarian, error?.code])).toEqual([
      [to, code],
      ['relay-3', undefined],
    ]);
    expect(asked.elapsedMs).toBeLessThan(TIMEOUT_MS + GRACE_MS);
  });

  it('ends a nested one with its code, in time', async () => {
    const asked = await ask({ via: ['relay-5'], delegates: [{ to }] }, 'relay-4');
    expect([asked.reply.error?.code, asked.status]).toEqual([code, status]);
    expect(asked.elapsedMs).toBeLessThan(TIMEOUT_MS + GRACE_MS);
    expect(hopsOf(asked.reply).map(({ to, outcome }) => [to, outcome])).toEqual([
      ['relay-4', code],
      ['relay-5', code],
      [to, code],
    ]);
  });

  it('is answered for by a fallback', async () => {
    const asked = await ask({ delegates: [{ to, fallback: 'relay-7' }] }, 'relay-6');
    if (code === 'LOOP_DETECTED') expect(asked.reply.error?.code).toBe(code);
    else expect(asked.reply).toMatchObject({ answer: 'relay-7 has answered.' });
    expect(asked.elapsedMs).toBeLessThan(TIMEOUT_MS + GRACE_MS);
  });
});

describe('a chain of eight', () => {
  it('is answered, and its trace shows every hop with its receipt checked', async () => {
    const { reply, status } = await ask({ via: OTHERS });
    expect([status, reply.answer]).toEqual([200, 'relay-8 has answered.']);
    expect(hopsOf(reply).map(({ from, to, verified }) => [from, to, verified])).toEqual(
      ['gateway', ...relayIds(7)].map((from, index) => [from, relayIds(8)[index], true]),
    );
  });

  it.each([
    ['single', [{ to: 'partner.rubbish' }]],
    ['parallel', [{ to: 'partner.rubbish' }, { to: 'partner.down' }]],
  ])('cannot be left for a ninth: a %s delegation is refused before anything is sent', async (_, delegates) => {
    const before = rogues.calls.length;
    const { reply, status, elapsedMs } = await ask({ via: OTHERS, delegates });
    expect([reply.error?.code, status]).toEqual(['MAX_DEPTH_EXCEEDED', 508]);
    expect(rogues.calls.length).toBe(before);
    expect(elapsedMs).toBeLessThan(TIMEOUT_MS + GRACE_MS);
  });

  it('leaves a nested delegation that goes too deep without an answer', async () => {
    const { reply, status } = await ask({ via: [...OTHERS, 'partner.rubbish'], delegates: [{ to: 'relay-2' }] });
    expect([reply.error?.code, status]).toEqual(['MAX_DEPTH_EXCEEDED', 508]);
  });
});

describe('a question that would come back', () => {
  it.each([
    ['a single delegation', [{ to: 'relay-1' }]],
    ['a parallel one', [{ to: 'relay-1' }, { to: 'relay-1' }]],
  ])('is refused before anything is sent: %s', async (_, delegates) => {
    const before = logged.filter((line) => line.includes('"librarian":"relay-1"')).length;
    const { reply, status } = await ask({ via: ['relay-2'], delegates });
    expect([reply.error?.code, status]).toEqual(['LOOP_DETECTED', 508]);
    // One line of the gateway's own call to relay-1 and one of relay-1 itself: nobody called it again.
    const after = logged.filter((line) => line.includes('POST /librarians/relay-1/ask')).length;
    expect(after - before).toBeLessThanOrEqual(1);
  });
});

describe('a fan-out', () => {
  it('asks in parallel', async () => {
    const plan = { waitMs: 200 };
    const { reply, elapsedMs } = await ask({ delegates: OTHERS.slice(0, 4).map((to) => ({ to, plan })) });
    expect(JoinedAnswer.parse(reply.metadata).parts).toHaveLength(4);
    expect(elapsedMs).toBeLessThan(4 * 200);
  });

  it('keeps what is in time when one branch is not', async () => {
    const slow = { to: 'relay-3', plan: { waitMs: 5000 } };
    const { reply, elapsedMs } = await ask({ delegates: [{ to: 'relay-2' }, slow] });
    expect(reply).toMatchObject({ answer: expect.stringContaining('relay-2 has answered.'), partial: true });
    expect(elapsedMs).toBeLessThan(TIMEOUT_MS + GRACE_MS);
  });
});

describe('an internal function that declares a wrong length of its answer', () => {
  it('is read no further than any other', async () => {
    const { reply, status, elapsedMs } = await ask({}, 'liar');
    expect([reply.error?.code, status]).toEqual(['DELEGATION_FAILED', 502]);
    expect(elapsedMs).toBeLessThan(TIMEOUT_MS + GRACE_MS);
    expect(logged.filter((line) => line.includes('too large')).length).toBeGreaterThan(0);
  });
});

describe('the logs of all that', () => {
  it('contain no uncaught exception', () => {
    const lines = logged.map((line) => JSON.parse(line) as { event: string; where?: string });
    expect(lines.filter(({ event, where }) => event === 'fault' && where === 'route')).toEqual([]);
  });

  it('hold neither the question nor an answer', () => {
    expect(logged.filter((line) => /Where is the key|has answered|Under the mat/.test(line))).toEqual([]);
  });
});
