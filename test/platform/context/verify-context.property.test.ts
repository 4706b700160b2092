import * as fc from 'fast-check';
import { decodeProtectedHeader, importJWK, importPKCS8, jwtVerify, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { covers } from '../../../src/platform/context/capabilities.ts';
import { localSigningKey } from '../../../src/platform/context/identity.ts';
import { ContextRefused } from '../../../src/platform/context/request-context.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { BODY, createKit, kidOf, NOW, OP, opFor, SEED } from './attack-kit.ts';
import { realRuntime } from './real-runtime.ts';

const kit = await createKit(realRuntime);
const FOUR = ['gateway', 'triage', 'search', 'archive', 'billing'];

const random = (seed: number) => {
  const next = seededRandom(seed);
  return (below: number): number => Math.floor(next() * below);
};

it('one changed character is refused with ContextRefused in 1,500 random cases', async () => {
  const honest = await kit.travel(FOUR);
  await expect(kit.verify(honest)).resolves.toMatchObject({ caller: 'archive' });
  const pick = random(20_261_121);
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~=+/ \n,\u00e9';
  const outcomes = { refused: 0, accepted: 0, otherErrors: 0 };
  for (let round = 0; round < 1500; round += 1) {
    const at = pick(honest.length);
    const letter = letters.charAt(pick(letters.length));
    const [before, here, after] = [honest.slice(0, at), honest.charAt(at), honest.slice(at + 1)];
    const changed =
      [`${before}${letter}${after}`, `${before}${after}`, `${before}${letter}${here}${after}`][
        round % 3
      ] ?? '';
    if (changed === honest) continue;
    const outcome = await kit.verify(changed).then(
      () => 'accepted' as const,
      (error) => (error instanceof ContextRefused ? 'refused' : 'otherErrors'),
    );
    outcomes[outcome] += 1;
  }
  expect(outcomes).toMatchObject({ accepted: 0, otherErrors: 0 });
  expect(outcomes.refused).toBeGreaterThan(1450);
});

const held = 'kb:read kb:* kb:hr:read kb:hr:* sql:read web:search memory:* *'.split(' ');
const capabilities = fc.uniqueArray(fc.constantFrom(...held), { maxLength: 6 });
const audiences = fc.uniqueArray(fc.constantFrom('staff', 'sales', 'legal.eu', 'a', '*'), {
  maxLength: 5,
});
const budgets = fc.dictionary(
  fc.constantFrom('tokens', 'calls', 'usd_micro'),
  fc.nat({ max: 1000 }),
);
const wish = fc.record(
  {
    timeoutMs: fc.integer({ min: 1, max: 400_000 }),
    reserveMs: fc.nat({ max: 50 }),
    capabilities,
    audiences,
    budgets,
    maxHops: fc.integer({ min: 1, max: 8 }),
  },
  { requiredKeys: [] },
);

it('a context that is extended and verified never has a higher limit, whatever the sender requests', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ capabilities, audiences, budgets, maxHops: fc.integer({ min: 1, max: 8 }) }),
      fc.array(wish, { minLength: 2, maxLength: 5 }),
      fc.array(fc.integer({ min: -1500, max: 1500 }), { minLength: 5, maxLength: 5 }),
      async (start, wishes, skews) => {
        const path = ['gateway', 'h1', 'h2', 'h3', 'h4', 'h5'];
        let context: Parameters<typeof realRuntime.signLink>[0] = kit.origin({
          ...start,
          timeoutMs: 250_000,
        });
        for (const [hop, asked] of wishes.entries()) {
          const [self = '', aud = ''] = [path[hop], path[hop + 1]];
          // Each clock is off by up to 1.5 s.
          const now = NOW + (skews[hop] ?? 0);
          const call = { ...asked, signer: kit.signer(self), aud, op: opFor(aud), body: BODY, now };
          const sent = await realRuntime.signLink(context, call).catch((error: unknown) => error);
          if (sent instanceof ContextRefused) return;
          if (sent instanceof Error) throw sent;
          const { token } = sent as Awaited<ReturnType<typeof realRuntime.signLink>>;
          const received: Awaited<ReturnType<typeof kit.verify>> | ContextRefused = await kit
            .verify(token, { self: aud, op: opFor(aud), now })
            .catch((error) => error);
          // The origin may grant almost no time; nothing else may be refused.
          if (received instanceof ContextRefused) return expect(received.code).toBe('TIMEOUT');
          expect(received.deadlineMs).toBeLessThanOrEqual(context.deadlineMs);
          expect(received.maxHops).toBeLessThanOrEqual(context.maxHops);
          for (const held of received.capabilities)
            expect(covers(context.capabilities, held)).toBe(true);
          for (const held of received.audiences) expect(covers(context.audiences, held)).toBe(true);
          for (const [name, amount] of Object.entries(context.budgets))
            expect(received.budgets[name]).toBeLessThanOrEqual(amount);
          const { subject, workspace, traceId } = context;
          expect(received).toMatchObject({ subject, workspace, traceId });
          context = received;
        }
      },
    ),
    { numRuns: 150, seed: 20_261_121 },
  );
});

describe('a link and another JWT library', () => {
  it('verifies as a normal EdDSA JWT', async () => {
    const token = await kit.travel(['gateway', 'triage', 'billing']);
    for (const [hop, link] of token.split('~').entries()) {
      const id = hop === 0 ? 'gateway' : 'triage';
      const key = await importJWK(
        { kty: 'OKP', crv: 'Ed25519', x: kit.directory.key(kidOf(id))?.x ?? '' },
        'EdDSA',
      );
      const { payload } = await jwtVerify(link, key, {
        typ: 'ctx+jwt',
        issuer: id,
        currentDate: new Date(NOW),
      });
      expect(payload.hop).toBe(hop);
      expect(decodeProtectedHeader(link)).toEqual({ alg: 'EdDSA', kid: kidOf(id), typ: 'ctx+jwt' });
    }
  });
  it('is accepted when that library signed it', async () => {
    const der = Buffer.from(await localSigningKey('gateway', SEED), 'base64url').toString('base64');
    const key = await importPKCS8(
      `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----`,
      'EdDSA',
    );
    const link = await new SignJWT({ ...kit.claims(['gateway', 'billing'], 0), op: OP })
      .setProtectedHeader({ alg: 'EdDSA', kid: kidOf('gateway'), typ: 'ctx+jwt' })
      .sign(key);
    await expect(kit.verify(link)).resolves.toMatchObject({ chain: ['gateway'] });
  });
});
